#!/bin/sh
# Rows of the benchmark for py-spy's files and folded text, which have no peer here: $1 is the folder to
# work in, $2 the number of runs. Inputs are made from the shared captures: their lines and events over
# and over, each time with other line numbers, depths and times, so that stacks differ.
work=$1
runs=$2
captures=${FF_SHARED:-../shared}/captures
raw=$captures/gil-convoy-64k/spy-native.raw
trace=$captures/gil-convoy/both.chrometrace.json
[ -r "$raw" ] && [ -r "$trace" ] || { echo "The shared captures are not here: no rows for py-spy's files."; exit 0; }

# Copy K drops up to three of the innermost frames and counts K on the line of the last one left.
[ -s "$work/big.raw" ] || awk '{ lines[NR] = $0 } END {
    for (size = 0; size < 200000000; k++)
        for (i = 1; i <= NR && size < 200000000; i++) {
            line = lines[i]; sub(/ [0-9]+$/, "", line)
            for (cut = (k + i) % 4; cut > 0 && match(line, /;[^;]*$/) > 300; cut--)
                line = substr(line, 1, RSTART - 1)
            if (match(line, /:[0-9]+\)$/))
                line = substr(line, 1, RSTART) (substr(line, RSTART + 1) + k % 50) ")"
            line = line " " 1 + k % 7
            size += length(line) + 1; print line
        } }' "$raw" >"$work/big.raw"
[ -s "$work/big.folded" ] || sed 's/ ([^();]*)\([; ]\)/\1/g' "$work/big.raw" | head -c 100000000 |
    sed '$d' >"$work/big.folded"
[ -s "$work/big.chrometrace.json" ] || sed 's/^\[//; s/\]$//; s/},{"args/}\n{"args/g' "$trace" | awk '
    { lines[NR] = $0 } END {
    printf "["
    for (size = 0; size < 100000000; offset += 7000000)
        for (i = 1; i <= NR; i++) {
            line = lines[i]; match(line, /[0-9]+}$/)
            line = (size ? "," : "") substr(line, 1, RSTART - 1) \
                sprintf("%d}", substr(line, RSTART) + offset)
            size += length(line); printf "%s", line
        }
    print "]" }' >"$work/big.chrometrace.json"

echo "| input | size | time | MB/s | memory |"
echo "|---|---|---|---|---|"
for name in raw folded chrometrace.json; do
    file=$work/big.$name
    set -- $("$work/measure" "$runs" "ff-read $file")
    [ $# -eq 2 ] || { echo "bench: a command failed: ff-read $file" >&2; exit 1; }
    awk -v name="$name" -v size="$(stat -c %s "$file")" -v time="$1" -v memory="$2" 'BEGIN {
        printf "| %s | %.0f MB | %s s | %.0f | %s MB |\n",
            name == "raw" ? "py-spy raw, native" : name == "folded" ? "folded text" : "chrometrace",
            size / 1e6, time, size / 1e6 / time, memory }'
done
