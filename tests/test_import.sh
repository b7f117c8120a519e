#!/bin/bash
# test_import.sh - `acesim import` of the samples gives programs that run
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

samples=$SRCDIR/tests/samples

# number KEY - prints a number in rep.json
number() {
    awk -F'[:,]' -v key="\"$1\"" '$1 ~ key { print $2 + 0; exit }' rep.json
}

# iteration - prints the iteration time in rows.csv, in microseconds
iteration() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "iteration_time_us") c = i }
        END { print $c }' rows.csv
}

# ---- DLRM on 8 ranks: times of Kineto, sizes of host execution traces -----

tar xzf "$samples/kineto-dlrm8-v100.tar.gz"
tar xzf "$samples/hostet-dlrm8-v100.tar.gz"
"$ACESIM" import dlrm_kineto dlrm_pytorch_et -o dlrm.yaml --run-file run.yaml \
    --report rep.json >out 2>err
report $? 'DLRM is imported'
grep -q 'from: "8 files of kineto, 8 of host-et"' dlrm.yaml
report $? 'of which files is told by format'
prints 'collectives are matched' '^matched .* 8  collectives, by their order'
[ "$(number sizes_by_order)" = 64 ]
report $? 'all of them have sizes'
awk -v ps="$(number network_ps)" 'BEGIN { exit !(ps > 150e6 && ps < 250e6) }'
report $? 'the network needed 0.2 ms'
awk -v ps="$(number comm_longest_ps)" 'BEGIN { exit !(ps > 11.2e9 && ps < 11.4e9) }'
report $? 'of the 11.3 ms that kernels of one rank show'
"$ACESIM" run run.yaml -q --csv rows.csv >out 2>err
awk -v us="$(iteration)" 'BEGIN { exit !(us > 20823 * 0.99 && us < 20823 * 1.01) }'
report $? 'replayed it takes what it took'
"$ACESIM" run run.yaml -q --csv rows.csv --set platform.topology.npus=16 >out 2>err
awk -v us="$(iteration)" 'BEGIN { exit !(us > 20823 * 0.99 && us < 20823 * 1.01) }'
report $? 'on twice as many NPUs, too'
"$ACESIM" run run.yaml -q --csv rows.csv --set platform=dgx-1v \
    --set training.communication=simulated --set endpoint=ace >out 2>err
report $? 'on another machine, with ACE'
"$ACESIM" import dlrm_kineto -o - --gaps drop >bare.yaml 2>err
! grep -q ', gap' bare.yaml
report $? 'gaps can be dropped'

# ---- all other samples can be imported and run ----------------------------

tar xzf "$samples/astra2-et.tar.gz"
cp "$samples"/*.txt "$samples"/*.goal "$samples"/*.gz "$samples"/chakra-*.json .
rm -f ./*.tar.gz
for file in a*.txt *.goal kineto-*.gz nsys-*.gz chakra-*; do
    "$ACESIM" import "$file" -o one.yaml --run-file one-run.yaml >out 2>err &&
        "$ACESIM" run one-run.yaml >out 2>err
    report $? "$file is imported and runs"
done
"$ACESIM" import astra2-et/custom*.et -o one.yaml --run-file one-run.yaml \
    >out 2>err && "$ACESIM" run one-run.yaml >out 2>err
report $? 'messages of a ring do not wait for each other'

# Copies and kernels of a stream run one after the other.  If they overlapped,
# the iteration would be 3 % shorter.
"$ACESIM" import nsys-*.gz -o one.yaml --run-file one-run.yaml >out 2>err
grep -q '^  *33  waits, and what for$' out
report $? 'waits of the host are known by what they waited for'
"$ACESIM" run one-run.yaml -q --csv rows.csv >out 2>err
awk -v us="$(iteration)" 'BEGIN { exit !(us > 299961 * 0.999 && us < 299961 * 1.001) }'
report $? 'what Nsight Systems recorded takes what it took'

"$ACESIM" run one-run.yaml --set training.communication=simulated >out 2>err
grep -q '^warning: the recording does not say how much 33 communications move' out
report $? 'payloads that are not known are told where they are simulated'
"$ACESIM" run one-run.yaml >out 2>err && ! grep -q '^warning' out
report $? 'and not where times are as recorded'

# The gradients of ResNet-50 are listed by layer, and as recorded.
"$ACESIM" import chakra-resnet50-ddp.0.et.gz -o one.yaml >out 2>err
bytes=$(awk -F'bytes: ' '/collective: all-reduce/ { n = $2 + 0
        if ($2 ~ /^[0-9.]+ KiB/) n *= 1024
        if ($2 ~ /^[0-9.]+ MiB/) n *= 1048576
        sum += n } END { print sum }' one.yaml)
[ "$bytes" = 102228128 ]
report $? 'ResNet-50 reduces 102,228,128 bytes'

# ---- reports and warnings of an import ------------------------------------

"$ACESIM" import astra1-Resnet50*.txt -o one.yaml --run-file one-run.yaml >out 2>err
grep -q '^inferred  *1  ranks, as the recording does not say how many' out &&
    grep -q '^ *npus: 1  # assumed' one-run.yaml
report $? 'how many ranks were assumed is told'
"$ACESIM" import astra1-Resnet50*.txt -o one.yaml --ranks 8 >out 2>err
! grep -q 'does not say how many' out
report $? 'and not where they are given'
"$ACESIM" import simai-moe-9216gpu.txt -o one.yaml >out 2>err
grep -q ' 384  messages between stages of a pipeline that a rank sends$' out
report $? 'messages between stages that are left out are counted'
for kind in rank-twice outside-world not-in-group no-duration; do
    "$ACESIM" import "$samples/faults/$kind"/*.json -o one.yaml >out 2>err
    grep -q "\.json.*: error: .* \[$kind\]\$" err &&
        grep -q "^\[$kind\]: an import " err
    report $? "a recording that is wrong is told by file: $kind"
done

# ---- errors of an import --------------------------------------------------

"$ACESIM" import dlrm_kineto >out 2>err
status=$?
[ "$status" = 2 ] && grep -q '^-o: ' err
report $? 'where to is required'
"$ACESIM" import dlrm_kineto -o x.yaml --iteration 9 >out 2>err
grep -q '^there is no iteration 9 in the recording, which has 1$' err
report $? 'an iteration that is not there is told'
[ ! -e x.yaml ]
report $? 'and nothing is written'

echo "1..$n"
