#!/bin/bash
# test_killed.sh - studies whose runs are killed, as by the out-of-memory killer
#
# Missing results must be reported, and the status must not be 0.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
mkfifo pause # never written: a read with a timeout sleeps without a child process

# Without symmetry reduction a run takes about ten times as long as a child
# process may live, and a minute with sanitizers.
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
sed -n 's/^  //p' run.yaml >p.yaml
killed='killed by signal 9 (Killed) twice, as where memory is short'

# run_killing_children SPARED ARGS... - runs acesim and kills each child process
# soon after its start, except for the SPARED-th, counted from 1; results are in
# `out`, `err` and $status
#
# With what-ifs SPARED is 2, as one process runs some what-ifs ahead.
run_killing_children() {
    local spared=$1 pid children seen=('') # counted from 1
    shift
    "$ACESIM" "$@" >out 2>err &
    pid=$!
    while kill -0 $pid; do
        read -r -a children </proc/$pid/task/$pid/children
        for child in "${children[@]}"; do
            [[ " ${seen[*]} " = *" $child "* ]] || seen+=($child)
            [ "$child" = "${seen[spared]}" ] || kill -KILL $child
        done
        read -r -t .01 <>pause
    done 2>poll.err
    wait $pid
    status=$?
}

# ends NAME TEXT - checks that the last command ended with status 1 and printed
# exactly TEXT on standard error
ends() {
    printf '%s\n' "$2" >expected
    [ $status = 1 ] && cmp expected err >>out 2>&1
    report $? "$1"
}

run_killing_children 0 run run.yaml --explain --fold=off
ends 'where nobody follows the critical path there is no explanation' \
    "the run that the critical path is followed in: $killed"
if [ "$(nproc)" -gt 1 ]; then
    run_killing_children 2 run run.yaml --explain --json --what-if-csv what-if.csv --fold=off
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
run_killing_children 0 run run.yaml --critical-path -q --fold=off
ends 'those of a critical path are missed, where nothing else is said, too' \
    "the answer is not whole: 1 of 1 what-ifs did not run to the end; links, of \
half the latency: $killed"
run_killing_children 0 run jobs.yaml --alone --fold=off
ends 'jobs alone are missed' "the answer is not whole: 2 of 2 jobs alone did \
not run to the end; even: $killed"
prints 'and have a line' '^odd  .*  -  *-$'
run_killing_children 0 sweep sweep.yaml -o swept -j2 --fold=off
[ $status = 1 ] && [ "$(grep -c ",\"$killed\"$" swept/runs.csv)" = 2 ] &&
    grep -q '^2 of 2 points failed: ' err
report $? 'points of a sweep have failed'

# ---- studies with many runs -----------------------------------------------

run_killing_children 0 collectives "$PWD/p.yaml" --kind all-to-all --sizes '6 MiB,8 MiB' \
    --set 'collectives={chunk: 16 KiB, message: 1 KiB}' --fold=off
ends 'of collectives that are all killed none is told' \
    "the answer is not whole: 2 of 2 sizes did not run to the end; 6 MiB: $killed"
run_killing_children 0 classes "$SRCDIR/configs/platforms/dgx-1v.yaml" --least 8 \
    --simulate '1 GiB' --csv classes.csv
ends 'runs of classes are missed' "the answer is not whole: 4 of 4 runs did \
not run to the end; broadcast of blink on 0 1 2 3 4 5 6 7: $killed"
prints 'what is known without them is told' '^dgx-1v: 1 classes '
prints 'and that they were not run' "^4 of 4 were not run: $killed$"

# missed WHAT NAME - checks that the last command reported missing results of
# kind WHAT, the first of which has a name like NAME
missed() {
    [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] &&
        grep -q "^the answer is not whole: $n_lost of [0-9]* $1 did not run to \
the end; $2: $killed$" err
}

if [ "$(nproc)" -gt 1 ]; then
    run_killing_children 1 collectives "$PWD/p.yaml" --kind all-to-all --fold=off \
        --sizes '6 MiB,7 MiB,8 MiB' --csv sizes.csv \
        --set 'collectives={chunk: 16 KiB, message: 1 KiB}'
    n_lost=$(grep -c ",,,\"$killed\"$" sizes.csv)
    [ "$n_lost" -gt 0 ] && missed sizes '[678] MiB'
    report $? 'sizes that are killed are missed'
    prints 'and said to be' "^[678] MiB was not run: $killed$"
    run_killing_children 1 sensitivity run.yaml --metric iteration_time_us --fold=off -j2 \
        --only platform.npu.clock,collectives.chunk,collectives.message \
        --range collectives.chunk='8 KiB..32 KiB' \
        --range collectives.message='2 KiB..4 KiB' --csv sensitivity.csv
    n_lost=$(grep -c ",try,.*,\"ideal: $killed\"$" sensitivity.csv)
    [ "$n_lost" -gt 0 ] && missed configurations \
        "ideal with platform.npu.clock '622.5 MHz'"
    report $? 'values that are killed are missed'
else
    skip 'studies of which some runs are killed' 'one process makes them all'
fi
run_killing_children 1 optimise run.yaml --moves chunk --evaluations 4 -j2 --fold=off \
    --csv trials.csv
n_lost=$(grep -c ",\"$killed\"," trials.csv)
[ "$n_lost" -gt 0 ] && missed evaluations 'number 1, by chunk'
report $? 'trials that are killed are missed'
prints 'and counted' "; $n_lost not run$"
run_killing_children 0 optimise run.yaml --moves chunk --fold=off
ends 'without a run of the file as it is nothing is found' \
    "the answer is not whole: 1 of 1 evaluations did not run to the end; \
number 0, by default: $killed"

echo "1..$n"
