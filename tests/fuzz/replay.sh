#!/bin/sh
# Damaged inputs of every format, in the library (replay.c, in-process) and through the tools.
# FF_BIN is the folder of the tools, build/san/bin in CI; the replay program lies beside it. FAST=1
# does a tenth. Prints the mutant that did it, and "N passed, N failed, N skipped".
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${FF_BIN:-$root/build/release/bin}
replay=$(dirname "$bin")/fuzz/replay
data=$root/tests/data
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
tenth=${FAST:+10}
tenth=${tenth:-1}
RECORDING=$data/tiny.data
export RECORDING LC_ALL=C
if [ ! -x "$replay" ]; then
    echo "replay: $replay is not built; make units" >&2
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi

# --- the small inputs -----------------------------------------------------------------------------
head -c 2500 "$root/examples/launch-queue/spy.raw" >"$work/spy.raw"
cat >"$work/dump.txt" <<'END'
Process 590: python3 pipeline.py
Python v3.12.3 (/usr/bin/python3.12)

Thread 590 (idle): "MainThread"
    wait (threading.py:359)
    main (pipeline.py:90)
Thread 101 (active+gil): "target-0"
    forward (model.py:12)
        Arguments:
            self: <Model at 0x7f00>
    run (pipeline.py:33)
END
"$bin/ff-read" "$data/tiny.data" | "$bin/ff-symbolize" --no-live -s "$data" | "$bin/ff-classify" >"$work/stream.ff"
"$bin/ff-pack" --no-live -s "$data" "$data/tiny.data" -o "$work/pack.tar"
cat >"$work/kallsyms" <<'END'
ffffffff81000000 T _text
ffffffff81000000 t startup
ffffffff81000008 T handle_it
ffffffff81000100 t other.cold
ffffffffc0400000 t in_module	[nvidia]
ffffffffc0400100 t __pfx_in_module	[nvidia]
END
printf '7f0000000010 b py::run:/tmp/x.py\n7f000000001b 5 py::a b:<string>\n7f0000000020 b last\n' >"$work/perf-100.map"
cp "$data/hostile.folded" "$work/folded.txt"

# --- in the library: kind, file, cuts (0: every byte), changes ------------------------------------
tell() { # name, log, exit status
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$2" | tail -1)
    if [ -z "$line" ] || [ "$3" -gt 1 ]; then
        # It died: of a signal, of the alarm, of a sanitizer.
        echo "replay: $1: ended with exit $3; the mutant is kept as build/mutant-$1" >&2
        mkdir -p "$root/build" && cp "$work/$1.mutant" "$root/build/mutant-$1"
        sed -n '1,15p' "$2" >&2
        line='0 passed, 1 failed, 0 skipped'
    elif [ "$3" -eq 1 ]; then
        sed -n '1,15p' "$2" >&2
    fi
    echo "$1 $line" >>"$work/results"
}

run() {
    kind=$1 file=$2 cuts=$3 changes=$4
    name=$(basename "$file")
    [ "$tenth" -gt 1 ] && [ "$cuts" -eq 0 ] && cuts=$(($(wc -c <"$file") / tenth))
    timeout 300 "$replay" "$kind" "$file" "$((tenth > 1 && cuts > 20 ? cuts / tenth + 1 : cuts))" \
        "$((changes / tenth))" "$work/$name.mutant" >"$work/$name.log" 2>&1
    tell "$name" "$work/$name.log" $?
}

: >"$work/results"
{
    run input "$root/examples/launch-queue/fp.data" 200 100
    run input "$data/tiny.data" 0 1000
    run input "$data/tiny.zstd.data" 300 400
    cp "$data/tiny.data" "$work/recompressed.data"
    run zstd "$work/recompressed.data" 1 800
    run symbols "$data/image.so" 600 1200
    run rules "$root/lib/classify/default.rules" 300 600
} &
first=$!
{
    run input "$data/tiny.pipe.data" 300 500
    run input "$data/dwarf.data" 200 300
    run input "$work/spy.raw" 400 300
    run input "$work/dump.txt" 0 300
    run input "$work/stream.ff" 0 700
    run input "$work/folded.txt" 0 300
    run symbols "$work/pack.tar" 600 900
    run symbols "$work/kallsyms" 0 300
    RECORDING=$data/jit.data
    run symbols "$work/perf-100.map" 0 300
} &
wait $first $!

# --- through the tools: exit 0, 1, 2 or 64, and a word unless it is 0 -----------------------------
passed=0 failed=0
try() { # mutant, tool, arguments
    mutant=$1
    shift
    timeout 10 "$@" "$mutant" >/dev/null 2>"$work/message"
    status=$?
    case $status in
    0 | 1 | 2 | 64) ;;
    *) status=crash ;;
    esac
    if [ $status = crash ] || grep -q 'runtime error\|AddressSanitizer\|LeakSanitizer' "$work/message" ||
        { [ $status != 0 ] && [ ! -s "$work/message" ]; }; then
        failed=$((failed + 1))
        echo "replay: $*: exit $status on build/mutant-tool-$failed" >&2
        cp "$mutant" "$root/build/mutant-tool-$failed"
        sed -n '1,5p' "$work/message" >&2
    else
        passed=$((passed + 1))
    fi
}
for number in 1 2 3 4 5 6 7 8; do
    for file in "$data/tiny.data" "$data/tiny.pipe.data" "$work/spy.raw" "$work/stream.ff" "$work/folded.txt"; do
        "$replay" write "$file" $((number + 5000)) "$work/mutant"
        try "$work/mutant" "$bin/ff-read"
        try "$work/mutant" "$bin/ff-symbolize" --no-live -s "$work/pack.tar"
        try "$work/mutant" "$bin/ff-svg"
        try "$work/mutant" "$bin/ff-report" --json
        try "$work/mutant" "$bin/ff-doctor" --no-live
        try "$work/mutant" "$bin/flamefold" --no-live -o "$work/out"
    done
done

while read -r name p _ f _ s _; do
    printf '  %-20s %s passed, %s failed\n' "$name" "$p" "$f"
    passed=$((passed + p)) failed=$((failed + f))
done <<END
$(tr -d , <"$work/results")
END
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
