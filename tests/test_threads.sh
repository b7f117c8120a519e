#!/bin/bash
# test_threads.sh - runs with several threads equal runs with one
. "$SRCDIR/tests/shell.sh"
: >out
: >err

cat >late.yaml <<END
platform:
  topology: {kind: torus, dims: [
    {size: 4, links: 2, bandwidth: 200 GB/s, latency: 72 ns},
    {size: 4, links: 2, bandwidth: 25 GB/s, latency: 400 ns}]}
  npu: $SRCDIR/configs/npus/ace-v100-like.yaml
endpoint: {kind: ace}
workload: {kind: data-parallel, name: w, batch: 8, layers: [
  {kind: linear, name: a, in: 512, out: 1024},
  {kind: linear, name: b, in: 1024, out: 512}]}
training: {iterations: 2}
perturb: {npus: [{npu: 3, time_factor: 1.2}]}
END

# rows NAME ARGS... - writes all rows and the JSON of late.yaml
rows() {
    local name=$1
    shift
    "$ACESIM" run late.yaml --csv $name.csv --per-layer $name-layers.csv \
        --per-link $name-links.csv -q "$@" >out 2>err &&
        "$ACESIM" run late.yaml --json "$@" >$name.json 2>err
}

rows one --threads 1
report $? 'a run by one thread'
for threads in 2 3; do
    rows some --threads $threads &&
        for file in .csv -layers.csv -links.csv .json; do
            cmp one$file some$file || exit 1
        done >out 2>&1
    report $? "by $threads its rows are the same bytes"
done

"$ACESIM" run late.yaml --threads 2 >out 2>err
prints 'the summary says by how many' '; 2 threads$'
"$ACESIM" run late.yaml >out 2>err
! grep -q 'threads' out
report $? 'a small run is made by one if nobody says'
"$ACESIM" run late.yaml --threads 2 --critical-path >out 2>err &&
    ! grep -q ' by 2 threads' out
report $? 'and one that is listened to, whatever is said'

for said in 0 65 two ''; do
    says "as many threads as '$said' there are not" 2 \
        "--threads: expected auto or 1 to 64, got '$said'
try: acesim run --help" run late.yaml --threads "$said"
done

# The times exceed the range of 64 bits, so a run with one thread reports the
# error.
says 'why it does not end is told as by one' 1 \
    "$("$ACESIM" run late.yaml --threads 1 --set training.iterations=1000000 \
        --set perturb.npus.0.time_factor=100000 2>&1 >/dev/null)" \
    run late.yaml --threads 2 --set training.iterations=1000000 \
    --set perturb.npus.0.time_factor=100000

echo "1..$n"
