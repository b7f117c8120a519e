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
says 'a plan needs a line for so many NPUs' 1 \
    "--set training.exchange:1:25: by_npus: there is no line for 4 NPUs" \
    run run.yaml --set workload=layers.yaml --set \
    training.exchange='{kind: merged, by_npus: [{npus: 8, latency: 1 us, bandwidth: 1 GB/s}]}'
says 'and one line alone' 1 \
    "--set training.exchange:1:25: by_npus: there are two lines for 4 NPUs" \
    run run.yaml --set workload=layers.yaml --set \
    training.exchange='{kind: merged, by_npus: [{npus: 4, latency: 1 us, bandwidth: 1 GB/s}, {npus: 4, latency: 2 us, bandwidth: 1 GB/s}]}'

echo "1..$n"
