#!/bin/bash
# test_ideal_bound.sh - the endpoint `ideal` is a bound: with the same software no
# endpoint is more than 1 % faster
#
# Draws small language models, machines and plans by ACESIM_SEED.  ACESIM_BOUND_CASES
# is their number, 4 if it is not set.  An endpoint that no stack drives is compared
# with an ideal one that no stack drives, and one whose copies no stack drives with
# an ideal one whose copies none drives.
#
# The chunk is given, or chosen in the cases after them.  With a given chunk the
# bound holds in cases 1 to 72 of seed 1.  A chosen cut depends on the endpoint and
# is rehearsed for a collective alone, so another endpoint may choose one that is
# better beside other collectives.  Of 132 cases drawn with
# ACESIM_BOUND_CHUNK=auto (1 to 72 of seed 1, 1 to 60 of seed 2), ideal is more than
# 1 % slower than ACE in two: 1.4 % in case 7 and 1.3 % in case 21 of seed 2.  In case
# 7 ideal has all chunks of the gradients in flight at once and ACE has 8, so messages
# between stages wait longer behind messages that are already queued.

. "$SRCDIR/tests/shell.sh"

seed=${ACESIM_SEED:-1}
cases=${ACESIM_BOUND_CASES:-4}
endpoints=$SRCDIR/configs/endpoints

# draw CASE NAME WORDS... - prints one of the words, the same for equal arguments
draw() {
    local at
    at=$(printf '%s %s %s' "$seed" "$1" "$2" | cksum | cut -d' ' -f1)
    shift 2
    shift $((at / 7 % $#))
    echo "$1"
}

# run_file CASE - prints a run; its endpoint is set later
run_file() {
    local c=$1 per_node nodes tp pp experts ep npus batch
    per_node=$(draw $c per_node 4 8)
    nodes=$(draw $c nodes 2 4)
    tp=$(draw $c tp 1 2 4)
    pp=$(draw $c pp 1 2)
    npus=$((per_node * nodes))
    experts=$(draw $c experts no yes)
    ep=1
    [ $experts = no ] || ep=$(draw $c ep 2 4)
    [ $((tp * pp * ep)) -le $npus ] || ep=1
    batch=$((npus / tp / pp * $(draw $c batch 4 8)))
    cat <<EOF
platform:
  topology:
    kind: nested
    count: $nodes
    inner: {kind: switch, npus: $per_node, bandwidth: $(draw $c near 100 200 400) GB/s, latency: $(draw $c latency 300 1000) ns}
    nics: $per_node
    nic: {bandwidth: 63 GB/s, latency: 250 ns}
    rails: $(draw $c rails true false)
    outer: {kind: switch, bandwidth: $(draw $c far 12.5 25 50) GB/s, latency: $(draw $c far_latency 1 3) us}
  npu: $SRCDIR/configs/npus/$(draw $c npu h100-sxm a100-80gb b200).yaml
endpoint: {kind: ideal}
stack: {kind: $(draw $c stack none nccl)}
collectives: {chunk: $chunk}
workload:
  kind: transformer
  name: drawn
  model:
    name: m
    layers: $((pp * $(draw $c layers 1 2)))
    hidden: $(draw $c hidden 1024 4096)
    heads: 32
    ffn: $(draw $c ffn 4096 8192)
    vocabulary: 32000
    experts: {count: $([ $experts = yes ] && echo 8 || echo 0), per_token: $([ $experts = yes ] && echo 2 || echo 0), ffn: $([ $experts = yes ] && echo 1024 || echo 0)}
  sequence: $(draw $c sequence 1024 4096)
  batch: {global: $batch}
  parallel: {tp: $tp, pp: $pp, ep: $ep, tp_pieces: $([ $tp -gt 1 ] && draw $c pieces 1 4 || echo 1)}
  schedule: {kind: $(draw $c schedule gpipe 1f1b zb-h1)}
  shard: {kind: $(draw $c shard replicated zero-1 zero-2), overlap: $(draw $c overlap true false)}
training: {precision: bf16, gradient: fp32, optimiser: adam, iterations: 1, memory: ignored}
EOF
}

# iteration_us ENDPOINT - prints the time of run.yaml with ENDPOINT
iteration_us() {
    "$ACESIM" run run.yaml --set "endpoint=$1" --json >out 2>err || return 1
    sed -n 's/.*"iteration_time_us": *\([0-9.]*\).*/\1/p' out
}

# check_bound CASE - compares the endpoints of a case
check_bound() {
    local c=$1
    run_file $c >run.yaml
    : >worse
    # The software: the stack's, that of engines of their own, or both.
    for software in stack own both; do
        case $software in
        stack) ideal='{kind: ideal, uses_stack: true}' ;;
        own) ideal='{kind: ideal, uses_stack: false}' ;;
        both) ideal='{kind: by-collective, name: ideal, default: {kind: ideal, name: copies, uses_stack: false},
            reductions: {kind: ideal, name: sums, uses_stack: true}}' ;;
        esac
        ideal=$(iteration_us "$ideal")
        [ -n "$ideal" ] || cat err >>worse
        case $software in
        stack) set -- "$endpoints/nccl-24.yaml" \
            '{kind: baseline, sms: 4, memory_bandwidth: 30 %, only_while_communicating: true}' ;;
        own) set -- "$endpoints/nccl-symmetric.yaml" "$endpoints/ace-450.yaml" ;;
        both) set -- "$endpoints/nccl-ce.yaml" ;;
        esac
        for e; do
            time=$(iteration_us "$e")
            [ -n "$time" ] || cat err >>worse
            awk -v a="$ideal" -v b="$time" \
                'BEGIN { exit !(a > b * 1.01) }' &&
                echo "ideal $ideal, $e $time" >>worse
        done
    done
    [ ! -s worse ]
    status=$?
    cat run.yaml worse >out
    report $status "ideal is a bound in case $c of seed $seed, chunk $chunk"
}

chunk=${ACESIM_BOUND_CHUNK:-1 MiB}
for ((c = 1; c <= cases; c++)); do
    check_bound $c
done

# With a window of three times what fills the pipeline, gradients waited for
# all-to-alls while NICs were idle: ideal took 20.6 ms, and ACE 19.8.
if [ -z "$ACESIM_BOUND_CHUNK" ]; then
    seed=1
    chunk=auto
    check_bound 12
fi
echo "1..$n"
