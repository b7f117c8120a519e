#!/bin/sh
# bench.sh BUILD OUT - acesim-bench, then the isca21 sweep as users run it
build=$1
out=$2
scratch=$(mktemp -d "${TMPDIR:-/tmp}/acesim-bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

"$build/acesim-bench" >"$out" || exit 1
for i in 1 2 3; do
    "$build/acesim" sweep configs/sweeps/isca21.yaml -j "$(nproc)" --fresh \
        -o "$scratch/sweep" 2>/dev/null >&2 || exit 1
    sed -n 's/.*"wall_s": \([0-9.]*\).*/\1/p' "$scratch/sweep/info.json"
done | sort -n | head -n 1 >"$scratch/wall"
printf 'isca21-sweep,,,,%s,,,\n' "$(cat "$scratch/wall")" >>"$out"
echo "  isca21-sweep             $(cat "$scratch/wall") s on $(nproc) cores" >&2
echo "wrote $out; compare with tests/bench/baseline.csv"
