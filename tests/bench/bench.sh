#!/bin/sh
# bench.sh BUILD OUT GROWTH - acesim-bench, what the isca21 sweep takes as users
# run it, and what a message costs as systems grow, of every kind on every
# topology: seconds of the processor, and instructions
build=$1
out=$2
growth=$3
scratch=$(mktemp -d "${TMPDIR:-/tmp}/acesim-bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

"$build/acesim-bench" >"$out" || exit 1
# Seconds of the processor, of all its processes.
python3 -c '
import os, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,
               stderr=subprocess.DEVNULL)
t = os.times()
print("isca21-sweep,,,,,%.3f,,," % (t.children_user + t.children_system))
' "$build/acesim" sweep configs/sweeps/isca21.yaml -j "$(nproc)" --fresh \
    -o "$scratch/sweep" >>"$out" || exit 1
python3 tests/bench/growth.py "$build/acesim-bench" >"$growth" || exit 1
echo "wrote $out and $growth; compare with tests/bench/baseline.csv and" \
    "tests/bench/growth.csv"
