#!/bin/bash
# test_replay.sh - a timeline that is imported and replayed equals the original
# run
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

configs=$SRCDIR/configs

# iteration FILE OPTIONS... - prints the iteration time of a run, in picoseconds
iteration() {
    "$ACESIM" run "$@" --json | sed -n 's/.*"iteration_time_us": 0*\([0-9]*\)\.\([0-9]*\).*/\1\2/p' |
        sed 's/^0*//'
}

# are_near A B - true if both exist and differ by less than a microsecond
are_near() {
    [ -n "$1" ] && [ -n "$2" ] &&
        [ $(($1 - $2)) -lt 1000000 ] && [ $(($2 - $1)) -lt 1000000 ]
}

half='perturb.ops=[{match: "*", kind: kernel, time_factor: 50 %}]'

# replays FILE NAME - replays a run file whose `workload` and `training` are on
# one line each; slowdowns of NPUs are contained in the imported times
replays() {
    "$ACESIM" run "$1" --timeline "$2.json" --timeline-npus all \
        --timeline-events 9000000 >log 2>&1 &&
        "$ACESIM" import "$2.json" -o "$2.yaml" >log 2>&1 ||
        { cat log && return 1; }
    sed -e "s#^workload:.*#workload: $PWD/$2.yaml#" \
        -e 's#^training:.*#training: {iterations: 1, compute: measured}#' \
        -e '/^perturb:/d' "$1" >"$2-again.yaml"
    are_near "$(iteration "$1")" "$(iteration "$2-again.yaml")"
    report $? "$2: the same iteration"
    are_near "$(iteration "$1")" \
        "$(iteration "$2-again.yaml" --set training.communication=recorded)"
    report $? "$2: the same with communication as it took"
    are_near "$(iteration "$1" --set "$half")" \
        "$(iteration "$2-again.yaml" --set "$half")"
    report $? "$2: kernels scaled in it are kernels scaled in the run"
}

cat >torus-run.yaml <<EOL
platform: $configs/platforms/ace-4x2x2.yaml
endpoint: $configs/endpoints/ace.yaml
workload: $configs/workloads/resnet50.yaml
training: {iterations: 1, compute: measured}
EOL
cat >switch-run.yaml <<EOL
platform:
  name: switch-4
  topology: {kind: switch, npus: 4, bandwidth: 25 GB/s, latency: 1 us}
  npu: {sms: 80, clock: 1245 MHz, flops: 120 TFLOPS, hbm: {bandwidth: 900 GB/s}}
endpoint: {kind: ideal}
workload: $configs/workloads/resnet50.yaml
perturb: {npus: [{npu: 1, time_factor: 130 %}]}
training: {iterations: 1, compute: measured}
EOL
sed -e 's#^perturb:.*##' -e 's#^workload:.*#workload: '"$configs"'/workloads/vgg-16.yaml#' \
    -e 's#^training:.*#training: {iterations: 1, optimiser: none, precision: fp32, gradient: fp32, exchange: {kind: parameter-server, servers: {size: 4, at: 3}, placement: greedy, pull: step}}#' \
    switch-run.yaml >servers-run.yaml

replays torus-run.yaml torus
replays switch-run.yaml switch
replays servers-run.yaml servers

# Perfetto and JSON timelines contain the same data, so both give the same
# program.
"$ACESIM" run torus-run.yaml --timeline torus.pftrace.gz --timeline-npus all \
    >log 2>&1 && "$ACESIM" import torus.pftrace.gz -o packed.yaml >log 2>&1 &&
    sed 's/torus\.pftrace\.gz/torus.json/' packed.yaml | cmp - torus.yaml >>log
report $? 'of either form of a timeline comes the same program'
"$ACESIM" run switch-run.yaml --timeline one.pftrace >log 2>&1
says 'in either form one NPU of several is none' 1 \
    'one.pftrace: the timeline is of 1 of 4 NPUs; write one by --timeline-npus=all' \
    import one.pftrace -o one.yaml
"$ACESIM" run switch-run.yaml --timeline one.json >log 2>&1
says 'a timeline of one NPU of several is no program' 1 \
    'one.json:1:1: the timeline is of 1 of 4 NPUs; write one by --timeline-npus=all' \
    import one.json -o one.yaml
[ ! -e one.yaml ]
report $? 'and nothing is written'

# A recording shown beside the NPUs must not become part of the imported
# program.
"$ACESIM" import "$SRCDIR/tests/samples/kineto-nccl-metadata-2gpu.json.gz" \
    -o two.yaml --run-file two-run.yaml >log 2>&1
"$ACESIM" run two-run.yaml --fold=off --timeline two.pftrace.gz -q \
    --timeline-npus all >log 2>&1 &&
    "$ACESIM" import two.pftrace.gz -o alone.yaml >log 2>&1 &&
    "$ACESIM" run two-run.yaml --fold=off --timeline two.pftrace.gz -q \
        --timeline-npus all --beside \
        "$SRCDIR/tests/samples/kineto-nccl-metadata-2gpu.json.gz" >log 2>&1 &&
    "$ACESIM" import two.pftrace.gz -o beside.yaml >log 2>&1 &&
    cmp alone.yaml beside.yaml >>log
report $? 'a timeline beside a recording makes the same program'

echo "1..$n"
