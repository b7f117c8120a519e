#!/bin/bash
# test_exchange.sh - every gradient exchange gives correct data, folded and in
# full
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

# gradients of some kilobytes, one layer with three tensors, and kernels of a
# similar duration
cat >layers.yaml <<'EOL'
kind: data-parallel
name: layers
batch: 2
layers:
  - {kind: linear, name: a, in: 30, out: 50}
  - {kind: counted, name: b, tensors: [9000, 300, 20], forward_flop: 9000000,
     sparse: [{rows: 7, values: 30}]}
  - {kind: linear, name: c, in: 50, out: 500}
EOL
cat >tables.yaml <<'EOL'
kind: dlrm
name: tables
batch: 2
embedding: {tables: 3, dimension: 8, lookups: 5}
bottom: [{name: bottom, in: 60, out: 90}, {name: bottom-last, in: 90, out: 8}]
top: [{name: top, in: 32, out: 100}]
EOL
small_run >run.yaml

# needs KIND - prints the settings without which a kind would have no effect
needs() {
    case $1 in
    layer | tensor | single) echo ;;
    groups) echo ', n: 3' ;;
    merged) echo ', latency: 2 us, bandwidth: 20 GB/s, least_values: 100' ;;
    fusion) echo ', buffer: 24 kB, cycle: 1 us, negotiation: 300 ns' ;;
    partition) echo ', bytes: 3 kB, credit: 6 kB' ;;
    sharded) return 1 ;; # see below
    *) return 1 ;; # parameter-server: see tests/models/run/test_parameter_server_runs.c
    esac
}

# run WORKLOAD EXCHANGE ARGS... - runs two iterations; each waits for all
# gradients of the one before
run() {
    local workload=$1 exchange=$2
    shift 2
    "$ACESIM" run run.yaml --set workload="$workload.yaml" \
        --set training.exchange="$exchange" --set training.synchronise=step \
        --set training.gradient=fp32 --set endpoint='{kind: ace}' "$@" \
        >out 2>err
}

"$ACESIM" list exchanges >list
"$ACESIM" list compressions >compressions
for kind in $(sed -n 's/^kind: \([a-z-]*\) .*/\1/p' list); do
    more=$(needs "$kind") || continue
    for workload in layers tables; do
        run $workload "{kind: $kind$more}" --verify --csv folded.csv
        prints "$workload, $kind: all data arrives" 'ended with the right data'
        run $workload "{kind: $kind$more}" --fold off --csv full.csv
        cut -d, -f1-5 folded.csv >a && cut -d, -f1-5 full.csv | cmp -s - a
        report $? "$workload, $kind: every NPU simulated, the same row"
    done
done

# ---- shardings -------------------------------------------------------------

# sharded WORKLOAD SHARD ARGS... - checks a sharding on all ranks: its data, and
# that one NPU of each class gives the row of all
sharded() {
    local workload=$1 shard=$2 exchange="{kind: sharded, shard: $2}"
    shift 2
    run $workload "$exchange" "$@" --verify --csv full.csv
    prints "$workload, $shard $*: all data arrives" \
        'ended with the right data'
    run $workload "$exchange" "$@" --fold require --csv folded.csv
    cut -d, -f1-5 folded.csv >a && cut -d, -f1-5 full.csv | cmp -s - a
    report $? "$workload, $shard $*: one NPU of each class, the same row"
}
"$ACESIM" list shardings >shardings
for kind in $(sed -n 's/^kind: \([a-z0-9-]*\) .*/\1/p' shardings); do
    within=
    [ "$kind" = hsdp ] && within=', within: 2'
    for overlap in true false; do
        shard="{kind: $kind, overlap: $overlap$within}"
        sharded layers "$shard"
        sharded layers "$shard" --set training.micro_batches=2 \
            --set training.recompute=true --set training.optimiser=lamb
        sharded tables "$shard"
        sharded tables "$shard" --set training.optimised=true
    done
done
sharded layers '{kind: fsdp, prefetch: 2}' --set training.synchronise=layer
sharded layers '{kind: zero-1, overlap: true, bucket: 1}' \
    --set training.synchronise=layer

# iteration_us SHARD - the time of an iteration, in $us
iteration_us() {
    run layers "{kind: sharded, shard: $1}" --csv row.csv
    us=$(awk -F, 'NR == 2 { print $4 }' row.csv)
}
iteration_us '{kind: fsdp, overlap: false}'
alone=$us
iteration_us '{kind: fsdp}'
echo "$us us, without overlap $alone us" >out
awk "BEGIN { exit !(0 < $us && $us < $alone) }"
report $? 'prefetching weights saves time'
says 'a sharding that is not there is refused' 1 \
    "--set training.exchange:1:31: kind: unknown sharding 'zero-4'; did you mean \
'zero-1'?" \
    run run.yaml --set workload=layers.yaml \
    --set training.exchange='{kind: sharded, shard: {kind: zero-4}}'
says 'and groups that do not divide the NPUs' 1 \
    "--set training.exchange:1:24: shard: hsdp: within 3 does not divide dp 4; \
use a divisor, such as the data-parallel ranks of a node" \
    run run.yaml --set workload=layers.yaml \
    --set training.exchange='{kind: sharded, shard: {kind: hsdp, within: 3}}'

for kind in layer single groups fusion partition; do
    run layers "{kind: $kind$(needs $kind), sparse: gather}" --verify
    prints "$kind: all rows arrive" 'ended with the right data'
done
for kind in $(sed -n 's/^kind: \([a-z-]*\) .*/\1/p' compressions); do
    for exchange in layer fusion; do
        run layers "{kind: $exchange, compression: {kind: $kind}}" --verify
        prints "$exchange, $kind: all data arrives" 'ended with the right data'
    done
done

# ---- errors of gradient exchanges -----------------------------------------

says 'a workload without gradients refuses an exchange' 1 \
    "--set training.exchange:1:8: kind: a workload of kind 'collective' has no \
gradients to exchange; leave 'training.exchange' out" \
    run run.yaml --set training.exchange='{kind: tensor}'
says 'and to wait for them' 1 \
    "run.yaml:6:18: kind: 'collective' has no gradients that an iteration could \
wait for; leave 'training.synchronise' out (with --set training.synchronise=step)" \
    run run.yaml --set training.synchronise=step
# The lines of by_npus for other numbers of NPUs than the 4 of run.yaml: halfway
# between two of them, beyond both, and from one alone.  The same plan must follow
# from the values that the note states.
by_npus='a plan from a line of another number of NPUs'
while IFS='|' read -r lines line note; do
    run layers "{kind: merged, by_npus: [$lines]}" --csv estimated.csv
    prints "$by_npus: it says so" "exchange.by_npus has no line for 4 NPUs: $note"
    run layers "{kind: merged, by_npus: [{npus: 4, $line}]}" --csv given.csv
    cut -d, -f1-5 estimated.csv >a && cut -d, -f1-5 given.csv | cmp -s - a
    report $? "$by_npus: the same plan as from a line of its own"
done <<'EOF'
{npus: 2, latency: 10 us, bandwidth: 2 GB/s}, {npus: 6, latency: 50 us, bandwidth: 1 GB/s}|latency: 30 us, bandwidth: 1.142857143 GB/s|30 us and 1.143 GB/s are interpolated between its lines for 2 and 6 NPUs
{npus: 3, latency: 20 us, bandwidth: 2 GB/s}, {npus: 2, latency: 10 us, bandwidth: 3 GB/s}|latency: 30 us, bandwidth: 1.714285714 GB/s|30 us and 1.714 GB/s are extrapolated from its lines for 2 and 3 NPUs
{npus: 2, latency: 10 us, bandwidth: 3 GB/s}, {npus: 3, latency: 5 us, bandwidth: 4 GB/s}|latency: 5 us, bandwidth: 4 GB/s|5 us and 4 GB/s are extrapolated from its lines for 2 and 3 NPUs
{npus: 8, latency: 7 us, bandwidth: 6 GB/s}|latency: 3 us, bandwidth: 7 GB/s|3 us and 7 GB/s are scaled as a ring from its line for 8 NPUs
EOF
says 'a plan needs a line for more than one NPU' 1 \
    "--set training.exchange:1:25: by_npus: no line is for more than one NPU, and there are 4" \
    run run.yaml --set workload=layers.yaml --set \
    training.exchange='{kind: merged, by_npus: [{npus: 1, latency: 1 us, bandwidth: 1 GB/s}]}'
says 'and one line alone' 1 \
    "--set training.exchange:1:25: by_npus: there are two lines for 4 NPUs" \
    run run.yaml --set workload=layers.yaml --set \
    training.exchange='{kind: merged, by_npus: [{npus: 4, latency: 1 us, bandwidth: 1 GB/s}, {npus: 4, latency: 2 us, bandwidth: 1 GB/s}]}'

echo "1..$n"
