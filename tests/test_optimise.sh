#!/bin/bash
# test_optimise.sh - tests of `acesim optimise`: results, resuming and errors

. "$SRCDIR/tests/shell.sh"

cat >run.yaml <<EOF
platform:
  name: four
  topology: {kind: switch, npus: 4, bandwidth: 1 GB/s, latency: 20 us}
  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS, hbm: {bandwidth: 900 GB/s}}
endpoint: {kind: ideal, name: i}
workload:
  kind: data-parallel
  name: three
  batch: 1
  samples_per_s: 1000
  layers:
    - {kind: counted, name: a, tensors: [1000], forward_flop: 1000000, activations: 1}
    - {kind: counted, name: b, tensors: [90000], forward_flop: 1000000, activations: 1}
    - {kind: counted, name: c, tensors: [500], forward_flop: 1000000, activations: 1}
training: {iterations: 1, compute: measured, synchronise: step, exchange: {kind: tensor}}
EOF
cat >sweep.yaml <<EOF
base: run.yaml
axes:
  - training.exchange: [{kind: single}, {kind: tensor}]
EOF

# time_of FILE - prints the iteration time of a run, in microseconds
time_of() {
    "$ACESIM" run "$1" --csv - |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
            NR == 2 { print $c }' name=iteration_time_us
}

# least FILE - prints the shortest time in the last row of a search
least() {
    awk -F, 'END { print $4 }' "$1"
}

mkdir far
says 'what is best is written' 0 'wrote far/best.yaml' optimise run.yaml \
    --evaluations 60 -j1 --csv one.csv -o far/best.yaml
prints 'and said' '^best .* times as fast'
cp out one.out
grep -q ",$(time_of far/best.yaml)," one.csv
report $? 'a run of it takes what was found, to the picosecond'
awk -v a="$(time_of run.yaml)" -v b="$(time_of far/best.yaml)" \
    -v least="$(least one.csv)" 'BEGIN { exit !(b < a && b < 1.0006 * least) }'
report $? 'it is faster than the default'

says 'two at a time end the same' 0 '' optimise run.yaml --evaluations 60 \
    -j2 --csv two.csv
cmp -s one.csv two.csv && cmp -s out one.out
report $? 'to the byte'
few=(--moves algorithm --evaluations 30)
says 'a seed' 0 '' optimise run.yaml "${few[@]}" --seed 1 --csv three.csv
says 'and another' 0 '' optimise run.yaml "${few[@]}" --seed 2 --csv other.csv
! cmp -s three.csv other.csv
report $? 'make other proposals'

says 'a search is kept' 0 '' optimise run.yaml --evaluations 20 --resume kept
says 'one that goes on' 0 '' optimise run.yaml --evaluations 60 --resume kept \
    --csv four.csv
cmp -s one.csv four.csv
report $? 'ends as one in one go'
prints 'and says what it did not run again' 'known from before'
echo 'a letter' >letter
says 'no file is lost to a journal' 1 \
    '--resume: letter is there, and no journal of a search' optimise \
    run.yaml --resume letter

says 'a point of a sweep' 0 '' optimise sweep.yaml --point 2 --evaluations 60 \
    --csv five.csv
cmp -s one.csv five.csv
report $? 'is a run like others'
says 'a sweep needs one' 1 \
    'sweep.yaml: a sweep of 2 points; --point 1 to 2 takes one' optimise \
    sweep.yaml
says 'and a run has none' 1 \
    'run.yaml: --point is of a sweep, and this is a run' optimise run.yaml \
    --point 1
says 'standard input is read but once' 1 \
    'standard input cannot be read for each of many runs' optimise -
says 'a move that there is not' 2 \
    "--moves: no move 'group'; did you mean 'groups'?
try: acesim optimise --help" optimise run.yaml --moves fusion,group
says 'no evaluations' 2 '--evaluations: expected 1 to 1000000
try: acesim optimise --help' optimise run.yaml --evaluations 0
says 'memory is a bound' 1 'a rank needs 366006 B of its memory, and has 1000 B' \
    optimise run.yaml --memory '1000 B'

# The default does not fit the memory and has no time, so there is no speedup
# over it.
sed 's/batch: 1$/batch: 64/; s/activations: 1}/activations: 100000}/' run.yaml \
    >large.yaml
says 'it begins with what fits' 0 '' optimise large.yaml --memory '30 MB' \
    --evaluations 20
prints 'the default has no time' '^default  cannot be run: a rank needs'
prints 'and nothing a speedup over it' '^accumulate .* ms  *-  cannot be run'

says 'the best goes to standard output, too' 0 '' optimise run.yaml \
    --moves order --evaluations 3 -o -
prints 'as a run file' '^platform:'

# The help of the command lists all moves.
"$ACESIM" optimise --help >out
sed -n 's/^    \.name = "\(.*\)",$/\1/p' \
    "$SRCDIR"/sim/study/optimise/moves/*.c >names
missing=$(while read -r name; do
    grep -q "^  $name " out || echo "$name"
done <names)
[ -s names ] && [ -z "$missing" ]
report $? "all moves are told of $missing"

# The signal interrupts the search.
"$ACESIM" optimise run.yaml --evaluations 100000 --resume stopped >out 2>err &
pid=$!
for ((i = 0; i < 100; i++)); do
    [ -s stopped ] && [ "$(wc -c <stopped)" -gt 2000 ] && break
    sleep 0.05
done
kill -INT $pid
wait $pid
status=$?
# A search that ended before the signal has status 0.
[ $status = 130 ] || [ $status = 0 ]
report $? "^C ends it, with status $status"
prints 'and what was found is said' '^best'

"$ACESIM" optimise run.yaml --set training.exchange='{kind: sharded}' \
    --csv sharded.csv >out 2>err &&
    [ "$(wc -l <sharded.csv)" -gt 2 ] &&
    ! grep -q 'kind: \(groups\|fusion\|partition\)' sharded.csv
report $? 'a sharding is kept, since a rank may have no memory without it'

echo "1..$n"
