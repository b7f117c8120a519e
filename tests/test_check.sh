#!/usr/bin/env bash
# test_check.sh - `acesim check` reports errors before a run, with their
# position
. "$SRCDIR/tests/shell.sh"

# ---- workloads that need a certain setting --------------------------------

cat >measured.yaml <<'EOF'
kind: data-parallel
name: m
batch: 1
layers:
  - {kind: measured, name: a, weights: 1000, forward_time: 1 us,
     input_gradient_time: 1 us, weight_gradient_time: 1 us}
EOF
says 'check accepts a workload that only measured times can run' 0 '' \
    check measured.yaml
prints 'and says what it needs' \
    '^measured.yaml: ok, with training.compute: measured$'
sed 's/batch: 1/batch: 0/' measured.yaml >wrong.yaml
says 'what no setting can run is wrong still' 1 \
    'wrong.yaml:3:8: batch: 0 is outside [1, 1000000000]' check wrong.yaml
says 'a workload for any setting needs none' 0 '' \
    check "$SRCDIR/configs/workloads/resnet50.yaml"
prints 'and nothing is said of settings' 'resnet50.yaml: ok$'

# ---- large programs --------------------------------------------------------

awk 'BEGIN {
    print "kind: program\nname: large\nroles:\n  - name: all\n    ops:"
    for (i = 0; i < 200000; i++)
        printf "      - {kind: kernel, name: kernel%d, pass: forward, " \
            "flop: 1000000, read: 1 MiB, write: 1 MiB%s}\n", i,
            i % 4 == 3 ? ", after: [kernel" i - 1 "]" : ""
}' >large.yaml
says 'a program of more than 16 MiB is read' 0 '' check large.yaml
prints 'and is right' '^large.yaml: ok$'
sed 's/name: kernel199999, pass: forward/name: kernel199999, pass: forwards/' \
    large.yaml >wrong.yaml
says 'a mistake in it has a position' 1 \
    "wrong.yaml:200005:50: pass: unknown value 'forwards'; did you mean 'forward'?" \
    check wrong.yaml
sed 's/after: .kernel199998./after: [kernel]/' large.yaml >wrong.yaml
says 'and an operation that is not there, too' 1 \
    "wrong.yaml:200005:108: after: there is no operation 'kernel' in role 'all'; did you mean 'kernel0'?" \
    check wrong.yaml
rm large.yaml wrong.yaml

# ---- blocks of layers --------------------------------------------------------

cat >leaf.yaml <<'EOF'
{kind: block, name: b, repeat: 2,
 layers: [{kind: linear, name: a, in: 1, out: 1}]}
EOF
echo '{kind: block, name: c, layers: [leaf.yaml, leaf.yaml]}' >twice.yaml
echo '{kind: block, name: d, layers: [self.yaml]}' >self.yaml
echo '{kind: data-parallel, name: w, batch: 1, layers: [leaf.yaml]}' >good.yaml
echo '{kind: data-parallel, name: w, batch: 1, layers: [twice.yaml]}' >bad.yaml
says 'a block may have a file of its own' 0 '' check leaf.yaml
says 'and stand in a workload by its name' 0 '' check good.yaml
says 'twice in one list its layers have one name' 1 \
    "leaf.yaml:2:32: name: there are two layers 'c.b.1.a'" check bad.yaml
says 'a block that holds itself is told' 1 \
    "self.yaml:1:33: layers.0: 'self.yaml' includes itself: \
self.yaml -> self.yaml" check self.yaml

# ---- shares that leave no resources ---------------------------------------

side() { # NPU-KEYS ENDPOINT
cat <<EOF
platform:
  name: ring
  topology:
    kind: torus
    dims: [{size: 4, links: 2, bandwidth: 100 GB/s, latency: 500 ns}]
  npu:
    sms: 80
    clock: 1245 MHz
    flops: 120 TFLOPS
    side_sms: $1
    side_bandwidth: $2
    hbm: {bandwidth: 900 GB/s, policy: $3}
endpoint: $SRCDIR/configs/endpoints/$4.yaml
workload: $SRCDIR/configs/workloads/dlrm.yaml
training: {optimised: true, iterations: 1}
EOF
}
side 80 '80 GB/s' partitioned ideal >side.yaml
says 'a side stream that takes all SMs is told by its line' 1 \
    "side.yaml:10:15: side_sms: 80 for the side stream and 0 for the endpoint \
leave the main stream none of 80 SMs" run side.yaml
side 79 '80 GB/s' shared comp-opt >side.yaml
says 'so is one that takes them with the endpoint' 1 \
    "side.yaml:10:15: side_sms: 79 for the side stream and 2 for the endpoint \
leave the main stream none of 80 SMs" check side.yaml
side 1 '900 GB/s' partitioned ideal >side.yaml
says 'a share of all of the HBM is told, too' 1 \
    "side.yaml:11:21: side_bandwidth: 900 GB/s for the side stream and 0 for \
the endpoint leave the main stream none of 900 GB/s of HBM" run side.yaml
side 1 '450 GB/s' partitioned comm-opt >side.yaml
says 'so is what is left by the endpoint' 1 \
    "side.yaml:11:21: side_bandwidth: 450 GB/s for the side stream and 450 for \
the endpoint leave the main stream none of 900 GB/s of HBM" run side.yaml
says 'a loop without a side stream does not mind' 0 '' \
    run side.yaml --set training.optimised=false
side 1 '900 GB/s' shared ideal >side.yaml
says 'nor does shared HBM' 0 '' check side.yaml

# ---- values that overflow or take too long --------------------------------

layer() { # LAYER
cat <<EOF
platform: $SRCDIR/configs/platforms/ace-4x2x2.yaml
endpoint: {kind: ideal, name: ideal}
workload:
  kind: data-parallel
  name: big
  batch: 1000
  layers:
    - $1
EOF
}
layer '{kind: linear, name: a, in: 64000, out: 64, positions: 1000000000}' \
    >big.yaml
says 'what is too large to count is told by key and value' 1 \
    "big.yaml:8:62: positions: 1000000000, in 64000, out 64 and a batch of \
1000000 give layer 'a' 2^63 FLOP, bytes or weights or more, too many to \
count (with --set workload.batch=1000000)" run big.yaml --set workload.batch=1000000
layer '{kind: conv, name: a, in: 10, out: 10, size: 100000000}' >big.yaml
says 'a kernel that never ends is told with its rates' 1 \
    "big.yaml:4:3: kernel of a (forward) of 2e+18 FLOP and 4e+17 bytes \
takes longer than the 53 days that can be simulated, at platform.npu.flops x \
flops_efficiency = 1e-06 TFLOPS and platform.npu.hbm.bandwidth x efficiency \
= 900 GB/s" \
    run big.yaml --set workload.batch=1 --set platform.npu.flops='1 GFLOPS' \
    --set platform.npu.flops_efficiency='0.1 %'
layer '{kind: linear, name: a, in: 4, out: 4}' >slow.yaml
says 'a rate below a byte a second is one, not none' 0 \
    "--set platform.npu.memory_latency:1:1: warning: memory_latency: '1 s' is more than the usual 100 us; is the unit right?" \
    run slow.yaml --set platform.npu.memory_latency='1 s' \
    --set platform.npu.sm_in_flight='1 B' --set platform.npu.queueing='100 %' \
    --set "endpoint=$SRCDIR/configs/endpoints/comm-opt.yaml" \
    --set endpoint.sms=1 --set workload.batch=1

# ---- values that are probably slips of the unit ----------------------------

isca=$SRCDIR/configs/runs/isca21.yaml
# unusual KEY VALUE TEXT - checks that both check and run warn of the value
unusual() {
    local key=${1##*.}
    says "check warns of $key $2" 0 \
        "--set $1:1:1: warning: $key: '$2' is $3; is the unit right?" \
        check "$isca" --set "$1=$2" --set training.compute=roofline
    "$ACESIM" run "$isca" --set "$1=$2" --set training.compute=roofline >out 2>err
    grep -q "warning: $key: '$2' is $3; is the unit right?" err
    report $? 'and so does a run'
}
unusual platform.topology.dims.0.latency '250 ms' 'more than the usual 1 ms'
unusual platform.topology.dims.0.bandwidth '2 MB/s' 'less than the usual 10 MB/s'
unusual platform.npu.clock '1245 kHz' 'less than the usual 100 MHz'
unusual platform.npu.hbm.bandwidth '900 TB/s' 'more than the usual 100 TB/s'
unusual endpoint.launch_time '700 ms' 'more than the usual 5 ms'
unusual platform.npu.launch_overhead '500 ms' 'more than the usual 1 ms'
printf 'kind: switch\nnpus: 8\nlinks: 1\nbandwidth: 300 GB/s\nlatency: 20 s\n' >slow.yaml
sed 's/20 s/2 ms/' slow.yaml >topology.yaml
says 'a topology of its own is warned of' 0 \
    "topology.yaml:5:10: warning: latency: '2 ms' is more than the usual 1 ms; is the unit right?" \
    check topology.yaml
sed 's/20 s/1 ms/' slow.yaml >topology.yaml
says 'but not of the limit itself' 0 '' check topology.yaml
printf 'base: %s\naxes: [{platform.topology.dims.0.latency: [250 ns, 250 ms, 200 ns]}]\n' "$isca" >sweep.yaml
"$ACESIM" sweep sweep.yaml -o swept -q >out 2>err
[ "$(grep -c 'is more than the usual 1 ms' swept/runs.csv)" = 1 ]
report $? 'one of three rows of a sweep has the warning'

# ---- notes that are known without a run -----------------------------------------

says 'check warns of an endpoint that is too fast for the NPU, as a run does' 0 \
    "$isca: warning: endpoint.memory_bandwidth is 9000 GB/s, more than the 3350 GB/s of the NPU's HBM" \
    check "$isca" --set platform="$SRCDIR/configs/platforms/hgx-h100.yaml" \
    --set training.compute=roofline --set endpoint.memory_bandwidth='9 TB/s'

# ---- dependencies of straggler settings -----------------------------------

straggler=$SRCDIR/configs/runs/straggler.yaml
says 'a straggler is run' 0 '' run "$straggler"
prints 'and its run says that the order of collectives counts' \
    '(compare --set collectives.scheduler=fifo)$'
says 'FIFO is run' 0 '' run "$straggler" --set collectives.scheduler=fifo
! grep -q 'scheduler=fifo' out
report $? 'and need not be told'

echo "1..$n"
