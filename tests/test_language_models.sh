#!/bin/bash
# test_language_models.sh - precisions, host and overlap of language models, as a
# user meets them
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

cat >run.yaml <<EOF
platform: {name: p, topology: {kind: switch, npus: 4, links: 1, bandwidth: 100 GB/s, latency: 1 us}, npu: $SRCDIR/configs/npus/h100-sxm.yaml}
endpoint: {kind: baseline, sms: 8, memory_bandwidth: 20 %, only_while_communicating: true}
workload:
  kind: transformer
  model: {name: small, layers: 4, hidden: 4096, heads: 32, ffn: 16384, vocabulary: 32000}
  sequence: 2048
  batch: {global: 4}
  parallel: {tp: 4}
training: {precision: bf16, optimiser: adam, iterations: 1}
EOF

# step OPTION... - prints the iteration time in us
step() {
    "$ACESIM" run run.yaml -q --csv run.csv "$@" 2>err || cat err >&2
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "iteration_time_us") c = i }
             NR == 2 { print $c }' run.csv
}

# orders NAME A B... - checks that the numbers increase
orders() {
    local name=$1
    shift
    printf '%s\n' "$@" >out
    sort -gCu out
    report $? "$name"
}

for npu in "$SRCDIR"/configs/npus/language/*.yaml; do
    "$ACESIM" check "$npu" >out 2>err || break
done
report $? 'each file of configs/npus/language is right'

orders 'fp8 is faster than bf16' \
    "$(step --set training.products=fp8)" "$(step)"
orders 'a collective beside products is faster than alone' \
    "$(step --set workload.parallel.tp_pieces=4)" "$(step)"
orders 'a host that launches slowly holds up the NPU' "$(step)" \
    "$(step --set 'workload.host={forward: 20 ms, backward: 40 ms}')"
orders 'a host that synchronises is slower than one that runs ahead' \
    "$(step --set 'workload.host={forward: 2 ms, backward: 4 ms}')" \
    "$(step --set 'workload.host={forward: 2 ms, backward: 4 ms, synchronises: true}')"
a=$(step)
b=$(step --set 'workload.host={step: 5 ms}')
echo "$a $b" >err
awk '{ exit !($2 - $1 > 4999.9 && $2 - $1 < 5000.1) }' err
report $? 'the time of a step adds up'
orders 'elementwise kernels that move more take longer' "$(step)" \
    "$(step --set 'workload.elementwise=200 %')"
orders 'scores in memory take longer' "$(step)" \
    "$(step --set workload.attention=unfused --set workload.recompute=none)"

says 'a precision that the NPU lacks is refused, with its place' 1 \
    "--set training.products:1:1: products: the NPU has no peak of nvfp4; choose a \
precision that it has, or give it 'platform.npu.language.nvfp4.flops'" \
    run run.yaml --set training.products=nvfp4

cat >sweep.yaml <<EOF
base: run.yaml
axes:
  - training.products: [training, fp8]
EOF
"$ACESIM" sweep sweep.yaml -o swept >out 2>err &&
    [ "$(grep -c ',ok$' swept/runs.csv)" = 2 ]
report $? 'a sweep over a language model runs'

# With 16 SMs, collectives beside products are fast enough, and products have 8
# SMs more than beside the 24 of NCCL's kernels.
wide=(--set platform="$SRCDIR/configs/platforms/hgx-h100.yaml" --set stack=nccl
    --set 'workload.model={name: wide, layers: 4, hidden: 16384, heads: 128, kv_heads: 8, ffn: 53248, vocabulary: 8000}'
    --set workload.sequence=8192 --set workload.batch.global=1 --set workload.recompute=full
    --set 'workload.parallel={tp: 8, tp_pieces: 4}' --set training.memory=ignored
    --set 'platform.npu.language.bf16.flops=1400 TFLOPS')
tuned=$(step "${wide[@]}" --set endpoint="$SRCDIR/configs/endpoints/tuned.yaml")
orders 'tuning finds that fewer SMs than those of NCCL are faster' "$tuned" \
    "$(step "${wide[@]}" --set endpoint="$SRCDIR/configs/endpoints/tuned.yaml" --set endpoint.sms=24 --set 'endpoint.memory_bandwidth=50 %')"

echo "1..$n"
