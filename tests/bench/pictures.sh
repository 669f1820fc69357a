#!/bin/sh
# Rows of docs/benchmarks.md: folded text to a flame graph, beside flamegraph.pl and inferno-flamegraph;
# run.sh reads this file and gives `row`, $work and $shared. Rows of a peer that is not here are left out.
pictures() {
    folded=$work/pictures.folded corpus=$shared/corpora/folding/flamegraph/expected/perf-vertx-stacks-01-all.txt
    [ -s "$corpus" ] || { echo "The folded corpus is not here: no pictures are compared."; return 0; }
    # 200 processes of one corpus, sorted as collapsers write: 53 MB, 39,800 stacks of 34 frames.
    [ -s "$folded" ] || for i in $(seq 101 300); do sed "s/^/r$i;/" "$corpus"; done >"$folded"
    echo
    echo "Pictures of $(($(stat -c %s "$folded") / 1000000)) MB of folded text; \`--compat=perl\` draws the boxes of flamegraph.pl, without it"
    echo "the picture holds the whole profile too."
    echo
    echo "| picture | peer ÷ ours | peer | ours |"
    echo "|---|---|---|---|"
    peer=$shared/peers/FlameGraph/flamegraph.pl
    if command -v perl >/dev/null && [ -s "$peer" ]; then
        row "flamegraph.pl: \`--compat=perl\`" "perl $peer $folded" "ff-svg --compat=perl $folded"
        row "flamegraph.pl: ff-svg" "perl $peer $folded" "ff-svg $folded"
    else
        echo "| flamegraph.pl is not here | | | |"
    fi
    if command -v inferno-flamegraph >/dev/null; then
        row "inferno-flamegraph: \`--compat=perl\`" "inferno-flamegraph $folded" "ff-svg --compat=perl $folded"
        row "inferno-flamegraph: ff-svg" "inferno-flamegraph $folded" "ff-svg $folded"
    else
        echo "| inferno-flamegraph is not here: \`cargo install inferno\` | | | |"
    fi
}
