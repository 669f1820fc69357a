#!/bin/sh
# Installs what is missing to build flamefold (with "check": to test it too; with "browser": only what looks
# at its pictures), saying what it does.
# NO_INSTALL=1 only prints the command. As root directly, else through sudo.
set -u
want=${1:-build}

has_header() { printf '#include <stdio.h>\n#include <%s>\n' "$1" | gcc -fsyntax-only -xc - 2>/dev/null; }

missing() {
    if [ "$want" = browser ]; then
        command -v python3 >/dev/null || echo python3
        command -v chromium >/dev/null || command -v chromium-browser >/dev/null || echo chromium
        return
    fi
    command -v gcc >/dev/null || echo gcc
    command -v pkg-config >/dev/null || echo pkg-config
    command -v ar >/dev/null || echo ar
    for header in libelf.h elfutils/libdw.h zstd.h zlib.h lzma.h jansson.h yajl/yajl_parse.h linux/fs.h; do
        has_header $header || echo $header
    done
    has_header libiberty/demangle.h || has_header demangle.h || echo libiberty/demangle.h
    if [ "$want" = check ]; then
        for tool in xmllint xz tar cmp diff awk; do
            command -v $tool >/dev/null || echo $tool
        done
        # gcc alone does not bring the sanitizers' libraries everywhere
        echo 'int main(void){return 0;}' | gcc -fsanitize=address,undefined -xc - -o /dev/null 2>/dev/null ||
            echo sanitizers
    fi
}

lacking=$(missing | tr '\n' ' ')
[ -z "$lacking" ] && exit 0

if command -v apt-get >/dev/null; then
    packages="gcc libc6-dev binutils pkg-config libelf-dev libdw-dev libzstd-dev zlib1g-dev liblzma-dev libjansson-dev libyajl-dev libiberty-dev"
    [ "$want" = check ] && packages="$packages libxml2-utils xz-utils diffutils mawk"
    [ "$want" = browser ] && packages="chromium python3 fonts-dejavu-core"
    command="apt-get install -y --no-install-recommends $packages"
    update="apt-get update"
elif command -v dnf >/dev/null; then
    packages="gcc kernel-headers binutils binutils-devel pkgconf-pkg-config elfutils-libelf-devel elfutils-devel libzstd-devel zlib-devel xz-devel jansson-devel yajl-devel"
    [ "$want" = check ] && packages="$packages libxml2 xz diffutils gawk libasan libubsan"
    [ "$want" = browser ] && packages="chromium python3 dejavu-sans-mono-fonts"
    command="dnf install -y $packages"
    update=true
elif command -v apk >/dev/null; then
    packages="gcc musl-dev linux-headers binutils binutils-dev pkgconf elfutils-dev zstd-dev zlib-dev xz-dev jansson-dev yajl-dev"
    [ "$want" = check ] && packages="$packages libxml2-utils xz diffutils gawk"
    [ "$want" = browser ] && packages="chromium python3 font-dejavu"
    command="apk add $packages"
    update="apk update"
else
    echo "setup: missing: $lacking" >&2
    echo "setup: no apt-get, dnf or apk here; install gcc, pkg-config, elfutils (libelf, libdw)," >&2
    echo "setup: zstd, zlib, liblzma, jansson, yajl and libiberty with their headers" >&2
    exit 2
fi

if [ "$(id -u)" -ne 0 ]; then
    command="sudo $command"
    update="sudo $update"
fi
echo "setup: missing: $lacking"
if [ -n "${NO_INSTALL:-}" ]; then
    echo "setup: to install it: $command"
    exit 2
fi
echo "setup: $command"
log=$(mktemp)
if { DEBIAN_FRONTEND=noninteractive $update && DEBIAN_FRONTEND=noninteractive $command; } >"$log" 2>&1; then
    rm -f "$log"
else
    tail -5 "$log" >&2
    echo "setup: that failed; the whole output is in $log" >&2
    exit 2
fi
lacking=$(missing | tr '\n' ' ')
if [ -n "$lacking" ]; then
    echo "setup: still missing: $lacking" >&2
    exit 2
fi
