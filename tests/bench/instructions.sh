#!/bin/sh
# instructions.sh ACESIM [-u] - what one message hop costs, in instructions
#
# callgrind counts a run in full and one of half the payload; the difference
# over the difference in hops is what a hop costs, start-up left out.  The
# count repeats exactly on one machine and compiler, and hardly moves between
# machines.  More than 3 % over the recorded count is a failure; -u records.
acesim=$1
dir=$(dirname "$0")
recorded=$dir/instructions.txt
scratch=$(mktemp -d "${TMPDIR:-/tmp}/acesim-count.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

# Prints "instructions hops" of an all-reduce of $1 on 64 NPUs, all simulated.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
        "$acesim" run "$dir/hop.yaml" --set workload.payload="$1" \
        --fold=off --skip=off --per-link "$scratch/links.csv" \
        >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2 && return 1; }
    instructions=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/log")
    # Column n_messages, of one NPU among 64 that are alike.
    hops=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "n_messages")
                                  c = i }
                    NR > 1 { sum += $c } END { print sum * 64 }' \
        "$scratch/links.csv")
    echo "$instructions $hops"
}

small=$(count '2 MiB') && large=$(count '4 MiB') || exit 1
per_hop=$(echo "$small $large" | awk '{ printf "%.1f", ($3 - $1) / ($4 - $2) }')
if [ "$2" = -u ]; then
    echo "$per_hop" >"$recorded"
    echo "instructions per message hop: $per_hop, recorded"
    exit
fi
limit=$(awk '{ printf "%.1f", $1 * 1.03 }' "$recorded")
echo "instructions per message hop: $per_hop, at most $limit"
awk "BEGIN { exit !($per_hop <= $limit) }"
