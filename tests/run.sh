#!/bin/sh
# All tests. Each part prints its failures and a last line "N passed, N failed, N skipped"; this adds
# them up and ends with the same line. Arguments name parts: units unwind sites cli layers docs browser san.
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 2
parts=${*:-units unwind sites cli layers docs browser san}
passed=0 failed=0 skipped=0

FF_SHARED=${FF_SHARED:-../shared}
export FF_SHARED
# Real recordings' symbols are unpacked once; without ../shared the tests that need them say so.
if [ -f "$FF_SHARED/captures/symbols.tar.xz" ] && [ ! -e build/shared/.done ]; then
    mkdir -p build/shared
    tar -xJf "$FF_SHARED/captures/symbols.tar.xz" -C build/shared &&
        xz -dc "$FF_SHARED/captures/kallsyms.xz" >build/shared/kallsyms &&
        cp "$FF_SHARED/captures/vdso.so" build/shared/ && touch build/shared/.done
fi

add() { # name, output file, exit status of the part
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$2" | tail -1)
    if [ -z "$line" ]; then
        echo "$1: ended without a result (exit $3)" >&2
        tail -5 "$2" >&2
        failed=$((failed + 1))
        return
    fi
    set -- "$1" "$2" "$3" $(echo "$line" | tr -dc '0-9 ')
    passed=$((passed + $4)) failed=$((failed + $5)) skipped=$((skipped + $6))
    [ "$3" -ne 0 ] && [ "$5" -eq 0 ] && failed=$((failed + 1)) && echo "$1: exit status $3" >&2
    printf '  %-28s %s\n' "$1" "$line"
}

part() { # name, command...
    name=$1
    shift
    log=$(mktemp)
    "$@" >"$log" 2>"$log.err"
    status=$?
    cat "$log.err" >&2
    cat "$log.err" >>"$log"
    add "$name" "$log" $status
    rm -f "$log" "$log.err"
}

units() { # build folder
    for unit in "$1"/unit/test_*; do
        case $unit in *.d) continue ;; esac
        part "$(basename "$1")/$(basename "$unit")" "$unit"
    done
}

for what in $parts; do
    case $what in
    units) units build/release ;;
    unwind) part unwind sh tests/unwind/run.sh ;;
    sites) part sites sh tests/sites/run.sh ;;
    cli) part cli sh tests/cli/run.sh ;;
    layers) part layers sh tests/check-layers.sh ;;
    docs) part docs sh tests/check-docs.sh ;;
    browser) part browser sh tests/browser/run.sh ;;
    san)
        units build/san
        FF_BIN=$root/build/san/bin part san/cli sh tests/cli/run.sh
        FAST=1 FF_BIN=$root/build/san/bin part san/unwind sh tests/unwind/run.sh
        FF_BIN=$root/build/san/bin part san/replay sh tests/fuzz/replay.sh
        ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
