#!/bin/sh
# flamefold on the real recording in examples/launch-queue; $1 is the folder of the tools.
cd "$(dirname "$0")/.." || exit 2
out=build/demo
"$1/flamefold" --no-live examples/launch-queue -o $out
status=$?
[ $status -le 1 ] || exit $status
echo
echo "The flame graph: $PWD/$out/flame.svg  (open it in a browser, or attach it to a bug report)"
echo "Folded stacks: $out/folded.txt   The whole profile, for the ff- tools: $out/profile.ff"
