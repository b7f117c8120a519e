#!/bin/bash
# test_endpoints.sh - tests of which endpoint and which software carry out a
# collective

. "$SRCDIR/tests/shell.sh"

# same NAME A B - checks that both are the same time
same() {
    [ -n "$2" ] && [ "$2" = "$3" ]
    report $? "$1: $2 and $3"
}

# differs NAME A B - checks that both are times, and not the same
differs() {
    [ -n "$2" ] && [ -n "$3" ] && [ "$2" != "$3" ]
    report $? "$1: $2 and $3"
}

cat >engine.yaml <<EOF
platform: {topology: $SRCDIR/configs/platforms/hgx-h100.yaml, npu: $SRCDIR/configs/npus/h100-sxm.yaml}
endpoint: {kind: ace, name: a, memory_bandwidth: 450 GB/s, sram: 32 MiB, uses_stack: false}
workload: {kind: collective, name: c, collective: all-reduce, payload: 64 MiB}
EOF
without=$(iteration_us engine.yaml)
same "no stack decides for an engine of its own" "$without" \
    "$(iteration_us engine.yaml --set stack='{kind: nccl}')"
differs "a stack decides for other endpoints" "$without" \
    "$(iteration_us engine.yaml --set stack='{kind: nccl}' \
        --set endpoint.uses_stack=true --set endpoint.sram='1 GiB')"

# Several endpoints of an NPU.  Their names are files in this folder.
echo '{kind: baseline, name: few, sms: 1, memory_bandwidth: 100 GB/s, only_while_communicating: true}' >few
echo '{kind: baseline, name: many, sms: 25 %, memory_bandwidth: 25 %, only_while_communicating: true}' >many
echo '{kind: copy-engine, name: copies, memory_bandwidth: 100 GB/s}' >copies
echo '{kind: ace, name: engine, uses_stack: false, only_while_communicating: true}' >engine
cat >model.yaml <<EOF
platform:
  topology: {kind: nested, count: 2, inner: {kind: switch, npus: 4, bandwidth: 100 GB/s, latency: 1 us, reduces: true, reduce_rate: 80 GB/s}, nics: 4, nic: {bandwidth: 63 GB/s, latency: 250 ns}, rails: true, outer: {kind: switch, bandwidth: 25 GB/s, latency: 1 us}}
  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS, hbm: {bandwidth: 900 GB/s}}
endpoints: {tp: few, dp: {reduce-scatter: engine, default: many}, default: copies}
workload:
  kind: transformer
  name: small
  model: {name: m, layers: 4, hidden: 256, heads: 8, ffn: 512, vocabulary: 1000}
  sequence: 256
  batch: {global: 16}
  parallel: {tp: 2, pp: 2}
  schedule: {kind: 1f1b}
training: {precision: bf16, gradient: fp32, optimiser: adam, iterations: 2}
EOF
sed 's/^endpoints:.*/endpoint: few/' model.yaml >single.yaml
several=$(iteration_us model.yaml)
single=$(iteration_us single.yaml)
differs "several endpoints differ from one" "$several" "$single"
same "all NPUs simulated: the same" "$several" "$(iteration_us model.yaml --fold=off)"
same "nothing skipped: the same" "$several" "$(iteration_us model.yaml --skip=off)"
same "what is skipped, checked: the same" "$several" "$(iteration_us model.yaml --skip=check)"
same "two threads: the same" "$several" "$(iteration_us model.yaml --fold=off --threads 2)"
same "with proof of all data: the same" "$several" "$(iteration_us model.yaml --verify)"
same "one endpoint for all axes is that endpoint" "$single" \
    "$(iteration_us model.yaml --set 'endpoints={tp: few, dp: few, pp: few, default: few}')"
same "one endpoint for all kinds of collectives is that endpoint" "$single" \
    "$(iteration_us single.yaml --set 'endpoint={kind: by-collective, message: few, default: few}')"
differs "an axis and kind has its endpoint" "$several" \
    "$(iteration_us model.yaml --set endpoints.dp.reduce-scatter=many)"
differs "a share is of the NPU" "$several" "$(iteration_us model.yaml --set endpoints.dp.default.sms='100 %')"

# refused NAME VALUE TEXT - checks that `endpoints: VALUE` is refused
refused() {
    says "$1" 1 "$3" run model.yaml --set "endpoints=$2"
}
with() {
    printf '%s (with --set endpoints=%s)' "$1" "$2"
}
refused "an axis without members" '{cp: few, default: few}' \
    "--set endpoints:1:6: cp: no collective of the workload is on this axis; those with collectives are: tp, pp, cp+dp"
refused "an unknown axis" '{xp: few, default: few}' "--set endpoints:1:2: unknown key 'xp'; did you mean 'tp'?"
refused "an unknown kind of collective" '{tp: {all-reduc: few, default: few}, default: few}' \
    "--set endpoints:1:7: unknown key 'all-reduc'; did you mean 'all-reduce'?"
refused "no default" '{tp: few}' "--set endpoints:1:1: missing key 'default' (endpoint for all other communicators)"
refused "an engine that cannot add" '{tp: copies, default: few}' \
    "$(with 'copies:1:1: sms: 0 cannot reduce, and reduce-scatter does here; give SMs for it (sms: 1), let a switch add (reduces: true there, algorithm: in-switch), or name the endpoint that reduces (kind: by-collective, reductions: ...)' '{tp: copies, default: few}')"
refused "two sets of copy engines" '{pp: copies, tp: {kind: copy-engine, name: others, sms: 1, memory_bandwidth: 1 GB/s}, default: few}' \
    "$(with "copies:1:1: endpoints 'others' and 'copies' are different sets of engines of kind copy-engine, of which an NPU has one; name the same endpoint for both" '{pp: copies, tp: {kind: copy-engine, name: others, sms: 1, memory_bandwidth: 1 GB/s}, default: few}')"
refused "auto among several" '{tp: {kind: baseline, sms: auto, memory_bandwidth: auto}, default: few}' \
    "--set endpoints:1:6: \`auto\` is for the only endpoint of a run; give numbers to each of several"
refused "switches without a stack" '{tp: {kind: ideal, algorithm: nvls}, default: few}' \
    "--set endpoints:1:31: algorithm: nvls is chosen by a library; it needs stack: nccl"
refused "a selection in a selection" '{tp: {kind: by-axis, default: few}, default: few}' \
    "--set endpoints:1:13: kind: unknown axis-endpoint 'by-axis'; known kinds: baseline, ace, copy-engine, host, ideal, by-collective, default"
says "both keys" 1 "--set endpoint:1:1: there are both 'endpoint' and 'endpoints': give one of them" \
    run model.yaml --set endpoint=few
says "switches for messages" 1 \
    "--set endpoints.pp:1:26: algorithm: message of 2 NPUs: NVLSTree carries out an all-reduce only; name another endpoint for it (kind: by-collective)" \
    run model.yaml --set 'endpoints.pp={kind: ideal, algorithm: nvls}' --set 'stack={kind: nccl}'

# Tokens that are sent once to a node, and two micro-batches side by side.
sed -e 's/^endpoints:.*/endpoint: {kind: ideal}/' -e 's/vocabulary: 1000/vocabulary: 1000, experts: {count: 8, per_token: 4, ffn: 512}/' \
    -e 's/tp: 2, pp: 2/ep: 8/' -e 's/kind: 1f1b/kind: file, units: ["F0 B0 F1 B1"]/' model.yaml >experts.yaml
each=$(iteration_us experts.yaml)
once=$(iteration_us experts.yaml --set workload.parallel.ep_copies=1)
pairs=$(iteration_us experts.yaml --set 'workload.schedule.units=["F0 F1+B0 B1"]')
awk -v a="$each" -v b="$once" 'BEGIN { exit !(a > b && b > 0) }'
report $? "tokens that are sent once take less: $each and $once"
same "four copies are one for each expert" "$each" "$(iteration_us experts.yaml --set workload.parallel.ep_copies=4)"
awk -v a="$each" -v b="$pairs" 'BEGIN { exit !(a > b && b > 0) }'
report $? "micro-batches side by side take less: $each and $pairs"

# Tokens are sent by node on two axes, which take the endpoint of ep unless they have their own.
by_node() {
    sed 's/^endpoint: .*//' experts.yaml >by-node.yaml
    echo "endpoints: $1" >>by-node.yaml
    iteration_us by-node.yaml --set 'workload.parallel={ep: 8, ep_local: 4}' --set training.memory=ignored "${@:2}"
}
ep=$(by_node '{ep: few, default: many}')
same "axes by node take the endpoint of ep" "$ep" "$(by_node '{ep_local: few, ep_nodes: few, default: many}')"
differs "an axis by node has its own endpoint" "$ep" "$(by_node '{ep_local: few, default: many}')"

# So do the axes of a sharding within groups.
in_groups() {
    by_node "$1" --set 'workload.shard={kind: hsdp, within: 4}'
}
dp=$(in_groups '{dp: few, default: many}')
same "axes of groups take the endpoint of dp" "$dp" \
    "$(in_groups '{dp_within: few, dp_across: few, default: many}')"
differs "an axis of groups has its own endpoint" "$dp" "$(in_groups '{dp_within: few, default: many}')"

# Copy engines send to each peer directly and not along the rings of a library, so a
# large all-gather takes no longer than with SMs (DMACOLL: 16 % less).
gather() {
    printf '%s\n' "platform: $SRCDIR/configs/platforms/hgx-h100.yaml" "endpoint: $SRCDIR/configs/endpoints/$1.yaml" \
        'stack: {kind: nccl}' "workload: $SRCDIR/configs/workloads/all-gather-64MiB.yaml" >gather.yaml
    iteration_us gather.yaml
}
for engine in nccl-ce nccl-ce-rma sdma-mi300x; do
    awk -v a="$(gather $engine)" -v b="$(gather nccl-16)" 'BEGIN { print a, b; exit !(a > 0.8 * b && a < 1.05 * b) }' >err
    report $? "a large all-gather by $engine takes as long as by SMs"
done

# The switch of a machine carries out the collectives of an axis.
cat >machine.yaml <<EOF
platform: {topology: $SRCDIR/configs/platforms/hgx-h100.yaml, npu: $SRCDIR/configs/npus/h100-sxm.yaml}
stack: {kind: nccl}
endpoint: $SRCDIR/configs/endpoints/nvls.yaml
workload: {kind: collective, name: c, collective: all-gather, payload: 64 MiB}
EOF
"$ACESIM" run machine.yaml >out 2>err
prints "an endpoint that demands NVLS has it for an all-gather" 'all-gather  *64 MiB  *1  *NVLS'
"$ACESIM" run machine.yaml --set endpoint.algorithm=auto >out 2>err
prints "NCCL takes a ring by itself" 'all-gather  *64 MiB  *1  *Ring'
cat >cluster.yaml <<EOF
platform:
  topology:
    kind: nested
    count: 2
    inner: $SRCDIR/configs/platforms/hgx-h100.yaml
    nics: 8
    nic: {bandwidth: 63 GB/s, latency: 250 ns}
    rails: true
    outer: {kind: switch, bandwidth: 50 GB/s, latency: 1 us, reduces: true}
  npu: $SRCDIR/configs/npus/h100-sxm.yaml
stack: {kind: nccl}
endpoint: $SRCDIR/configs/endpoints/sharp.yaml
workload: {kind: collective, name: c, collective: all-reduce, payload: 64 MiB}
EOF
"$ACESIM" run cluster.yaml >out 2>err
prints "the switches between machines add with sharp.yaml" 'all-reduce  *64 MiB  *1  *CollNet'
"$ACESIM" run cluster.yaml --set endpoint="$SRCDIR/configs/endpoints/engines-2026.yaml" \
    --set workload='{kind: transformer, name: t, model: {name: m, layers: 4, hidden: 1024, heads: 16, ffn: 2048, vocabulary: 1000}, sequence: 1024, batch: {global: 4}, parallel: {tp: 8, pp: 2}}' \
    --set training.precision=bf16 >out 2>err
prints "the engines of engines-2026.yaml run together: NVLS" 'all-gather .* NVLS'
prints "and copy engines" '^copy engines of copy-engines '
one=$(iteration_us machine.yaml --set endpoint.most_chunk='1 MiB' --set endpoint.most_chunks=1)
two=$(iteration_us machine.yaml --set endpoint.most_chunk='1 MiB' --set endpoint.most_chunks=2)
awk -v a="$one" -v b="$two" 'BEGIN { exit !(a > b && b > 0) }'
report $? "fewer flows take longer: $one and $two"

echo "1..$n"
