#!/bin/sh
# Golden command-line cases. A case is a folder tests/cli/NAME with
#   cmd      a shell script; runs in a fresh folder with the tools in PATH and
#            $DATA (tests/data), $EXAMPLES (examples), $SHARED (captures and corpora, if there),
#            $SYMBOLS (the unpacked symbols of the captures, if there)
#   out err exit   what it must print and answer; a missing file means nothing, nothing, 0
#   needs    optional words: shared, perf, perl ...: what must be there, else the case is skipped
# tests/cli/run.sh [--update] [NAME...]: --update rewrites out, err and exit; review the diff.
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${FF_BIN:-$root/build/release/bin}
update=
[ "${1:-}" = --update ] && update=1 && shift
PATH=$bin:$PATH
DATA=$root/tests/data
EXAMPLES=$root/examples
SHARED=$(cd "$root" && cd "${FF_SHARED:-../shared}" 2>/dev/null && pwd) || SHARED=$root/../shared
SYMBOLS=$root/build/shared
export PATH DATA EXAMPLES SHARED SYMBOLS LC_ALL=C
passed=0 failed=0 skipped=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

lacks() { # prints what a case needs and this machine lacks
    for word in $(cat "$1/needs" 2>/dev/null); do
        case $word in
        shared) [ -d "$SHARED/captures" ] && [ -d "$SYMBOLS/usr" ] || echo "$word" ;;
        *) command -v "$word" >/dev/null || echo "$word" ;;
        esac
    done
}

run_case() {
    case=$1
    name=$(basename "$case")
    lacking=$(lacks "$case")
    if [ -n "$lacking" ]; then
        echo "skipped: $name: needs $lacking" >&2
        skipped=$((skipped + 1))
        return
    fi
    rm -rf "$work/run" "$work/got"
    mkdir -p "$work/run" "$work/got"
    (cd "$work/run" && sh "$case/cmd") >"$work/got/out" 2>"$work/got/err" </dev/null
    echo $? >"$work/got/exit"
    # No path of this machine may be part of an expectation.
    sed -i "s#$root#ROOT#g; s#$SHARED#SHARED#g; s#$work/run#WORK#g" "$work/got/out" "$work/got/err"
    [ "$(cat "$work/got/exit")" = 0 ] && rm "$work/got/exit"
    [ -s "$work/got/out" ] || rm "$work/got/out"
    [ -s "$work/got/err" ] || rm "$work/got/err"
    same=1
    for part in out err exit; do
        if [ -n "$update" ]; then
            rm -f "$case/$part"
            [ -e "$work/got/$part" ] && cp "$work/got/$part" "$case/$part"
        else
            touch "$work/got/$part" "$work/empty"
            want=$case/$part
            [ -e "$want" ] || want=$work/empty
            diff -u "$want" "$work/got/$part" >"$work/diff" || {
                same=
                echo "$name: $part differs" >&2
                sed -n '1,20p' "$work/diff" >&2
            }
        fi
    done
    if [ -n "$same" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

if [ $# -gt 0 ]; then
    for name; do run_case "$root/tests/cli/$name"; done
else
    for cmd in "$root"/tests/cli/*/cmd; do run_case "$(dirname "$cmd")"; done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
