#!/bin/sh
# test_soak.sh - a hundred random systems keep every invariant; make soak
# takes 2000.  A seed that fails says how to see it again.
echo 1..1
soak=$(dirname "$ACESIM")/acesim-soak
if "$soak" 1 100 >"$TMPDIR/said"; then
    echo "ok 1 - a hundred random systems keep every invariant"
else
    echo "not ok 1 - a hundred random systems keep every invariant"
    cat "$TMPDIR/said"
fi
