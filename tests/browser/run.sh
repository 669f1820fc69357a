#!/bin/sh
# The pictures in a browser: tests/browser/run.sh [PICTURES]. Skips, saying why, where chromium or python3 is
# missing. Prints "N passed, N failed, N skipped".
cd "$(dirname "$0")/../.." || exit 2
bin=${FF_BIN:-$PWD/build/release/bin}
pictures=${1:-}
PATH=$bin:$PATH
export PATH LC_ALL=C
for chromium in chromium chromium-browser google-chrome ""; do
    command -v "${chromium:-none}" >/dev/null && break
done
if [ -z "$chromium" ] || ! command -v python3 >/dev/null; then
    echo "skipped: browser: needs chromium and python3; sh scripts/setup.sh browser installs them" >&2
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

printf 'main;a;b 50\nmain;a;c 30\nmain;a;b;a 10\nother;b 10\n' >"$work/small.folded"
printf 'main;x 10\nmain;y 60\nmain;z 30\n' >"$work/order.folded"
printf 'main;b 90\nmain;c 10\n' >"$work/before.folded"
printf 'main;b 40\nmain;c 60\n' >"$work/after.folded"
for name in small order; do ff-svg --by none "$work/$name.folded" -o "$work/$name.svg"; done
# Of main;a;b the frame b was inferred.
printf 'main;a;bb 50\nmain;a;c 30\nmain;c 20\n' >"$work/how.folded"
ff-read "$work/how.folded" | awk -F '\t' -v OFS='\t' '$1 == "frame" && $9 == "bb" { $5 = "conditional" } { print }' >"$work/how.ff"
ff-svg --by none "$work/how.ff" -o "$work/how.svg"
(cd "$work" && ff-svg --by none --main after.folded before.folded after.folded -o two.svg 2>/dev/null)
# Names that would do harm if they were markup, script, or were believed to be short.
{
    cat tests/data/hostile.folded
    printf 'main;</script><script>window.pwned=1</script> 9\nmain;<img src=x onerror=window.pwned=1> 9\n'
    printf 'main;]]><svg onload=window.pwned=1> 9\nmain;</metadata><a href="javascript:window.pwned=1">x</a> 9\n'
    printf "main;\"'\`\${window.pwned=1} 9\nmain;CONTROL[31m\\377\\376 9\nmain;\\342\\200\\256evil\\342\\201\\246 9\n"
    printf 'main;%01000000d 9\n' 7
} >"$work/hostile.folded"
ff-read "$work/hostile.folded" | sed "s/CONTROL/$(printf '\\001\\033')/" >"$work/hostile.ff"
ff-svg --by none "$work/hostile.ff" -o "$work/hostile.svg"
flamefold --no-live examples/launch-queue -o "$work/out" >/dev/null 2>&1
cp "$work/out/flame.svg" "$work/launch.svg"
ff-timeline "$work/out/profile.ff" -o "$work/time.svg" 2>/dev/null
# What filters must give: sums of folded text, which knows nothing of pictures.
top() { # roots: the one with most samples, and how many
    ff-fold --by "$1" "$work/out/profile.ff" 2>/dev/null |
        awk '{ n = $NF; sub(/ [0-9]+$/, ""); split($0, part, ";"); sum[part[1]] += n }
            END { for (name in sum) if (sum[name] > most) { most = sum[name]; best = name } print best " " most }' |
        awk '{ n = $NF; sub(/ [0-9]+$/, ""); print $0 " " n }'
}
count() { ff-fold "$@" "$work/out/profile.ff" 2>/dev/null | awk '{ sum += $NF } END { print sum }'; }
grouped() { sed -e ':a' -e 's/\([0-9]\)\([0-9]\{3\}\)$/\1,\2/;ta'; }
{
    printf 'all\t%s\n' "$(count | grouped)"
    printf 'spy\t%s\n' "$(count --main spy.raw | grouped)"
    for key in thread role bucket; do printf '%s\t%s\n' $key "$(top $key | grouped)"; done
} >"$work/expected.txt"
[ -n "$pictures" ] && mkdir -p "$pictures"
timeout 300 python3 tests/browser/check.py "$(command -v "$chromium")" "$work" $pictures
