#!/bin/bash
# test_solve.sh - tests of `acesim solve`: results, and messages if there is no
# solution

. "$SRCDIR/tests/shell.sh"
run=$SRCDIR/configs/runs/isca21.yaml

# near NAME KEY VALUE - checks that the answer is within 1 % of VALUE GB/s
near() {
    sed -n "s|^$2 = \(.*\) GB/s$|\1|p" out |
        awk -v v="$3" '{ ok = $1 > 0.99 * v && $1 < 1.01 * v }
            END { exit !ok }'
    report $? "$1"
}

cat >ok.yaml <<EOF
platform:
  name: pair
  topology: {kind: switch, npus: 4, bandwidth: 25 GB/s, latency: 10 us}
  npu: $SRCDIR/configs/npus/ace-v100-like.yaml
endpoint: {kind: ace, name: ace, chunks_per_fsm: 1}
workload: {kind: collective, name: c, collective: all-reduce, payload: 8 MiB}
collectives: {chunk: 64 KiB, message: 8 KiB, window: 64}
EOF
sed 's/endpoint:.*/endpoint: {kind: ideal, name: i}/' ok.yaml >ideal.yaml
echo '{kind: ideal, name: i}' >endpoint.yaml

# ---- the study of memory bandwidth in validate/README.md -------------------

alone=(--set "workload=$SRCDIR/configs/workloads/all-reduce-64MiB.yaml"
    --set training.iterations=1)
free='launch_time: 0 ns' # as in the study
share=(--vary endpoint.memory_bandwidth --from '32 GB/s' --to '900 GB/s'
    --until 'net_bw_gb_per_s >= 90 % of ideal')
says 'the share for 90 % of the ideal network bandwidth is found' 0 '' \
    solve "$run" "${alone[@]}" --set "endpoint={kind: baseline, sms: 80, $free, step_time: 0 ns}" \
    "${share[@]}"
near "it is the baseline's of the study" endpoint.memory_bandwidth 379.3
says "ACE's is found likewise" 0 '' solve "$run" "${alone[@]}" --set \
    "endpoint={kind: ace, sram: 64 MiB, fsms: 64, chunks_per_fsm: 64, $free}" \
    "${share[@]}"
near "it is ACE's of the study" endpoint.memory_bandwidth 113.2
says 'six SMs reach it too' 0 '' solve "$run" "${alone[@]}" --set \
    "endpoint={kind: baseline, sms: 6, $free, step_time: 0 ns}" "${share[@]}"
near 'with the same share' endpoint.memory_bandwidth 379.3

# ---- answers of `acesim solve` --------------------------------------------

says 'a whole number is found exactly' 0 '' solve ok.yaml \
    --vary endpoint.fsms --from 1 --to 16 \
    --until 'net_bw_gb_per_s >= 70 % of ideal'
least=$(sed -n 's/^endpoint.fsms = //p' out)
grep -qx "fails at $((least - 1)), holds at $least" out
report $? 'its neighbour fails'
bw() {
    "$ACESIM" run "$1" --csv - "${@:2}" |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
            END { print $c }' name=net_bw_gb_per_s
}
awk -v below="$(bw ok.yaml --set endpoint.fsms=$((least - 1)))" \
    -v above="$(bw ok.yaml --set endpoint.fsms="$least")" \
    -v ideal="$(bw ideal.yaml)" \
    'BEGIN { exit !(below < 0.7 * ideal && above >= 0.7 * ideal) }'
report $? 'by run the same comes out'
for of in endpoint.yaml ideal.yaml; do
    "$ACESIM" solve ok.yaml --vary endpoint.fsms --from 1 --to 16 \
        --until "net_bw_gb_per_s >= 70 % of $of" >out 2>err
    [ "$(tail -n 1 out)" = "endpoint.fsms = $least" ]
    report $? "the share may be of $of"
done
"$ACESIM" solve ok.yaml --vary endpoint.fsms --from 1 --to 16 --csv - \
    --until 'net_bw_gb_per_s >= 70 % of ideal' >out 2>err
[ "$(head -n 1 out)" = \
    'endpoint.fsms,net_bw_gb_per_s,goal_net_bw_gb_per_s,holds,status' ] &&
    grep -q "^$least,.*,true,ok$" out && ! grep -q least out
report $? 'rows of what was tried go to a file, or to standard output alone'

link=platform.topology.bandwidth
says 'what is varied is varied in the other run as well' 1 \
    'net_bw_gb_per_s > 100 % of ideal.yaml holds nowhere from 1 GB/s to 9 GB/s' \
    solve ok.yaml --vary $link --from '1 GB/s' --to '9 GB/s' \
    --until 'net_bw_gb_per_s > 100 % of ideal.yaml'
says 'what holds at the beginning is said to' 0 '' solve ok.yaml \
    --vary $link --from '1 GB/s' --to '9 GB/s' \
    --until 'net_bw_gb_per_s < 5 GB/s'
prints 'with where it ends' '^holds up to .* GB/s, fails at '
prints 'and the answer is where the range begins' "^$link = 1 GB/s$"
says 'several keys get one value' 0 '' solve "$run" "${alone[@]}" \
    --vary platform.topology.dims.1.bandwidth,platform.topology.dims.2.bandwidth \
    --from '10 GB/s' --to '100 GB/s' --until 'iteration_time_us < 1 ms'
[ "$(grep -c '^platform.topology.dims.[12].bandwidth = .* GB/s$' out)" = 2 ]
report $? 'and all stand in the answer'
says 'a value that the models refuse does not hold' 0 '' solve ok.yaml \
    --vary endpoint.sram --from '2 KiB' --to '4 MiB' \
    --until 'net_bw_gb_per_s > 1 GB/s'
prints 'values are in a unit of the range' '^ *0.5 MiB '
! grep -q '[0-9] \(kB\|MB\) ' out
report $? 'and in no other'
prints 'it says why' '^2 KiB cannot be run: --vary:1:1: sram: 2048 bytes'

# As in README.md, communication after computation is nearly as fast.
says 'where offload stops paying can be asked' 0 '' solve "$run" \
    --set "endpoint=$SRCDIR/configs/endpoints/no-overlap.yaml" \
    --set training.overlap=false --from '5 GB/s' --to '200 GB/s' \
    --vary platform.topology.dims.1.bandwidth,platform.topology.dims.2.bandwidth \
    --until "iteration_time_us <= 125 % of $run"
near 'the answer is that of the runs' platform.topology.dims.1.bandwidth 28.65

# ---- errors of `acesim solve` ---------------------------------------------

says 'every part of the question is needed' 2 'missing --until CONDITION
try: acesim solve --help' solve ok.yaml --vary a --from 1 --to 2
says 'nothing to vary is a usage error' 2 'missing --vary KEY
try: acesim solve --help' solve ok.yaml --vary '' --from 1 --to 2 \
    --until 'n_npus > 9'
says 'a condition has its columns' 1 \
    "--until:1:19: net_bw_gb_per_s: '90' has no unit; expected a bandwidth \
such as '200 GB/s'" \
    solve ok.yaml --vary a --from 1 --to 2 --until 'net_bw_gb_per_s > 90'
ask() {
    local name=$1 text=$2
    shift 2
    says "$name" 1 "$text" solve ok.yaml --until 'n_npus > 90' "$@"
}
ask 'a mistyped key has a suggestion' \
    "--vary:1:1: unknown key 'endpint'; did you mean 'endpoint'?" \
    --vary endpint.sram --from 1 --to 2
ask 'a beginning of another unit has its position' \
    "--from:1:1: sram: '1 GB/s' is no size; expected one such as '64 KiB'" \
    --vary endpoint.sram --from '1 GB/s' --to 2
ask 'a beginning that is no YAML has its position' \
    "--from:1:2: did not find expected node content while parsing a flow node \
that began at line 1" \
    --vary endpoint.sram --from '{:' --to 2
ask 'an end out of range has its position' \
    '--to:1:1: sram: 2 TiB is outside [1 KiB, 1 TiB]' \
    --vary endpoint.sram --from '1 MiB' --to '2 TiB'
ask 'what holds no number cannot be varied' \
    "--vary: 'endpoint.name' holds no number" \
    --vary endpoint.name --from a --to b
ask 'two keys of two types cannot be one value' \
    "--vary: 'endpoint.fsms' and 'platform.topology.efficiency' hold different \
things; --from 1x --to 4x varies both by a factor" --vary endpoint.fsms,platform.topology.efficiency --from 1 --to 1
ask 'a range that ends before it begins is an error' \
    '--to: 1 MiB is not above --from, 2 MiB' \
    --vary endpoint.sram --from '2 MiB' --to '1 MiB'
ask 'a range in which nothing runs is an error' \
    "no value of 'endpoint.sram' can be run: --vary:1:1: sram: 2048 bytes \
are less than one chunk needs in every partition, 131072 bytes; a smaller \
collectives.chunk needs less" \
    --vary endpoint.sram --from '2 KiB' --to '4 KiB'
says 'a file that is not there has its name' 1 \
    'none.yaml: cannot be read: No such file or directory' solve ok.yaml \
    --vary endpoint.fsms --from 1 --to 2 --until 'n_npus > 9 % of none.yaml'
says 'a tolerance of nothing is a usage error' 2 \
    '--tolerance: expected 0.0001 % to 50 %
try: acesim solve --help' solve ok.yaml --tolerance '0 %' \
    --vary endpoint.fsms --from 1 --to 2 --until 'n_npus > 9'

# ---- parameters with different units, changed by a factor -----------------

sed 's/endpoint:.*/endpoint: {kind: baseline, name: b, sms: 1, \
memory_bandwidth: 60 GB\/s, launch_time: 0 ns, step_time: 0 ns}/' ok.yaml >sms.yaml
both=(--vary endpoint.sms,endpoint.memory_bandwidth)
says 'SMs and share are found together' 0 '' solve sms.yaml "${both[@]}" \
    --from 1x --to 8x --until 'net_bw_gb_per_s >= 99 % of ideal' --csv f.csv
factor=$(sed -n 's/^endpoint.sms = .* (\(.*\)x)$/\1/p' out)
sed -n 's/^endpoint.memory_bandwidth = \(.*\) GB\/s (.*)$/\1/p' out |
    awk -v f="$factor" '{ ok = $1 > 59.9 * f && $1 < 60.1 * f } END { exit !ok }'
report $? 'the answer says what the factor comes to'
head -n 1 f.csv >out
[ "$(cut -d, -f1,2 out)" = endpoint.sms,endpoint.memory_bandwidth ] &&
    grep -q '^8,480 GB/s,' f.csv
report $? 'rows have values, not factors'
says 'what a factor makes of a value has its range' 1 \
    "--to:1:1: sms: 200000 is outside [1, 100000], a share of the NPU's SMs or auto" solve sms.yaml \
    --vary endpoint.sms --from 1x --to 200000x --until 'n_npus > 9'
says 'what is auto has no multiples' 1 \
    "--vary: 'endpoint.sms' holds nothing that has multiples" solve sms.yaml \
    --set endpoint.sms=auto --vary endpoint.sms --from 1x --to 2x \
    --until 'n_npus > 9'
says 'a value is solved for with a tuned endpoint, too' 0 '' solve sms.yaml \
    --set endpoint.sms=auto --set endpoint.memory_bandwidth=auto \
    --vary platform.topology.bandwidth --from '10 GB/s' --to '40 GB/s' \
    --until 'iteration_time_us <= 500 us'

echo "1..$n"
