#!/bin/sh
# Call sites in recordings made here: calls.py under each CPython that is found, judged by judge.py. An
# interpreter is each python3.N of PATH and of pyenv, or those of PYTHONS. Those listed in the file
# `found` by their build-id must be found; with others it is enough that nothing is invented.
# Prints "N passed, N failed, N skipped"; RUN_SECONDS (0.5) is how long each runs.
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 2
bin=${FF_BIN:-$root/build/release/bin}
here=tests/sites
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

skip_all() {
    echo "sites: $1" >&2
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

command -v perf >/dev/null || skip_all "perf is not installed"
command -v python3 >/dev/null || skip_all "python3 is not installed"
gcc -O1 -shared -fPIC $here/calls.c -o "$work/calls.so" 2>/dev/null || skip_all "gcc is not installed"
perf record -q -e cpu-clock -o "$work/try" true >/dev/null 2>&1 || skip_all "perf cannot record here"

# Real interpreters, each once; shims that choose one are left out.
interpreters() {
    pyenv=$(pyenv root 2>/dev/null)
    for python in ${PYTHONS:-$(printf '%s\n' "$PATH" | tr : '\n' |
        sed 's|$|/python3.[0-9]*|') "${pyenv:-/none}"/versions/*/bin/python3.[0-9]*}; do
        case $python in *-config | */shims/* | *gdb.py) continue ;; esac
        [ -x "$python" ] && stat -L -c '%d:%i %n' "$(readlink -f "$python")"
    done | sort -k1,1 -u | cut -d' ' -f2 | sort
}

# Of the file that has the evaluation loop: the interpreter, or its library.
build_id() {
    library=$(ldd "$1" 2>/dev/null | sed -n 's/.*libpython[^ ]* => \([^ ]*\).*/\1/p')
    file "$(readlink -f "${library:-$1}")" 2>/dev/null | sed -n 's/.*BuildID[^=]*=\([0-9a-f]*\).*/\1/p'
}

judge() { # interpreter
    version=$("$1" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null)
    [ -n "$version" ] || return
    build=$(build_id "$1")
    perf record -q -B -N -e cpu-clock -F 1500 --call-graph dwarf,16384 -o "$work/data" \
        "$1" $here/calls.py "$work/calls.so" "${RUN_SECONDS:-0.5}" >/dev/null 2>&1
    if ! "$bin/ff-read" "$work/data" 2>/dev/null >"$work/read"; then
        echo "sites: CPython $version ($1): no recording, skipped" >&2
        skipped=$((skipped + 1))
        return
    fi
    result=$("$bin/ff-symbolize" "$work/read" 2>/dev/null | python3 $here/judge.py)
    echo "CPython $version ($build): $result"
    observed=${result##none }
    case $result in
    found*) passed=$((passed + 1)) ;;
    none*)
        if [ "$observed" -ge 200 ] && grep -q "^$build\$" $here/found; then
            echo "sites: CPython $version ($1): expected to be found" >&2
            failed=$((failed + 1))
        elif [ "$observed" -lt 200 ]; then
            echo "sites: CPython $version: too few samples ($observed), skipped" >&2
            skipped=$((skipped + 1))
        else
            passed=$((passed + 1))
        fi
        ;;
    *)
        echo "sites: CPython $version ($1): $result" >&2
        failed=$((failed + 1))
        ;;
    esac
}

for python in $(interpreters); do
    judge "$python"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
