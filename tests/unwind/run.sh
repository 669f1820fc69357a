#!/bin/sh
# Programs that keep their own call chain, built in many ways, against the unwinder: see shadow.h and
# driver.c. Three ways of each compiler are also stepped through (step.c), with FULL=1 nearly all;
# FAST=1 leaves out most levels. FF_BIN as in the other parts. Prints "N passed, N failed, N skipped": a
# point of a program is one, and so is a program that was stepped through.
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 2
bin=${FF_BIN:-$root/build/release/bin}
driver=$(dirname "$bin")/unwind/driver
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
here=tests/unwind
programs="$here/shadow.c $here/calls.c $here/frames.c $here/jumps.c $here/signals.c $here/threads.c $here/hand.c"
LC_ALL=C
export LC_ALL
if [ ! -x "$driver" ]; then
    echo "unwind: $driver is not built; make units" >&2
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi

# Name, emulator or "", compiler, flags. One shared object, the rest one program.
try() {
    name=$1 emulator=$2 compiler=$3
    shift 3
    folder=$(mktemp -d "$work/XXXXXX")
    case $compiler in clang*) set -- "$@" -Qunused-arguments ;; esac
    if ! "$compiler" "$@" -fPIC -shared $here/library.c -o "$folder/liblibrary.so" ||
        ! "$compiler" "$@" $programs -pthread -L"$folder" -llibrary -Wl,-rpath,"$folder" \
            -Wl,--export-dynamic -o "$folder/program"; then
        echo "$name: cannot be built" >&2
        echo "0 passed, 1 failed, 0 skipped" >>"$work/$job.results"
        return
    fi
    if $emulator "$folder/program" >"$folder/output"; then
        "$driver" "$name" <"$folder/output" | tail -1 >"$folder/result"
    else
        echo "$name: the program failed: exit $?" >&2
    fi
    if grep -q '^[1-9][0-9]* passed\|[1-9][0-9]* failed' "$folder/result"; then
        cat "$folder/result" >>"$work/$job.results"
    else
        echo "$name: no point was compared" >&2
        echo "0 passed, 1 failed, 0 skipped" >>"$work/$job.results"
    fi
    if [ -n "$stepped" ]; then
        "$driver" --step "$name" "$folder/program" >"$folder/result" 2>"$folder/words" ||
            cat "$folder/words" >&2
        tail -1 "$folder/result" >>"$work/$job.results"
        grep -h 'skipped:' "$folder/words" >&2
        tail -1 "$folder/words" >>"$work/$job.steps"
    fi
    rm -rf "$folder"
}

skip() {
    echo "unwind: skipped: $1" >&2
    echo "0 passed, 0 failed, 1 skipped" >>"$work/$job.results"
}

levels='-O0 -O1 -O2 -O3' all=
[ -n "${FAST:-}" ] && levels='-O2'
[ -n "${FULL:-}" ] && [ "$(uname -m)" = x86_64 ] && all=yes

natively() { # compiler
    job=$1
    command -v "$1" >/dev/null || { skip "no $1 here"; return; }
    case $(uname -m) in x86_64) x86=yes ;; *) x86= ;; esac
    for level in $levels; do
        stepped=$all
        case $x86$level in yes-O0 | yes-O2) stepped=yes ;; esac
        try "$1 $level" '' "$1" "$level" -fomit-frame-pointer
        stepped=$all
        try "$1 $level with frame pointers" '' "$1" "$level" -fno-omit-frame-pointer
    done
    [ -n "$x86" ] || return
    stepped=yes
    try "$1 -Os, branch protection, lazy binding" '' "$1" -Os -fcf-protection=full -Wl,-z,lazy
    stepped=$all
    try "$1 -O2, not position-independent" '' "$1" -O2 -fno-pie -no-pie
    try "$1 -O2, no red zone, clash protection" '' "$1" -O2 -mno-red-zone -fstack-clash-protection
    try "$1 -O2, stack protector" '' "$1" -O2 -fstack-protector-all
    # Only .debug_frame, plain and compressed. Not stepped through: without any .eh_frame the linker
    # makes none for the PLT.
    stepped=
    only='-O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables'
    try "$1 .debug_frame" '' "$1" $only
    try "$1 .debug_frame, compressed" '' "$1" $only -gz
}

for_arm() {
    job=arm stepped=
    compiler=aarch64-linux-gnu-gcc
    if ! command -v $compiler >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
        skip "no $compiler or no qemu-aarch64 here: AArch64 is not tried"
        return
    fi
    emulator="qemu-aarch64 -L $(dirname "$($compiler -print-file-name=libc.so.6)")/.."
    for level in $levels; do
        try "AArch64 $level" "$emulator" $compiler "$level" -fomit-frame-pointer
        try "AArch64 $level with frame pointers" "$emulator" $compiler "$level" -fno-omit-frame-pointer
    done
    try "AArch64 -O2, pointer authentication" "$emulator" $compiler -O2 -mbranch-protection=standard
}

natively gcc &
natively clang &
wait
for_arm
cat "$work"/*.steps 2>/dev/null | sed -n 's/.*: \([0-9]*\) instructions .*/\1/p' |
    awk '{ n += $1 } END { print n + 0 " instructions were stepped through" }'
cat "$work"/*.results | awk '{ p += $1; f += $3; s += $5 }
    END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }'
