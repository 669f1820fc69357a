#!/bin/sh
# Speed and memory beside perf, on the same bytes in the same minutes; writes docs/benchmarks.md.
# $1 is the folder of the tools. Needs perf; records its own input where perf can record, else the
# first table is left out and says so. RUNS (5) is the number of runs, of which the median counts.
cd "$(dirname "$0")/../.." || exit 2
bin=$1
runs=${RUNS:-5}
shared=${FF_SHARED:-../shared}
work=build/bench
mkdir -p $work
command -v perf >/dev/null || { echo "bench: perf is not installed: nothing to compare with" >&2; exit 2; }
gcc -O2 -D_GNU_SOURCE tests/bench/measure.c -o $work/measure || exit 2
PATH=$PWD/$bin:$PATH
export PATH

record() { # a frame-pointer recording of at least 100 MB
    [ -s $work/fp.data ] && [ "$(stat -c %s $work/fp.data)" -ge 100000000 ] && return 0
    gcc -O1 -g -D_GNU_SOURCE -fno-omit-frame-pointer -fno-optimize-sibling-calls \
        tests/bench/spin.c -o $work/spin -lpthread &&
        perf record -q -e cpu-clock -F 25000 -g -o $work/fp.data $work/spin 60 >/dev/null 2>&1
    [ -s $work/fp.data ] && [ "$(stat -c %s $work/fp.data)" -ge 100000000 ]
}

record_dwarf() { # stack dumps of a C++ program (the compiler), at least 100 MB
    [ -s $work/dwarf.data ] && return 0
    command -v g++ >/dev/null &&
        perf record -q -e cpu-clock -F 4000 --call-graph dwarf,16384 -o $work/dwarf.data \
            g++ -O2 -c tests/bench/templates.cpp -o $work/templates.o >/dev/null 2>&1
    [ -s $work/dwarf.data ] && [ "$(stat -c %s $work/dwarf.data)" -ge 100000000 ]
}

# Stack dumps of a C++ program of libtorch, as perf takes them when nothing else is said: 8 KB, 4000 a
# second. TORCH is where it was unpacked; its libraries must be found (LD_LIBRARY_PATH).
record_torch() {
    torch=${TORCH:-/usr}
    [ -s $work/torch.data ] && return 0
    [ -f "$torch/include/torch/torch.h" ] && command -v g++ >/dev/null || return 1
    g++ -O1 -g -std=c++17 -w -I"$torch/include" -I"$torch/include/torch/csrc/api/include" \
        tests/bench/net.cpp -o $work/net -L"$torch/lib" -L"$torch/lib/$(uname -m)-linux-gnu" \
        -Wl,--allow-shlib-undefined -Wl,--unresolved-symbols=ignore-in-shared-libs \
        -ltorch -ltorch_cpu -lc10 &&
        OMP_NUM_THREADS=1 perf record -q -e cpu-clock --call-graph dwarf -o $work/torch.data \
            $work/net 12000 >/dev/null 2>&1
    [ -s $work/torch.data ] && [ "$(stat -c %s $work/torch.data)" -ge 100000000 ]
}

row() { # what, peer's command, our command
    set -- "$1" "$2" "$3" $($work/measure "$runs" "$2") $($work/measure "$runs" "$3")
    [ $# -eq 7 ] || { echo "bench: a command failed: $1" >&2; return 1; }
    awk -v what="$1" -v peer="$4" -v peer_mb="$5" -v ours="$6" -v our_mb="$7" 'BEGIN {
        printf "| %s | %.1f | %s s, %s MB | %s s, %s MB |\n", what, peer / ours, peer, peer_mb, ours, our_mb }'
    printf '%s\n%s\n' "$2" "$3" >>$work/commands
}

# perf script text to folded text beside inferno (cargo install inferno), which has threads; ours has one.
text_rows() {
    if ! command -v inferno-collapse-perf >/dev/null; then
        echo "inferno-collapse-perf is not installed here: the rows of perf script text are left out."
        return 0
    fi
    [ -s $work/text.1 ] || perf script -i examples/launch-queue/fp.data >$work/text.1 2>/dev/null
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat $work/text.1; echo; done >$work/text.txt
    size=$(($(stat -c %s $work/text.txt) / 1000000))
    echo "| input and task | inferno ÷ ours | inferno | ours |"
    echo "|---|---|---|---|"
    row "perf script text, $size MB (a recording 20 times): to folded text, one thread" \
        "inferno-collapse-perf --nthreads 1 $work/text.txt" "ff-fold $work/text.txt"
    row "the same, inferno with all cores" \
        "inferno-collapse-perf --nthreads $(nproc) $work/text.txt" "ff-fold $work/text.txt"
    row "$((size / 20)) MB, each stack once or a few times: one thread" \
        "inferno-collapse-perf --nthreads 1 $work/text.1" "ff-fold $work/text.1"
}

# Large pictures in a real browser: 100,000 distinct frames, 1,000,000 distinct stacks.
browser_rows() {
    for chromium in chromium chromium-browser google-chrome ""; do
        command -v "${chromium:-none}" >/dev/null && break
    done
    if [ -z "$chromium" ] || ! command -v python3 >/dev/null; then
        echo "No chromium here: pictures were not timed."
        return
    fi
    for nodes in 100000 1000000; do
        [ -s $work/tree-$nodes.svg ] || {
            python3 tests/browser/measure.py make $nodes $work/tree.folded
            ff-svg --by none $work/tree.folded -o $work/tree-$nodes.svg
            rm -f $work/tree.folded
        }
    done
    echo "| picture in $($chromium --version 2>/dev/null | cut -d. -f1) | size | first paint | live | zoom | search |"
    echo "|---|---|---|---|---|---|"
    python3 tests/browser/measure.py "$(command -v $chromium)" "100,000 distinct frames=$work/tree-100000.svg" \
        "1,000,000 distinct frames=$work/tree-1000000.svg"
    echo
    echo "From opening the file to the first paint and to the end of unpacking; zoom and search until the next"
    echo "frame is painted. Medians of 5 and of 15."
}

: >$work/commands
{
    echo "# Benchmarks"
    echo
    echo "Written by \`make bench\`: median wall time of $runs runs, and the largest process's memory."
    echo "Both columns were measured in one go on one machine; only their ratio means something."
    echo "Peer: $(perf --version). Machine: $(nproc) cores, $(uname -m)."
    echo
    echo "| input and task | perf ÷ ours | perf | ours |"
    echo "|---|---|---|---|"
    if record; then
        size=$(($(stat -c %s $work/fp.data) / 1000000))
        row "own recording, $size MB, frame pointers: to folded text (perf: its text alone)" \
            "perf script --no-inline -i $work/fp.data" \
            "ff-read $work/fp.data | ff-symbolize | ff-fold"
        row "the same in one process, with report and SVG" \
            "perf script --no-inline -i $work/fp.data" \
            "flamefold $work/fp.data -o $work/out"
    fi
    if record_dwarf; then
        size=$(($(stat -c %s $work/dwarf.data) / 1000000))
        row "stack dumps of g++ compiling, $size MB: unwound (perf: its text)" \
            "perf script --no-inline -i $work/dwarf.data" "ff-read --threads 1 $work/dwarf.data"
        row "the same to folded text" \
            "perf script --no-inline -i $work/dwarf.data" \
            "ff-read --threads 1 $work/dwarf.data | ff-symbolize | ff-fold"
    fi
    if record_torch; then
        size=$(($(stat -c %s $work/torch.data) / 1000000))
        row "stack dumps of a net in libtorch (C++, perf's 8 KB), $size MB: unwound (perf: its text)" \
            "perf script --no-inline -i $work/torch.data" "ff-read --threads 1 $work/torch.data"
        row "the same to folded text" \
            "perf script --no-inline -i $work/torch.data" \
            "ff-read --threads 1 $work/torch.data | ff-symbolize | ff-fold"
    fi
    if [ -d build/shared/usr ]; then
        row "gil-convoy-64k/dwarf.data, 3.4 MB, 149 MB unpacked: unwound" \
            "perf script --no-inline --symfs build/shared --kallsyms build/shared/kallsyms -i $shared/captures/gil-convoy-64k/dwarf.data" \
            "ff-read --no-live -s build/shared $shared/captures/gil-convoy-64k/dwarf.data"
        row "launch-queue/fp.data, 3.4 GB of (sparse) symbol files: to folded text" \
            "perf script --no-inline --symfs build/shared --kallsyms build/shared/kallsyms -i $shared/captures/launch-queue/fp.data" \
            "ff-read $shared/captures/launch-queue/fp.data | ff-symbolize --no-live -s build/shared | ff-fold"
    fi
    if [ "$(nproc)" -ge 2 ]; then
        echo
        echo "| input and task | one thread ÷ two | one | two |"
        echo "|---|---|---|---|"
        for name in dwarf torch; do
            [ -s $work/$name.data ] || continue
            row "$name.data, as above: unwound" "ff-read --threads 1 $work/$name.data" \
                "ff-read --threads 2 $work/$name.data"
        done
    fi
    echo
    text_rows
    echo
    sh tests/bench/texts.sh $work "$runs" || exit 1
    . tests/bench/pictures.sh
    pictures
    echo
    echo "Memory is to stay below the size of the input plus 100 MB."
    [ -s $work/torch.data ] || echo "libtorch is not installed here (TORCH=FOLDER): its rows are left out."
    echo
    browser_rows
    echo
    [ -s $work/fp.data ] || echo "perf could not record here: the first rows are left out."
    echo
    echo "The commands, peer first:"
    echo '```'
    cat $work/commands
    echo '```'
} >$work/benchmarks.md || exit 1
cp $work/benchmarks.md docs/benchmarks.md
cat docs/benchmarks.md
