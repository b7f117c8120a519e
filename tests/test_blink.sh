#!/bin/bash
# test_blink.sh - schedules of Blink on real machines are correct and as fast as
# the links allow
#
# Its constants must equal those derived in validate/data/blink.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

# run PLATFORM COLLECTIVE BYTES SETTING... - runs and verifies a collective; its
# row is in rows.csv
run() {
    cat >run.yaml <<EOF
platform: $SRCDIR/configs/platforms/$1.yaml
stack: $SRCDIR/configs/stacks/blink.yaml
endpoint: {kind: ideal, message_cycles: 0}
workload: {kind: collective, name: one, collective: $2, payload: $3}
training: {iterations: 1, optimiser: none}
EOF
    shift 3
    "$ACESIM" run run.yaml --verify --csv rows.csv "$@" >out 2>err
}

# time_us - prints the time in rows.csv
time_us() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "iteration_time_us") c = i }
        NR == 2 { print $c }' rows.csv
}

# ---- fragments: classes with rings, without rings, and without NVLink -----

for npus in '0, 1, 4' '0, 2, 3' '0, 1, 2, 4' '1, 4' '0, 1, 2, 3, 4, 5, 6, 7'; do
    for kind in all-reduce broadcast reduce; do
        run dgx-1v $kind '4 MiB' --set "platform.topology.allocate=[$npus]" &&
            grep -q '^verified' out
        report $? "$kind among GPUs $npus of a DGX-1V is proved"
    done
done
run dgx-1v all-reduce '4 MiB' --set stack.hybrid=true \
    --set 'stack.peer_access=0 us' && grep -q '^verified' out
report $? 'with a share for the host it is proved, too'
run dgx-2 all-reduce '64 MiB' && grep -q '^verified' out
report $? 'in one hop on a DGX-2 it is proved'

# ---- rates relative to the minimum cut, 23.5 GB/s per link ----------------

# at_least GB_PER_S NAME - checks the algorithm bandwidth of 1 GiB in rows.csv
at_least() {
    awk -v us="$(time_us)" -v least="$1" \
        'BEGIN { exit !(us > 0 && 1073741824 / us / 1000 > least) }'
    report $? "$2"
}

run dgx-1v broadcast '1 GiB' --set 'stack.broadcast_rate=100 %'
at_least 133 'a broadcast to all of a DGX-1V gets 0.95 of its 6 links'
run dgx-1v all-reduce '1 GiB' --set 'stack.all_reduce_rate=100 %'
at_least 75 'an all-reduce of all of it 0.95 x 0.98 of 24 / 7 links'

# ---- measured: GPUs 0 and 1 with three chains, 64 MiB, 1322.5 us ----------

"$ACESIM" run "$SRCDIR/configs/papers/blink/dgx1v-chains.yaml" --csv rows.csv \
    >out 2>err
awk -v us="$(time_us)" 'BEGIN { exit !(us > 1322.5 * 0.98 && us < 1322.5 * 1.02) }'
report $? 'three chains of a DGX-1V take what was measured, within 2 %'

echo "1..$n"
