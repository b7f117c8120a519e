#!/bin/bash
# test_language_model.sh - tests of the results of language models: columns that
# add up and are there only if a row needs them, and memory as a limit

. "$SRCDIR/tests/shell.sh"

# check NAME COMMAND... - runs COMMAND and reports its status
check() {
    local name=$1
    shift
    "$@" >>out 2>>err
    report $? "$name"
}

: >out
: >err

cat >base.yaml <<'EOF'
platform:
  topology: {kind: switch, npus: 8, bandwidth: 100 GB/s, latency: 1 us}
  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS, hbm: {bandwidth: 900 GB/s, capacity: 60 MB}}
endpoint: {kind: ideal, name: i}
workload:
  kind: transformer
  name: small
  model: {name: m, layers: 8, hidden: 256, heads: 8, ffn: 512, vocabulary: 1000}
  sequence: 256
  batch: {global: 32}
  schedule: {kind: 1f1b}
training: {precision: bf16, gradient: fp32, optimiser: adam, iterations: 2}
EOF
cat >model.yaml <<'EOF'
base: base.yaml
axes:
  - cases:
      case:
        pp: {workload.parallel: {tp: 2, pp: 4}}
        interleaved: {workload.parallel: {tp: 2, pp: 2}, workload.schedule: {kind: interleaved, chunks: 2}}
        cp: {workload.parallel: {tp: 2, cp: 2, pp: 2}}
EOF
cat >other.yaml <<'EOF'
base: base.yaml
axes:
  - workload: [{kind: collective, name: c, collective: all-reduce, payload: 1 MiB}, {kind: collective, name: d, collective: all-gather, payload: 1 MiB}]
EOF
cat >both.yaml <<'EOF'
base: base.yaml
axes:
  - workload: [{kind: collective, name: c, collective: all-reduce, payload: 1 MiB}, {kind: transformer, name: t, model: {name: m, layers: 8, hidden: 256, heads: 8, ffn: 512, vocabulary: 1000}, sequence: 256, batch: {global: 32}}]
EOF

# column FILE NAME ROW - prints a cell
column() {
    awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        NR == row + 1 { print $c }' "$1"
}

# adds_up FILE - checks that compute, bubbles, exposed times and other waits of
# each row are the iteration, to the picosecond
adds_up() {
    awk -F, '
    function ps(cell) { sub(/\./, "", cell); return cell + 0 }
    NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
    {
        sum = whole = bubble = 0
        for (i = 1; i <= NF; i++) {
            if (name[i] == "iteration_time_us") whole = ps($i)
            if (name[i] ~ /^(compute_time|bubble_.*|exposed_(tp|cp|ep|pp|dp)|other_wait)_us$/) sum += ps($i)
            if (name[i] ~ /^bubble_/) bubble += ps($i)
        }
        if (whole == 0 || sum != whole || bubble == 0) { print "row " NR ": " sum " of " whole; bad = 1 }
    }
    END { exit bad || NR < 2 }' "$1"
}

has_columns() {
    head -1 "$1" | grep -q ',parameters,.*,mfu,.*,exposed_dp_us,other_wait_us,.*,notes,status$'
}

sweep() {
    "$ACESIM" sweep $1.yaml -o $1 >out 2>err
}

check 'a sweep of a language model runs' sweep model
check 'its rows have columns of their own' has_columns model/runs.csv
check 'the parts of an iteration add up' adds_up model/runs.csv
check 'a sweep of other workloads runs' sweep other
check 'it has no such columns' eval '! grep -q mfu other/runs.csv'
check 'its header has as many cells as its rows' eval \
    '[ "$(awk -F, "{ print NF }" other/runs.csv | sort -u | wc -l)" = 1 ]'
check 'a sweep of both runs' sweep both
check 'it has the columns' has_columns both/runs.csv
check 'they are empty in rows of others' [ -z "$(column both/runs.csv mfu 1)" ]
check 'they are not empty in the row of the model' [ -n "$(column both/runs.csv mfu 2)" ]

"$ACESIM" report both >out 2>err
check 'a report has the figures of language models' grep -q 'data-c="mfu">MFU, %<' both/report.html
check 'their parts are bubble and axes of the mesh' grep -q '"name":"compute","label":"kernels","group":"compute"' both/report.json
"$ACESIM" report other >out 2>err
check 'a report of others has none' eval '[ -s other/report.html ] && ! grep -q "MFU" other/report.html'

"$ACESIM" run base.yaml --csv run.csv --quiet
"$ACESIM" run base.yaml --json >run.json
check 'JSON has the same value' grep -q \
    "\"tokens_per_s_per_npu\": $(column run.csv tokens_per_s_per_npu 1)" run.json
"$ACESIM" run base.yaml >out
check 'the summary names the memory and the bubble' eval \
    'grep -q "^memory .*of the fullest rank" out && grep -q "^exposed .*dp" out'

"$ACESIM" run base.yaml --set workload.parallel='{tp: 2, pp: 4}' --memory memory.csv --csv run.csv --quiet
check 'the memory of each unit has a row: 4 stages, 32 micro-batches, 2 passes' \
    [ "$(wc -l <memory.csv)" = $((1 + 4 * 32 * 2)) ]
check 'each stage has one peak' [ "$(grep -c ',true$' memory.csv)" = 4 ]
check 'the highest peak is that of the run' [ "$(awk -F, 'NR > 1 && $6 > m { m = $6 } END { print m }' memory.csv)" = \
    "$(column run.csv memory_bytes 1)" ]
check 'no unit needs more than the peak of its stage' awk -F, 'NR > 1 { if ($12 == "true") peak[$1] = $6; if ($6 > most[$1]) most[$1] = $6 }
    END { for (s in most) if (most[s] != peak[s]) exit 1 }' memory.csv
check 'kinds add up in each row' awk -F, 'NR > 1 && $6 != $7 + $8 + $9 + $10 + $11 { exit 1 }' memory.csv

small=(--set workload.batch='{global: 16, micro: 2}' --set training.iterations=1)
"$ACESIM" run base.yaml "${small[@]}" --set workload.parallel='{tp: 2, pp: 2}' --explain --quiet --what-if-csv what-ifs.csv >out
prints 'an explanation has the bubble' '^bubble, warm-up '
prints 'it has exposed communication by axis' '^exposed communication, tp '
check 'another schedule, smaller micro-batches and another division are tried' eval \
    'grep -q "workload.schedule={kind: zb-h1}" what-ifs.csv && grep -q ",workload.batch.micro=1," what-ifs.csv &&
     grep -q "workload.parallel.tp=4 workload.parallel.pp=1," what-ifs.csv'
"$ACESIM" run base.yaml "${small[@]}" --set workload.parallel='{tp: 2, pp: 2}' --explain --quiet --what-if-csv nodes.csv \
    --set platform.topology='{kind: torus, dims: [{size: 2, links: 2, bandwidth: 100 GB/s, latency: 1 us}, {size: 4, links: 2, bandwidth: 10 GB/s, latency: 2 us}]}' >out
check 'a division whose tensor-parallel groups would leave a node is not tried' eval \
    'grep -q "workload.parallel.tp=1 workload.parallel.pp=4" nodes.csv && ! grep -q "workload.parallel.tp=4" nodes.csv'
check 'gradients beside kernels are tried' grep -q "workload.shard={kind: zero-1, overlap: true}" what-ifs.csv
check 'all of them run' eval '! grep "workload\." what-ifs.csv | grep -q ",,"'
us=$("$ACESIM" run base.yaml "${small[@]}" --set workload.parallel='{tp: 2, pp: 2}' --set workload.schedule='{kind: zb-h1}' --csv - |
    tail -1 | cut -d, -f4)
check 'a what-if has the time of that run' grep -q "kind: zb-h1.*,$us" what-ifs.csv

check 'products without a speed of training are noted' eval \
    '"$ACESIM" run base.yaml "${small[@]}" --set workload.parallel.tp=2 --json | grep -q "platform.npu.language has no speed of training for bf16"'
fast=("${small[@]}" --set workload.parallel='{tp: 2}' --set platform.npu.language='{bf16: {flops: 2 TFLOPS}, fp8: {flops: 4 TFLOPS}}')
"$ACESIM" run base.yaml "${fast[@]}" --explain --quiet --what-if-csv what-ifs.csv >out
us=$("$ACESIM" run base.yaml "${fast[@]}" --set platform.npu.language.bf16.flops='4 TFLOPS' --csv - | tail -1 | cut -d, -f4)
check 'a what-if has twice the arithmetic of the precision in use' \
    grep -q "platform.npu.language.bf16.flops=4 TFLOPS.*,$us" what-ifs.csv
check 'products with one are not' eval '! "$ACESIM" run base.yaml "${fast[@]}" --json | grep -q "speed of single kernels"'
check 'precisions that are not used are left alone' eval '! grep -q "fp8.flops" what-ifs.csv'

"$ACESIM" run base.yaml --set workload.parallel='{tp: 2, pp: 4}' --set training.iterations=1 --quiet --timeline t.json
check 'a timeline has a thread for each stage' \
    [ "$(grep -c '"thread_name".*"stage [0-3] (NPU [0-6])"' t.json)" = 4 ]
check 'each stage has a slice for each unit' eval \
    '[ "$(grep -c "\"ph\":\"B\".*\"name\":\"F[0-9]*\".*\"cat\":\"forward\"" t.json)" = 128 ] &&
     [ "$(grep -c "\"ph\":\"E\".*\"name\":\"B31\"" t.json)" = 4 ]'

# What is exposed of dp if weights are large and the batch is small.
exposed_dp() {
    "$ACESIM" run base.yaml --set workload.parallel.dp=8 --set training.iterations=4 \
        --set platform.topology.bandwidth="10 GB/s" --set workload.shard="$1" --csv exposed.csv --quiet
    column exposed.csv exposed_dp_us 1
}
check 'overlap hides gradients and weights, and fsdp with overlap its gathers' awk \
    -v plain="$(exposed_dp '{kind: zero-1}')" -v beside="$(exposed_dp '{kind: zero-1, overlap: true, bucket: 100000}')" \
    -v fsdp="$(exposed_dp '{kind: fsdp}')" -v waits="$(exposed_dp '{kind: fsdp, overlap: false}')" \
    'BEGIN { exit !(beside > 0 && beside < plain * 0.6 && fsdp > 0 && fsdp < waits * 0.6) }'
check 'a sharding that is left out is proposed if it fits' eval \
    '! "$ACESIM" run base.yaml --set workload.recompute=full --set platform.npu.hbm.capacity="26 MB" 2>err &&
     grep -q "what fits is shard: {kind: fsdp}" err'
check 'what is proposed runs' "$ACESIM" run base.yaml --quiet \
    --set workload.recompute=full --set platform.npu.hbm.capacity="26 MB" --set workload.shard="{kind: fsdp}"

check 'a run that does not fit is refused with what fits' eval \
    '! "$ACESIM" run base.yaml --set platform.npu.hbm.capacity="50 MB" 2>err &&
     grep -q "memory: a rank needs .* what fits is recompute: full" err'
check 'what fits runs' "$ACESIM" run base.yaml --quiet \
    --set platform.npu.hbm.capacity="50 MB" --set workload.recompute=full
check 'it runs all the same with a note' eval \
    '"$ACESIM" run base.yaml --set platform.npu.hbm.capacity="50 MB" --set training.memory=ignored --json |
     grep -q "more than the 0.04657 GiB of platform.npu.hbm.capacity: training.memory ignores it"'

check 'a solution by a column of language models is found' eval \
    '"$ACESIM" solve base.yaml --vary platform.topology.bandwidth --from "1 GB/s" --to "100 GB/s" --until "exposed_dp_us <= 1 ms" >out 2>err'
check 'other workloads have no such column' eval \
    '! "$ACESIM" solve base.yaml --set workload=$SRCDIR/configs/workloads/all-reduce-64MiB.yaml --vary platform.topology.bandwidth --from "1 GB/s" --to "100 GB/s" --until "exposed_dp_us <= 1 ms" >out 2>err &&
     grep -q "only language models have .exposed_dp_us." out err'

echo "1..$n"
