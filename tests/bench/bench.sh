#!/bin/sh
# bench.sh BUILD OUT GROWTH LANGUAGE LOAD - runs all benchmarks
#
# Measures acesim-bench, the isca21 sweep with the released program, and the
# cost of a message as systems grow, for every kind on every topology, and of
# loading long programs.  Units are processor seconds and instructions.
build=$1
out=$2
growth=$3
language=$4
load=$5
scratch=$(mktemp -d "${TMPDIR:-/tmp}/acesim-bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

"$build/acesim-bench" >"$out" || exit 1
# The function prints the processor seconds of the command and all its child
# processes.
python3 -c '
import os, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,
               stderr=subprocess.DEVNULL)
t = os.times()
print("isca21-sweep,,,,,%.3f,,," % (t.children_user + t.children_system))
' "$build/acesim" sweep configs/papers/ace/isca21.yaml -j "$(nproc)" --fresh \
    -o "$scratch/sweep" >>"$out" || exit 1
python3 tests/bench/growth.py "$build/acesim-bench" >"$growth" || exit 1
python3 tests/bench/language.py "$build/acesim" >"$language" || exit 1
python3 tests/bench/load.py "$build/acesim" >"$load" || exit 1
echo "wrote $out, $growth, $language and $load; compare with" \
    "tests/bench/baseline.csv, growth.csv, language.csv and load.csv there"
