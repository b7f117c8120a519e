#!/bin/bash
# test_ineffective_values.sh - values without their apparent effect are an error or are noted
# in summary, CSV and JSON
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.
. "$SRCDIR/tests/shell.sh"

run=$SRCDIR/configs/runs/isca21.yaml
workloads=$SRCDIR/configs/workloads

# cell COLUMN FILE - prints a cell of the last row; cells may be quoted
cell() {
    awk -v name="$1" -v RS='\r?\n' '{
        n = 0; quoted = 0; text = ""
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1)
            if (c == "\"") quoted = !quoted
            else if (c == "," && !quoted) { cells[++n] = text; text = "" }
            else text = text c
        }
        cells[++n] = text
        if (NR == 1) for (i = 1; i <= n; i++) if (cells[i] == name) at = i
    } END { print cells[at] }' "$2"
}

# noted NAME PATTERN ARGS... - checks that the summary, CSV and JSON of a run
# have the note
noted() {
    local name=$1 pattern=$2
    shift 2
    "$ACESIM" run "$@" >out 2>err && grep -q "^\(note: \|warning: \).*$pattern" out
    report $? "$name: the summary says so"
    "$ACESIM" run "$@" --csv rows.csv >out 2>err
    cell notes rows.csv >out
    grep -q -- "$pattern" out && [ "$(cell status rows.csv)" = ok ] &&
        head -1 rows.csv | grep -q ',notes,status$'
    report $? "$name: so does CSV"
    "$ACESIM" run "$@" --json >out 2>err
    sed -n '/"notes": \[/,/\]/p' out | grep -q -- "$pattern"
    report $? "$name: so does JSON"
}

# ---- notes about measured times -------------------------------------------

noted 'times of another batch are rescaled' \
    'kernel times are scaled by 64 / 32: they were measured with a batch of 32' \
    "$run" --set workload.batch=64
"$ACESIM" run "$run" --csv one.csv >out 2>err
"$ACESIM" run "$run" --set workload.batch=64 --csv two.csv >out 2>err
awk -v one="$(cell compute_time_us one.csv)" -v two="$(cell compute_time_us two.csv)" \
    'BEGIN { exit !(two > 1.9 * one && two < 2.1 * one) }'
report $? 'twice the batch computes for twice the time'
[ -z "$(cell notes one.csv)" ] && [ "$(cell iteration_time_us one.csv)" = 1167.203289 ]
report $? 'the batch that was measured is what it was, and not noted'
noted 'and so are times of layers' 'scaled by 1024 / 512' \
    "$run" --set workload="$workloads/dlrm.yaml" --set workload.batch=1024
"$ACESIM" run "$run" --set workload.batch=100000000 --csv two.csv >out 2>err
awk -v two="$(cell compute_time_us two.csv)" 'BEGIN { exit !(two > 1e9) }'
report $? 'a batch of 100,000,000 does not take a millisecond'

line=$(grep -n '^sms:' "$SRCDIR/configs/npus/h100-sxm.yaml" | cut -d: -f1)
says 'times of another NPU are an error' 1 \
    "$SRCDIR/configs/platforms/../npus/h100-sxm.yaml:$line:1: npu: kernel times of the workload were measured on another NPU (sms 80, clock 1245 MHz, flops 120 TFLOPS, bandwidth 900 GB/s; this one: sms 132, clock 1.98 GHz, flops 989 TFLOPS, bandwidth 3.35 TB/s); set 'training.compute' to roofline, or give times and 'workload.measured_on' of this NPU (with --set platform=$SRCDIR/configs/platforms/hgx-h100.yaml)" \
    run "$run" --set platform="$SRCDIR/configs/platforms/hgx-h100.yaml"
"$ACESIM" run "$run" --set platform.npu="$SRCDIR/configs/npus/a100-80gb.yaml" >out 2>err
[ $? = 1 ] && grep -q 'measured on another NPU' err
report $? 'and so is another NPU on the same platform'
sed -e 's=\.\./=&=' -e "s=\.\./=$SRCDIR/configs/=" "$run" |
    sed "s=platform: .*=platform: $SRCDIR/configs/platforms/hgx-h100.yaml=" >other.yaml
"$ACESIM" run other.yaml >out 2>err
[ $? = 1 ] && grep -q 'measured on another NPU' err
report $? 'or one that the file itself names'
for key in sms=132 clock='1.5 GHz' flops='200 TFLOPS' hbm.bandwidth='1.8 TB/s'; do
    noted "a key of the NPU, ${key%=*}" \
        "platform.npu.${key%%=*} is set, but kernel times .* stay those measured" \
        "$run" --set "platform.npu.$key"
done
"$ACESIM" run "$run" --set endpoint=comm-opt --csv as-is.csv >out 2>err
prints 'times of the whole NPU are scaled to the measured total' \
    '^note: kernel times with the whole NPU are scaled to .* in all (training.compute: measured)\.$'
prints 'SMs and FLOP/s are said to matter beside communication' \
    '^ *SMs and FLOP/s do not change this total, but how much communication slows each kernel down\.$'
for key in platform.npu.sms=20 platform.npu.flops='60 TFLOPS' endpoint.sms=20; do
    "$ACESIM" run "$run" --set endpoint=comm-opt --set "$key" --csv other.csv >out 2>err &&
        grep -q 'are scaled to 1.095 ms in all' out &&
        ! cmp -s as-is.csv other.csv
    report $? "the total stays with $key, and the iteration does not"
done
noted 'another precision' 'measured in fp16 and are kept, though .* fp32' \
    "$run" --set training.precision=fp32
noted 'a layer that was set' 'workload.layers.2.out is set, but kernel times' \
    "$run" --set workload.layers.2.out=64 --set workload.layers.2.relu=true
noted 'times that roofline leaves out' \
    'workload.calibrated.forward has no effect under training.compute: roofline' \
    "$run" --set training.compute=roofline --set workload.calibrated.forward='1 ms'
noted 'times that are not there' 'measured has no effect' \
    "$run" --set workload="$workloads/resnet-18.yaml"

cat >own.yaml <<EOF
kind: data-parallel
name: own
batch: 4
calibrated: {forward: 1 ms}
layers: [{kind: linear, name: a, in: 64, out: 64}]
EOF
noted 'a workload that does not say of which NPU its times are' \
    'does not say on which NPU' "$run" --set workload=own.yaml
says 'or of which batch' 1 \
    "--set workload.batch:1:1: batch: set to 8, but the measured times of own.yaml are of a batch that it does not say; give 'workload.measured_on.batch', which rescales them, or set 'training.compute' to roofline" \
    run "$run" --set workload=own.yaml --set workload.batch=8
"$ACESIM" run "$run" --set workload=own.yaml \
    --set workload.layers='[{kind: linear, name: b, in: 8, out: 8}]' >out 2>err
[ $? = 1 ] && grep -q 'layers: the totals of `calibrated` in own.yaml are of other layers' err
report $? 'other layers under the same totals are an error'

# A micro-batch takes its share of the measured time of a layer.
cat >layer.yaml <<EOF
kind: data-parallel
name: layer
batch: 4
layers: [{kind: linear, name: a, in: 64, out: 64, forward_time: 4 ms,
          input_gradient_time: 4 ms, weight_gradient_time: 4 ms}]
EOF
for k in 1 4; do
    "$ACESIM" run "$run" --set workload=layer.yaml --set training.micro_batches=$k \
        --csv $k.csv >out 2>err
done
awk -v one="$(cell compute_time_us 1.csv)" -v four="$(cell compute_time_us 4.csv)" \
    'BEGIN { exit !(one > 7000 && four > 0.99 * one && four < 1.01 * one) }'
report $? 'micro-batches share the time of a layer'

# ---- notes in sweeps ------------------------------------------------------

cat >sweep.yaml <<EOF
base: $run
axes:
  - workload.batch: [32, 64, 96]
EOF
"$ACESIM" sweep sweep.yaml -o swept >out 2>err
cut -d, -f1 swept/runs.csv >out
grep -c 'scaled by' swept/runs.csv >>out
grep -q '^64,.*scaled by 64 / 32.*,ok$' swept/runs.csv &&
    grep -q '^96,.*scaled by 96 / 32.*,ok$' swept/runs.csv &&
    ! grep -q '^32,.*scaled by' swept/runs.csv
report $? 'each point of a sweep has its own notes'
cat >rounded.yaml <<EOF
base: $run
axes:
  - endpoint.launch_time: [1 us, 1.0004567 us, 2 us]
EOF
"$ACESIM" sweep rounded.yaml -o rounds >out 2>err
[ "$(grep -c 'is rounded to' rounds/runs.csv)" = 1 ] &&
    grep -q '^1.000457,.*is rounded to 1000457 ps.*,ok$' rounds/runs.csv
report $? 'and a value that was rounded is noted where it is, and nowhere else'
cat >compared.yaml <<EOF
base: $run
axes:
  - workload.batch: [32, 64]
  - endpoint: [$SRCDIR/configs/endpoints/ace.yaml, $SRCDIR/configs/endpoints/comp-opt.yaml]
EOF
"$ACESIM" sweep compared.yaml -o pairs >out 2>err && "$ACESIM" compare pairs >out 2>err
grep -q '^32,.*"comp-opt: warning: the endpoint throttles' pairs/compare.csv && ! grep -q '^32,.*ace: ' pairs/compare.csv &&
    grep -q '^64,.*ace: kernel times are scaled by 64 / 32.*; comp-opt: kernel times' pairs/compare.csv
report $? 'so has each pair of a comparison, behind the names of its endpoints'

# ---- notes in explanations of a run ---------------------------------------

"$ACESIM" run "$run" --set workload.batch=64 --explain-csv parts.csv -q >out 2>err
cell notes parts.csv >out
grep -q '^kernel times are scaled by 64 / 32' out
report $? 'the parts of an iteration come with the notes of the run'
"$ACESIM" run "$run" --set workload.batch=64 --explain --json >out 2>err
[ "$(grep -c 'scaled by 64 / 32' out)" = 1 ]
report $? 'and JSON has them once'

# ---- notes about endpoints ------------------------------------------------

h100="--set platform=$SRCDIR/configs/platforms/hgx-h100.yaml --set training.compute=roofline \
    --set workload=$workloads/all-reduce-64MiB.yaml"
noted 'an endpoint that throttles' \
    'throttles the network: its memory_bandwidth of 128 GB/s .* of the 369 GB/s' \
    "$run" $h100
noted 'one with more bandwidth than the HBM' \
    'memory_bandwidth is 2000 GB/s, more than the 900 GB/s of the NPU' \
    "$run" --set endpoint.memory_bandwidth='2 TB/s' \
    --set endpoint.only_while_communicating=true
noted 'a share of an HBM that is shared' \
    'endpoint.memory_bandwidth of 100 GB/s has no effect under platform.npu.hbm.policy: shared' \
    "$run" $h100 --set endpoint="$SRCDIR/configs/endpoints/comm-opt.yaml" \
    --set endpoint.memory_bandwidth='100 GB/s'
noted 'a share inside an endpoint that an option gives' \
    'endpoint.memory_bandwidth of 100 GB/s has no effect under platform.npu.hbm.policy: shared' \
    "$run" $h100 --set endpoint='{kind: baseline, name: b, sms: 2, memory_bandwidth: 100 GB/s}'
sed 's|^endpoint:.*|endpoint:\n  kind: copy-engine\n  name: c\n  memory_bandwidth: 100 GB/s|
    s|: \.\./|: '"$SRCDIR"'/configs/|' "$run" >inline.yaml
noted 'a share inside an endpoint that the run file gives' \
    'endpoint.memory_bandwidth of 100 GB/s has no effect under platform.npu.hbm.policy: shared' \
    inline.yaml $h100
noted 'a bandwidth inside the run file that exceeds the HBM' \
    'memory_bandwidth is 4000 GB/s, more than the 3350 GB/s of the NPU' \
    inline.yaml $h100 --set endpoint='{kind: ace, name: a, memory_bandwidth: 4 TB/s}'
"$ACESIM" run "$run" $h100 --set endpoint='{kind: baseline, name: b, sms: 2, memory_bandwidth: 50 %}' >out 2>err &&
    ! grep -q 'has no effect' out
report $? 'a part of the HBM fits every NPU and is not noted'
noted 'SMs that throttle, where their share has no effect' \
    'throttles the network: its 2 SMs read memory 9[0-9.]* % of the time .* of the 369 GB/s' \
    "$run" $h100 --set endpoint='{kind: baseline, name: b, sms: 2, memory_bandwidth: 100 GB/s}'
noted 'SMs that throttle, where their share is larger' \
    'throttles the network: its 1 SMs read memory 9[0-9.]* % of the time' \
    "$run" --set endpoint='{kind: baseline, name: b, sms: 1, memory_bandwidth: 450 GB/s}'
"$ACESIM" run "$run" $h100 --set endpoint="$SRCDIR/configs/endpoints/comm-opt.yaml" >out 2>err &&
    ! grep -q 'has no effect' out
report $? 'which is not noted where nobody set it'
"$ACESIM" run "$run" $h100 --set endpoint.memory_bandwidth='100 GB/s' >out 2>err &&
    ! grep -q 'has no effect' out
report $? 'nor of an engine, whose rate it is'
"$ACESIM" run "$run" $h100 --set endpoint="$SRCDIR/configs/endpoints/no-overlap.yaml" \
    --csv rows.csv >out 2>err
[ "$(cell endpoint_sms rows.csv)" = 132 ]
report $? 'no-overlap has all SMs of whichever NPU'
"$ACESIM" run "$run" --set endpoint="$SRCDIR/configs/endpoints/no-overlap.yaml" \
    --csv rows.csv >out 2>err
[ "$(cell endpoint_sms rows.csv),$(cell endpoint_hbm_gb_per_s rows.csv)" = 80,900.000 ]
report $? 'which are the published ones on the published NPU'
says 'a share of more than all is an error' 1 \
    "--set endpoint.memory_bandwidth:1:1: memory_bandwidth: a share is above 0 % and at most 100 % of the NPU's HBM bandwidth" \
    run "$run" --set endpoint.memory_bandwidth='101 %'
cat >shares.yaml <<EOF
base: $run
axes:
  - endpoint: [{kind: baseline, name: half, sms: 50 %, memory_bandwidth: 50 %,
                only_while_communicating: true}]
  - platform.npu.sms: [80, 40, 60]
  - endpoint.memory_bandwidth: [50 %, 100 GB/s, 100 %]
EOF
"$ACESIM" sweep shares.yaml -o shares >out 2>err
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 { n++; share = $(at["endpoint.memory_bandwidth"])
        want = share == "50 %" ? 450 : share == "100 %" ? 900 : 100
        bad += $(at["endpoint_sms"]) != $(at["platform.npu.sms"]) / 2 ||
               $(at["endpoint_hbm_gb_per_s"]) != want }
    END { exit !(n == 9 && bad == 0) }' shares/runs.csv
report $? 'shares follow the NPU from point to point of a sweep'

# ---- notes about shapes of layers -----------------------------------------

# shapes NAME STATUS TEXT LAYER... - checks a network of these layers
shapes() {
    local name=$1 status=$2 text=$3
    shift 3
    { small_run | sed '/^workload/d'; printf '%s\n' 'workload:' '  kind: data-parallel' \
        '  name: w' '  batch: 2' '  layers:'; printf '    - {%s}\n' "$@"; } >model.yaml
    says "$name" "$status" "$text" run model.yaml -q
}
lin='kind: linear, name'
shapes 'a layer that takes other values than the last gives' 1 \
    "model.yaml:12:35: in: 999, but 'a' before it gives 4096 values, and no earlier layer or several together give as many" \
    "$lin: a, in: 512, out: 4096" "$lin: b, in: 999, out: 10"
shapes 'also behind an activation' 1 \
    "model.yaml:13:35: in: 999, but 'r' before it gives 4096 values, and no earlier layer or several together give as many" \
    "$lin: a, in: 512, out: 4096" "kind: elementwise, name: r, values: 4096" \
    "$lin: b, in: 999, out: 10"
shapes 'also within a block' 1 \
    "model.yaml:12:109: in: 65, but 'a' before it gives 64 values, and no earlier layer or several together give as many" \
    "$lin: z, in: 32, out: 64" \
    "kind: block, name: k, layers: [{$lin: a, in: 64, out: 64}, {$lin: b, in: 65, out: 64}]"
conv='kind: conv, kernel: 3, name'
shapes 'channels of a pool' 1 \
    "model.yaml:12:39: channels: 63, but 'a' before it gives 64 values, and no earlier layer or several together give as many" \
    "$conv: a, in: 3, out: 64, size: 32" "kind: pool, name: p, channels: 63, size: 32, kernel: 2, stride: 2"
shapes 'an image of a size that is not left' 1 \
    "model.yaml:12:63: size: an image of 25 pixels, but no layer before it has one from which that is left, such as 32" \
    "$conv: a, in: 3, out: 64, size: 32" "$conv: b, in: 64, out: 64, size: 25"
shapes 'a chain' 0 '' "$lin: a, in: 512, out: 4096" "$lin: b, in: 4096, out: 10"
shapes 'two branches of one input, concatenated' 0 '' "$lin: a, in: 8, out: 16" \
    "$lin: b, in: 16, out: 30" "$lin: c, in: 16, out: 50" "$lin: d, in: 80, out: 4"
shapes 'an image that is flattened, and one that is pooled to a pixel' 0 '' \
    "$conv: a, in: 3, out: 64, size: 32" \
    "kind: pool, name: p, channels: 64, size: 32, kernel: 2, stride: 2" \
    "$lin: b, in: 16384, out: 10" "$lin: c, in: 64, out: 10"
shapes 'gates of an activation' 0 '' "$lin: a, in: 8, out: 64" \
    "kind: elementwise, name: r, values: 64" "$lin: b, in: 32, out: 4"

# ---- notes about long runs ------------------------------------------------

"$ACESIM" run "$run" --set platform.topology.dims.0.size=65536 >out 2>err &
pid=$!
for _ in {1..100}; do
    grep -q . err && break
    sleep .1
done
grep -q '^warning: up to .* messages are to be simulated, for which about .* minutes and .* GiB of memory are needed' err
report $? 'a run of a million NPUs says up front what it takes'
from=$(date +%s%N)
kill -INT $pid
wait $pid
[ $? = 130 ] && [ $(($(date +%s%N) - from)) -lt 1000000000 ]
report $? 'and ends within a second'
"$ACESIM" run "$run" >out 2>err && [ ! -s err ]
report $? 'the published one says nothing'

# ---- notes about the fallback of a library --------------------------------

"$ACESIM" collectives "$SRCDIR/configs/platforms/ncv4.yaml" \
    --stack "$SRCDIR/configs/stacks/msccl-ncv4.yaml" --kind all-gather \
    --sizes '1 MiB' --csv rows.csv >out 2>err
grep -q 'warning: schedule .* is not used .*: it is for all-reduces; NCCL' out &&
    cell notes rows.csv | grep -q 'is not used'
report $? 'collectives says that a schedule of MSCCL is not used'
"$ACESIM" collectives "$SRCDIR/configs/platforms/ncv4.yaml" \
    --stack "$SRCDIR/configs/stacks/msccl-ncv4.yaml" --sizes '4 MiB' --csv rows.csv >out 2>err
! grep -q 'is not used' out
report $? 'and nothing where it is'

# ---- sweep axes with a star in the key ------------------------------------

cat >star.yaml <<EOF
base: $run
axes:
  - platform.topology.dims.*.bandwidth: [10 GB/s, 20 GB/s]
EOF
"$ACESIM" sweep star.yaml -o star >out 2>err
for value in '10 GB/s' '20 GB/s'; do
    "$ACESIM" run "$run" --set platform.topology.dims.0.bandwidth="$value" \
        --set platform.topology.dims.1.bandwidth="$value" \
        --set platform.topology.dims.2.bandwidth="$value" --csv - 2>err |
        sed "1d; s=^=${value%% *},="
done >each.csv
sed 1d star/runs.csv | cmp - each.csv >out 2>err && [ "$(wc -l <each.csv)" = 2 ]
report $? 'an axis with a star sets every item of a list'
"$ACESIM" run "$run" --set 'platform.topology.dims.*.bandwidth=10 GB/s' --csv - 2>err |
    sed '1d; s=^=10,=' | cmp - <(head -1 each.csv) >out 2>err
report $? 'and so does --set'

echo "1..$n"
