#!/bin/sh
# instructions.sh BUILD [-u] - counts the instructions of a message hop, and of
# a micro-batch of language models, and the memory of an NPU
#
# For each case in hop/, callgrind counts a full run and one with half the
# payload (or half the outputs of the last layer).  The difference divided by
# the difference in hops is the cost of a hop without the start-up.
# `nccl-search` is the cost of NCCL's channel search in a run of nccl-ring, in
# thousands of instructions.  A micro-batch costs the difference of two runs with
# different batches, in thousands too: the expansion of the program, its checks,
# the run and the report.  `npu` is the memory of a simulated NPU in bytes: the
# difference of the largest resident sets of two all-reduces, on 32x32x32 and on
# 16x16x16, which varies by less than 1 %.  `ace-scatter` is the cost of an NPU
# of a scatter, whose root has a step for each NPU.  `load` and `loaded` are the
# cost and the memory of an operation of a program file that is loaded, from
# programs of 20,000 and 40,000 operations.  Counts repeat exactly on one machine
# with one compiler and differ little between machines.  More than 3 % above the
# recorded count, or 2 % above the recorded memory, is a failure; -u records new
# ones.
build=$1
dir=$(dirname "$0")
recorded=$dir/instructions.txt
scratch=$(mktemp -d "${TMPDIR:-/tmp}/acesim-count.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

# count FILE - prints "INSTRUCTIONS HOPS" of a run
count() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
        "$build/acesim" run "$1" --fold=off --skip=off >"$scratch/log" 2>&1 ||
        { cat "$scratch/log" >&2 && return 1; }
    instructions=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/log")
    echo "$instructions $("$build/acesim-bench" --run "$1" | cut -d, -f2)"
}

# per_hop CASE - prints "CASE INSTRUCTIONS" of one hop
per_hop() {
    sed "s/payload: 4 MiB/payload: 2 MiB/; s/out: 2048/out: 1024/
         s/payload: 256 MiB/payload: 128 MiB/
         s|\.\./\.\./\.\.|$PWD|" \
        "$dir/hop/$1.yaml" >"$scratch/half.yaml" || return 1
    half=$(count "$scratch/half.yaml") &&
        whole=$(count "$dir/hop/$1.yaml") || return 1
    echo "$half $whole" |
        awk -v c="$1" '{ printf "%s %.1f\n", c, ($3 - $1) / ($4 - $2) }'
}

# search - prints "nccl-search" and thousands of instructions
search() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
        --toggle-collect=nccl_search_channels "$build/acesim" run \
        "$dir/hop/nccl-ring.yaml" >"$scratch/log" 2>&1 ||
        { cat "$scratch/log" >&2 && return 1; }
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/log" |
        awk '$1 > 0 { printf "nccl-search %.1f\n", $1 / 1000 }'
}

# instructions_of_batch FILE GLOBAL - prints the instructions of a run
instructions_of_batch() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
        "$build/acesim" run "configs/runs/$1.yaml" \
        --set "workload.batch.global=$2" >"$scratch/log" 2>&1 ||
        { cat "$scratch/log" >&2 && return 1; }
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/log"
}

# per_micro_batch FILE RANKS N MORE - prints "FILE THOUSANDS" of a micro-batch,
# from batches of N and MORE on each of RANKS data-parallel ranks
per_micro_batch() {
    few=$(instructions_of_batch "$1" $(($2 * $3))) &&
        many=$(instructions_of_batch "$1" $(($2 * $4))) || return 1
    echo "$few $many" | awk -v c="$1" -v n=$(($4 - $3)) \
        '{ printf "%s %.1f\n", c, ($2 - $1) / n / 1000 }'
}

# peak_kib SIZE - prints the largest resident set of a cube of SIZE NPUs a side
peak_kib() {
    sed "s/size: 4/size: $1/; s/payload: 4 MiB/payload: 64 MiB/
         s/chunk: 64 KiB, message: 64 KiB/chunk: 64 MiB, message: 64 MiB/
         s|\.\./\.\./\.\.|$PWD|" \
        "$dir/hop/all-reduce.yaml" >"$scratch/cube.yaml" &&
        "$build/acesim-bench" --run "$scratch/cube.yaml" | cut -d, -f4
}

# npu - prints "npu" and bytes
npu() {
    few=$(peak_kib 16) && many=$(peak_kib 32) || return 1
    echo "$few $many" |
        awk '{ printf "npu %.1f\n", ($2 - $1) * 1024 / (32 ^ 3 - 16 ^ 3) }'
}

# scatter - prints "ace-scatter" and the instructions of each NPU of a scatter,
# from 256 and 512 NPUs
scatter() {
    for size in 4 8; do
        valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
            "$build/acesim" run "$dir/hop/ace-scatter.yaml" --csv - \
            --set "platform.topology.dims.2.size=$size" \
            2>"$scratch/log" >"$scratch/csv" ||
            { cat "$scratch/log" >&2 && return 1; }
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/log"
    done | awk '{ n[NR] = $1 }
        END { printf "ace-scatter %.1f\n", (n[2] - n[1]) / 256 }'
}

# load - prints "load" and the instructions of an operation, and "loaded" and
# its bytes
load() {
    for n in 20000 40000; do
        python3 "$dir/load.py" --program $n >"$scratch/program.yaml" || return 1
        valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
            "$build/acesim" check "$scratch/program.yaml" \
            >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2 && return 1; }
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/log"
        python3 "$dir/load.py" --peak "$build/acesim" "$scratch/program.yaml" ||
            return 1
    done | awk '{ n[NR] = $1 }
        END { printf "load %.1f\nloaded %.1f\n",
                  (n[3] - n[1]) / 20000, (n[4] - n[2]) * 1024 / 20000 }'
}

for case in all-reduce all-to-all ace switch nccl-ring nccl-tree; do
    per_hop $case || exit 1
done >"$scratch/now" || exit 1
{
    search && per_micro_batch gpt3-1024 8 16 32 &&
        per_micro_batch llama-405b-1024 8 8 16 &&
        per_micro_batch mixtral-64 32 1 4 &&
        per_micro_batch llama-70b-64 4 4 8 && npu && scatter && load
} >>"$scratch/now" || exit 1
if [ "$2" = -u ]; then
    cp "$scratch/now" "$recorded" && cat "$recorded"
    exit
fi
awk 'BEGIN {
         of["npu"] = "bytes per NPU"
         of["ace-scatter"] = "instructions per NPU"
         of["load"] = "instructions per operation"
         of["loaded"] = "bytes per operation"
     }
     NR == FNR { most[$1] = $2 * (of[$1] ~ /^bytes/ ? 1.02 : 1.03); next }
     {
         what = "instructions " (FNR <= 6 ? "per message hop" : "in thousands" \
             (FNR > 7 ? " per micro-batch" : ""))
         what = $1 in of ? of[$1] : what
     }
     { printf "%s, %s: %.1f, at most %.1f\n", what, $1, $2, most[$1]
       if (!($1 in most) || $2 > most[$1]) fails = 1 }
     END { exit fails }' "$recorded" "$scratch/now"
