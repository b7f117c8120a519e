#!/bin/bash
# test_parallelism.sh - degrees of parallelism that do not fit a language model
# or the platform
#
# Each is refused within a second, with its place, its cause and a remedy.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

sed "s|\.\./|$SRCDIR/configs/|" "$SRCDIR/configs/runs/llama-70b-64.yaml" >run.yaml
moe=workload.model=$SRCDIR/configs/models/mixtral-8x7b.yaml

# refuses NAME MESSAGE ARGS... - checks the refusal, and that it takes less than
# a second of processor time
refuses() {
    local name=$1 message=$2
    shift 2
    says "$name" 1 "$message" run run.yaml "$@"
    (ulimit -t 1 && "$ACESIM" run run.yaml "$@" >out 2>err)
    [ $? = 1 ]
    report $? "$name, within a second"
}

at='--set workload.parallel:1:1'
refuses 'tp that does not divide the heads' \
    "$at: parallel: tp 64 does not divide 8 heads of keys and values; use a degree that divides them" \
    --set 'workload.parallel={tp: 64}'
refuses 'tp that does not divide the NPUs' \
    "$at: mesh: tp 6 does not divide the platform's 64 NPUs; change an axis, or the platform" \
    --set 'workload.parallel={tp: 6}'
refuses 'tp that divides the NPUs and not the heads of queries' \
    "$at: parallel: tp 6 does not divide 64 heads; use a degree that divides them" \
    --set platform.topology.count=6 --set 'workload.parallel={tp: 6}'
refuses 'degrees whose product is not the NPUs' \
    "$at: mesh: tp 8 x dp 4 x pp 4 = 128 is not the platform's 64 NPUs; change an axis, or the platform" \
    --set 'workload.parallel={tp: 8, pp: 4, dp: 4}'
refuses 'cp that does not divide the sequence' \
    "$at: parallel: cp 2 does not divide 8191 tokens of a sequence; use a degree that divides them" \
    --set 'workload.parallel={tp: 1, cp: 2}' --set workload.sequence=8191
refuses 'ep of a dense model' \
    "$at: parallel: ep is 2, and model 'llama-3.1-70b' has no experts; leave it out" \
    --set 'workload.parallel={tp: 8, ep: 2}'
refuses 'ep that does not divide the experts' \
    "$at: parallel: ep 16 does not divide 8 experts; use a degree that divides them" \
    --set "$moe" --set 'workload.parallel={tp: 2, ep: 16}'
refuses 'ep that does not divide the ranks' \
    "$at: mesh: etp 1 x ep 3 does not divide the 64 ranks of a pipeline stage; use an ep that does" \
    --set "$moe" --set 'workload.parallel={tp: 2, ep: 3}'
refuses 'experts with tp and whole sequences' \
    "$at: parallel: experts with tp need 'sequence: true', so that each rank sends its own tokens" \
    --set "$moe" --set 'workload.parallel={tp: 2, ep: 8, sequence: false}'
refuses 'a batch that the ranks do not divide' \
    "--set workload.batch:1:1: batch: 63 sequences are no whole number, up to 65536, of micro-batches of 1 on dp 4; use a multiple of 4" \
    --set 'workload.batch={global: 63}'
refuses 'more virtual stages than layers' \
    "$at: parallel: 128 virtual stages are more than the 80 layers; use a smaller pp, or fewer chunks" \
    --set 'workload.parallel={pp: 64}' \
    --set 'workload.schedule={kind: interleaved, chunks: 2}'
at='--set workload.schedule:1:1'
refuses 'interleaved with fewer micro-batches than stages' \
    "$at: schedule: interleaved needs at least as many micro-batches as stages (4), and there are 2 micro-batches; use more micro-batches or another schedule" \
    --set 'workload.parallel={tp: 8, pp: 4}' --set 'workload.batch={global: 4}' \
    --set 'workload.schedule={kind: interleaved, chunks: 2}'
refuses 'interleaved with a part of a group' \
    "$at: schedule: interleaved passes groups of 4 micro-batches, one for each stage, and 6 micro-batches are no whole number of groups; use a multiple of 4" \
    --set 'workload.parallel={tp: 8, pp: 4}' --set 'workload.batch={global: 12}' \
    --set 'workload.schedule={kind: interleaved, chunks: 2}'
refuses 'dualpipe with an odd number of stages' \
    "$at: schedule: dualpipe needs an even number of stages, not 1; use another pp or schedule" \
    --set 'workload.parallel={tp: 8}' --set 'workload.schedule={kind: dualpipe}'
refuses 'dualpipe with three stages on as many NPUs as they need' \
    "$at: schedule: dualpipe needs an even number of stages, not 3; use another pp or schedule" \
    --set platform.topology.count=6 --set 'workload.parallel={tp: 8, pp: 3}' \
    --set 'workload.schedule={kind: dualpipe}'
refuses 'dualpipe with an odd number of micro-batches' \
    "$at: schedule: dualpipe divides the micro-batches between two directions and needs an even number of them, not 9; use one more" \
    --set 'workload.parallel={tp: 8, pp: 4}' --set 'workload.batch={global: 18}' \
    --set 'workload.schedule={kind: dualpipe}'

# ---- tensor parallelism over the borders of nodes -------------------------

# 8192 tokens of 8192 values of 2 bytes are 128 MiB.  2 layers have 12 all-gathers
# and 8 reduce-scatters of them, embedding and head 4 more, and the loss is an
# all-reduce of 32 KiB, which counts twice.  Half of a payload leaves each node
# of 4 NPUs: (24 x 128 MiB + 64 KiB) / 2 / 4 = 0.4027 GB.
small='{name: m, layers: 2, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, vocabulary: 32000}'
across=(--set "workload.model=$small"
    --set platform.topology.inner='{kind: switch, npus: 4, bandwidth: 25 GB/s, latency: 300 ns}'
    --set platform.topology.count=2 --set platform.topology.nics=4
    --set 'workload.parallel={tp: 8}' --set workload.batch.global=1)
least='tp 8 crosses the borders of nodes of 4 NPUs: its collectives send at least [0-9.]* GB from each NPU through the network between nodes, whose links have 50 GB/s for each NPU beside 25 GB/s in a node, which takes [0-9.]* ms or more of'
"$ACESIM" run run.yaml "${across[@]}" --json >out 2>err
grep -o "warning: $least the iteration of [0-9.]* ms; a tp that divides 4 stays in a node" out >warned
report $? 'tp over the borders of nodes is warned of, with its cost'
cat warned >>err
awk '{ for (i = 1; i < NF; i++) { if ($(i+1) == "GB") gb = $i
           if ($(i+1) == "ms" && $(i+2) == "or") least = $i
           if ($(i+1) ~ /^ms;/) all = $i } }
    END { exit !(gb == 0.4027 && least > gb / 48 * 999 && least < gb / 48 * 1001 && least < all) }' warned
report $? 'its cost is that of the network, and below the iteration'
"$ACESIM" run run.yaml --set "workload.model=$small" --set workload.batch.global=8 \
    --json >out 2>err
! grep -q 'crosses the borders' out
report $? 'tp in a node is not warned of'

# `acesim check` does not simulate, so it knows the lower bound alone.
"$ACESIM" check run.yaml "${across[@]}" >out 2>err &&
    [ "$(cat out)" = 'run.yaml: ok' ] &&
    grep -qx "run.yaml: warning: $least each iteration; a tp that divides 4 stays in a node" err &&
    [ "$(grep -o '[0-9.]* ms' warned | head -n 1)" = "$(grep -o '[0-9.]* ms' err)" ]
report $? 'check warns of tp over the borders of nodes with the same lower bound'
says 'check does not warn of tp in a node' 0 '' check run.yaml \
    --set "workload.model=$small" --set workload.batch.global=8

# Attention whose keys and values go round a ring: of groups of queries, latent,
# in windows, and of packed documents.
cat >ring.yaml <<EOF
platform:
  topology: {kind: nested, count: 2, inner: {kind: switch, npus: 4, bandwidth: 100 GB/s, latency: 1 us}, nics: 4, nic: {bandwidth: 63 GB/s, latency: 250 ns}, rails: true, outer: {kind: switch, bandwidth: 25 GB/s, latency: 1 us}}
  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS, hbm: {bandwidth: 900 GB/s}}
endpoint: {kind: baseline, name: few, sms: 1, memory_bandwidth: 100 GB/s}
workload:
  kind: transformer
  name: small
  model: {name: m, layers: 4, hidden: 256, heads: 8, kv_heads: 4, ffn: 512, vocabulary: 1000}
  sequence: 256
  batch: {global: 8}
  parallel: {cp: 4, pp: 2, cp_exchange: ring}
  schedule: {kind: 1f1b}
training: {precision: bf16, gradient: fp32, optimiser: adam, iterations: 2}
EOF
# ring_is_same NAME ARGS... - a ring takes the same time folded and in full,
# carries its data, and another time than an all-gather
ring_is_same() {
    local name=$1 us
    shift
    us=$(iteration_us ring.yaml "$@")
    [ -n "$us" ] && [ "$us" = "$(iteration_us ring.yaml --fold=off "$@")" ] &&
        [ "$us" = "$(iteration_us ring.yaml --verify "$@")" ] &&
        [ "$us" != "$(iteration_us ring.yaml --set workload.parallel.cp_exchange=all-gather "$@")" ]
    report $? "a ring of $name takes the same folded and in full, and carries its data"
}
ring_is_same 'groups of queries'
ring_is_same 'recomputed attention' --set workload.recompute=full
ring_is_same 'packed documents' --set 'workload.documents=[{length: 64}]'
ring_is_same 'latent attention' --set "workload.model=$SRCDIR/configs/models/deepseek-v3.yaml" \
    --set workload.batch.global=2 --set training.memory=ignored --set training.iterations=1

# exposed_cp_us MB_PER_S ARGS... - prints the exposed time of cp over such links
exposed_cp_us() {
    "$ACESIM" run ring.yaml --set endpoint='{kind: ideal}' \
        --set "platform.topology={kind: switch, npus: 4, bandwidth: $1 MB/s, latency: 0 ns}" \
        --set workload.batch.global=1 --set workload.sequence=4096 \
        --set training.iterations=1 "${@:2}" --csv - 2>err |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "exposed_cp_us") c = i }
            NR == 2 { print $c }'
}
# takes_blocks N NAME ARGS... - over links that are far slower than kernels, the
# exchange of cp takes the time of N blocks of a rank's keys and values, of 1,024
# tokens, 4 heads, 2 x 32 values and 2 bytes, in each of 4 layers
takes_blocks() {
    local blocks=$1 name=$2
    awk -v n="$blocks" -v slow="$(exposed_cp_us 10 "${@:3}")" \
        -v fast="$(exposed_cp_us 20 "${@:3}")" 'BEGIN {
            us = 4 * n * 1024 * 4 * 2 * 32 * 2 / 20 # at the difference, 20 MB/s
            print slow - fast, "us, by hand", us
            exit !(slow > fast && fast > 0 && slow - fast >= us && slow - fast < 1.001 * us)
        }' >out
    report $? "$name of 4 ranks takes the time of $blocks blocks of keys and values"
}
parallel='workload.parallel={cp: 4, cp_exchange: ring}'
# forward c - 1 blocks; backward c - 1 again, and c of their gradients
takes_blocks 10 'a ring' --set "$parallel"
# forward c - 1 blocks; backward c - 1 again, and c - 1 of their gradients
takes_blocks 9 'an all-gather' --set "${parallel/ring/all-gather}"

for setting in overlap=false optimised=true elementwise=false fused=false kernel_search=false layout=nchw; do
    says "training.$setting" 0 '' run ring.yaml --set "training.$setting"
    prints 'is noted to have no effect' "^note: training.${setting%=*} has no effect on a language model"
done
for setting in recompute=true:recompute micro_batches=2:batch.micro; do
    "$ACESIM" run ring.yaml --set "training.${setting%:*}" >out 2>err
    [ $? = 1 ] && grep -q "'transformer' takes 'workload.${setting#*:}'" err
    report $? "training.${setting%:*} is told the key of the workload"
done

echo "1..$n"
