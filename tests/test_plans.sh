#!/bin/bash
# test_plans.sh - tests of `acesim optimise` for plans of language models
#
# ACESIM_DRAWS=50 compares the search with one that simulates all plans for 50
# random small models and machines; 2 by default.

. "$SRCDIR/tests/shell.sh"

# make_case SEED - writes run.yaml with a random small model and machine
make_case() {
    awk -v seed="$1" '
    function pick(list,    n, w) {
        n = split(list, w, "|")
        return w[1 + int(rand() * n)]
    }
    BEGIN {
        srand(seed)
        for (i = 0; i < 5; i++)
            rand() # the first numbers of near seeds are alike
        hidden = pick("512|1024|2048")
        print "platform:\n  name: small\n  topology: " pick( \
            "{kind: switch, npus: 8, bandwidth: 100 GB/s, latency: 1 us}|" \
            "{kind: nested, count: 2, inner: {kind: switch, npus: 4, " \
            "bandwidth: 200 GB/s, latency: 500 ns}, nics: 4, nic: " \
            "{bandwidth: 25 GB/s, latency: 1 us}, rails: true, outer: " \
            "{kind: switch, bandwidth: 25 GB/s, latency: 1 us}}|" \
            "{kind: switch, npus: 4, bandwidth: 50 GB/s, latency: 500 ns}")
        print "  npu: {sms: 64, clock: 1 GHz, flops: " pick("50|100|300") \
            " TFLOPS, hbm: {bandwidth: 1 TB/s, capacity: " pick("1|2|16") \
            " GB}}"
        print "endpoint: " pick("{kind: ideal, name: i}|" \
            "{kind: baseline, name: b, sms: 8, memory_bandwidth: 200 GB/s}|" \
            "{kind: baseline, name: c, sms: 4, memory_bandwidth: 50 %, " \
            "only_while_communicating: true}")
        print "workload:\n  kind: transformer"
        print "  model: {name: small, layers: " pick("3|4") ", hidden: " \
            hidden ", heads: 8, ffn: " 4 * hidden ", vocabulary: 8000" \
            (rand() < 0.3 ? ", experts: {count: 8, per_token: 2, ffn: " \
                            hidden "}" : "") "}"
        print "  sequence: " pick("1024|2048")
        print "  batch: {global: 8}"
        print "training: {precision: bf16, gradient: fp32, optimiser: adam, " \
            "iterations: 1, compute: roofline}"
    }' >run.yaml
}

# best FILE - prints the shortest time of a search
best() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "iteration_time_us") c = i }
        NR > 1 && $c != "" && (least == "" || $c + 0 < least + 0) { least = $c }
        END { print least }' "$1"
}

# time_of ARGUMENT... - prints the iteration time of a run, in microseconds
time_of() {
    "$ACESIM" run "$@" --csv - |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
            NR == 2 { print $c }' name=iteration_time_us
}

# refuses NAME STATUS PATTERN ARGS... - checks that acesim ends with STATUS and
# prints a line that matches on standard error
refuses() {
    local name=$1 status=$2 pattern=$3
    shift 3
    "$ACESIM" "$@" >out 2>err
    [ $? = "$status" ] && grep -q -- "$pattern" err
    report $? "$name"
}

for ((seed = 1, cases = 0; cases < ${ACESIM_DRAWS:-2}; seed++)); do
    make_case "$seed"
    few=(run.yaml --keep "micro,cp,pieces")
    # No plan of some cases fits the memory; they are passed over.
    "$ACESIM" optimise "${few[@]}" --evaluations 1 >out 2>err ||
        { grep -q 'plans fits the' err && continue; }
    cases=$((cases + 1))
    rm -f some.csv all.csv
    says "plans of case $seed are searched" 0 '' optimise "${few[@]}" \
        --csv some.csv
    says "and all are run" 0 '' optimise "${few[@]}" --all --csv all.csv
    [ "$(wc -l <all.csv)" -le 201 ]
    report $? "they are at most 200"
    awk -v a="$(best some.csv)" -v b="$(best all.csv)" -v seed="$seed" \
        'BEGIN { print "case", seed ": the search", a, "us, all", b, "us"
                 exit !(a > 0 && b > 0 && a <= 1.01 * b) }'
    report $? "no plan of all is more than 1 % faster"
done

# The estimates of plans of four stages are 2.7 times too high here, those of two 1.7
# times, so that the former seemed to be out when only the latter had been run.
cat >run.yaml <<EOF
platform: {topology: {kind: switch, npus: 4, bandwidth: 100 GB/s, latency: 500 ns}, npu: $SRCDIR/configs/npus/b200.yaml}
endpoint: {kind: baseline, sms: 24, memory_bandwidth: 50 %, only_while_communicating: true}
stack: {kind: nccl}
workload:
  kind: transformer
  name: drawn
  model: {name: m, layers: 4, hidden: 4096, heads: 8, ffn: 16384, vocabulary: 32000}
  sequence: 1024
  batch: {global: 8}
  parallel: {tp: 1}
  schedule: {kind: 1f1b}
  shard: {kind: zero-1, overlap: true}
training: {precision: bf16, gradient: fp32, optimiser: adam, iterations: 1}
EOF
few=(run.yaml --keep "pieces")
says 'plans of few layers and a large vocabulary are searched' 0 '' \
    optimise "${few[@]}" --csv some.csv
says 'and all of these are run' 0 '' optimise "${few[@]}" --all --csv all.csv
[ "$(best some.csv)" = "$(best all.csv)" ]
report $? 'each number of stages is tried'

make_case 3
few=(run.yaml --keep "micro,cp")
says 'the best is written' 0 'wrote best.yaml' optimise "${few[@]}" -j1 \
    --csv one.csv -o best.yaml
cp out one.out
[ "$(time_of best.yaml)" = "$(best one.csv)" ]
report $? 'a run of it takes what was found, to the picosecond'
eval "options=($(sed -n 's/^ 1  *--set/--set/p' one.out))"
[ "$(time_of run.yaml "${options[@]}")" = "$(best one.csv)" ]
report $? 'so does the file with the printed options'
prints 'the ten best are printed' '^10 '
says 'two at a time' 0 '' optimise "${few[@]}" -j2 --csv two.csv
cmp -s one.csv two.csv && cmp -s out one.out
report $? 'find the same to the byte'
says 'a search is kept' 0 '' optimise "${few[@]}" --evaluations 4 --resume kept
says 'and goes on' 0 '' optimise "${few[@]}" --resume kept --csv three.csv
cmp -s one.csv three.csv
report $? 'to the same end'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
    NR > 1 && $c["iteration_time_us"] != "" {
        n++
        wrong += $c["bound_us"] > $c["iteration_time_us"] + 0
    }
    END { exit !(n >= 10 && wrong == 0) }' one.csv
report $? 'no plan is faster than its bound'
# A signal ends a search while single layers are run; some of them are kept.
"$ACESIM" optimise "${few[@]}" -j1 --resume ended >out 2>err &
pid=$!
for ((i = 0; i < 200; i++)); do
    [ -s ended ] && [ "$(wc -l <ended)" -gt 4 ] && break
    sleep 0.02
done
kill -INT $pid
wait $pid
[ $? = 130 ] && grep -q 'after [0-9]* of [0-9]* runs of a few layers' err
report $? 'a search that ^C ends early says what is kept'
says 'it goes on with the rest' 0 '' optimise "${few[@]}" --resume ended --csv four.csv
cmp -s one.csv four.csv
report $? 'and ends as if it had not stopped'
says 'the best as JSON' 0 '' optimise "${few[@]}" --json
python3 -c '
import json, sys
found = json.load(open("out"))
times = [one["iteration_time_us"] for one in found["best"]]
sys.exit(not (len(times) == 10 and times == sorted(times) and found["is_complete"]))'
report $? 'are ten in order'
says 'a key is kept' 0 '' optimise run.yaml --keep pp,micro --csv kept.csv
! grep -q 'parallel.pp=[2-9]' kept.csv
report $? 'in all plans'
says 'schedules of one division are rated' 0 '' optimise run.yaml \
    --set workload.parallel='{pp: 2}' --set workload.shard='{kind: replicated}' \
    --set platform.npu.hbm.capacity='100 GB' --memory '100 GB' \
    --keep tp,cp,pp,ep,dp,micro,shard,overlap,recompute,pieces,chunks --csv schedules.csv
awk -F, '{ for (i = 1; i <= NF; i++) if ($i ~ /zb-h1}/) zb = $2; else if ($i ~ /1f1b}/) plain = $2 }
    END { exit !(zb > 0 && zb + 0 < plain + 0) }' schedules.csv
report $? 'passes for gradients of weights fill the bubble in a bound'
says 'groups of a sharding are kept' 0 '' optimise run.yaml \
    --set 'workload.shard={kind: hsdp, within: 2, overlap: false}' \
    --set platform.npu.hbm.capacity='100 GB' --keep shard,micro,cp
prints 'with their ranks' 'shard={kind: hsdp, within: 2, overlap: false}'

long=(run.yaml --set workload.sequence=8192 --set workload.parallel='{cp: 2}'
    --set 'platform.npu.hbm.capacity=100 GB' --set workload.batch.global=4)
says 'both exchanges of keys and values are rated' 0 '' optimise "${long[@]}" \
    --keep tp,cp,pp,ep,dp,schedule,chunks,micro,shard,overlap,recompute,pieces --all --csv cp.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    { us[/cp_exchange=ring/ ? "ring" : "all-gather"] = $c["iteration_time_us"] }
    END { exit !(NR == 3 && us["ring"] > 0 && us["ring"] < us["all-gather"]) }' cp.csv
report $? 'a ring hides them behind attention to a long sequence'
ring=(--set workload.parallel.cp_exchange=ring)
[ "$(time_of "${long[@]}" "${ring[@]}")" = "$(best cp.csv)" ]
report $? 'and a run of it takes as long'
says 'an exchange is kept' 0 '' optimise "${long[@]}" --keep cp_exchange --evaluations 1 --csv kept.csv
! grep -q 'cp_exchange=ring' kept.csv
report $? 'in all plans of cp'

refuses 'what does not fit' 1 \
    'run.yaml:7:3: memory: none of [0-9]* plans fits the 0.01863 GiB of an NPU; the nearest needs .* GiB too much: workload.parallel.tp=' \
    optimise run.yaml --set 'platform.npu.hbm.capacity=20 MB'
refuses 'less memory is allowed' 1 'memory: none of' optimise run.yaml \
    --memory '20 MB'
refuses 'a batch that no division suits' 1 'batch' optimise run.yaml \
    --set workload.batch.global=1 --keep dp
refuses 'an unknown key' 2 "--keep: no key 'tq' of a plan; did you mean 'tp'?" \
    optimise run.yaml --keep tq
refuses 'another workload has no plans' 2 \
    '--keep, --all and --json are of a language model' optimise \
    "$SRCDIR/configs/runs/isca21.yaml" --json

echo "1..$n"
