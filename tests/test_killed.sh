#!/bin/bash
# test_killed.sh - studies whose runs are killed, as by a system short of
# memory: what is missing is said, and the status is not 0
#
# ACESIM is the program, SRCDIR the top folder, TMPDIR a folder of our own.

. "$SRCDIR/tests/shell.sh"
mkfifo pause # nothing comes from it: nobody has to be begun to wait

# A run takes some ten times as long as a child is left alone, if none of its NPUs
# stands for others.  With sanitizers it takes a minute.
ACESIM=$ACESIM_RELEASE
all_to_all() { echo "{kind: collective, name: c, collective: all-to-all, payload: $1}"; }
cat >run.yaml <<EOF
platform:
  name: p
  topology: {kind: switch, npus: 32, bandwidth: 25 GB/s, latency: 500 ns}
  npu: $SRCDIR/configs/npus/ace-v100-like.yaml
endpoint: {kind: ideal, name: ideal}
collectives: {chunk: 16 KiB, message: 1 KiB}
workload: $(all_to_all '6 MiB')
EOF
sed '/^workload/d' run.yaml >jobs.yaml
cat >>jobs.yaml <<EOF
workload:
  kind: jobs
  name: two
  jobs:
    - {name: even, ranks: {list: [$(seq -s, 0 2 31)]}, workload: $(all_to_all '6 MiB')}
    - {name: odd, ranks: {list: [$(seq -s, 1 2 31)]}, workload: $(all_to_all '6 MiB')}
EOF
cat >sweep.yaml <<EOF
base: run.yaml
axes:
  - collectives.message: [1 KiB, 2 KiB]
EOF
killed='killed by signal 9 (Killed) twice, as where memory is short'

# bereaved SPARED ARGS... - into out, err and status: acesim, of which each child
# is killed soon after it was born, but for the first if SPARED is 1.
bereaved() {
    local spared=$1 pid children
    shift
    "$ACESIM" "$@" --fold=off >out 2>err &
    pid=$!
    while kill -0 $pid; do
        read -r -a children </proc/$pid/task/$pid/children
        [ "$spared" = 1 ] && spared=${children[0]:-1}
        for child in "${children[@]}"; do
            [ $child = $spared ] || kill -KILL $child
        done
        read -r -t .01 <>pause
    done 2>poll.err
    wait $pid
    status=$?
}

# ends NAME TEXT - so has the one before: with status 1, and that alone on
# standard error.
ends() {
    printf '%s\n' "$2" >expected
    [ $status = 1 ] && cmp expected err >>out 2>&1
    report $? "$1"
}

bereaved 0 run run.yaml --explain
ends 'where nobody follows the critical path there is no explanation' \
    "the run that the critical path is followed in: $killed"
if [ "$(nproc)" -gt 1 ]; then
    bereaved 1 run run.yaml --explain --json --what-if-csv what-if.csv
    n_lost=$(grep -c ",,,\"$killed\"$" what-if.csv)
    [ "$n_lost" -gt 0 ] && [ "$(grep -c ',ok$' what-if.csv)" = $((8 - n_lost)) ]
    report $? 'of what-ifs that are killed the rows have no time'
    [ $status = 1 ] && grep -q "^the answer is not whole: $n_lost of 8 what-ifs \
did not run to the end; .*: $killed$" err && [ "$(wc -l <err)" = 1 ]
    report $? 'they are missed'
    [ "$(grep -c "\"status\": \"$killed\"" out)" = "$n_lost" ] &&
        grep -q '"resource": "link_dim0"' out
    report $? 'and what is known is told'
else
    skip 'what-ifs that are killed' 'one process follows the path, too'
fi
bereaved 0 run run.yaml --critical-path -q
ends 'those of a critical path are missed, where nothing else is said, too' \
    "the answer is not whole: 1 of 1 what-ifs did not run to the end; links, of \
half the latency: $killed"
bereaved 0 run jobs.yaml --alone
ends 'jobs alone are missed' "the answer is not whole: 2 of 2 jobs alone did \
not run to the end; even: $killed"
prints 'and have a line' '^odd  .*  -  *-$'
bereaved 0 sweep sweep.yaml -o swept -j2
[ $status = 1 ] && [ "$(grep -c ",\"$killed\"$" swept/runs.csv)" = 2 ] &&
    grep -q '^2 of 2 points failed: ' err
report $? 'points of a sweep have failed'

echo "1..$n"
