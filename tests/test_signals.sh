#!/bin/bash
# test_signals.sh - TERM ends any command soon and leaves no files
#
# Each command here would take minutes.  On a busy machine up to ten seconds are
# allowed.  A single event of an all-to-all creates hundreds of thousands of
# messages, so the program cannot rely on checks between events.

. "$SRCDIR/tests/shell.sh"
: >out
: >err

max_s=10

# run_of NPUS PAYLOAD COLLECTIVES [TOPOLOGY] - prints a run file
run_of() {
    cat <<END
platform:
  name: p
  topology: {kind: ${4:-switch, links: 1}, npus: $1, bandwidth: 1 GB/s, latency: 1 us}
  npu: $SRCDIR/configs/npus/ace-v100-like.yaml
endpoint: {kind: ideal, name: ideal}
collectives: {$3}
workload: {kind: collective, name: c, collective: all-to-all, payload: $2}
END
}

# worked PID - waits until a process has used 1.5 s of processor time, or for 20
# s, because on a busy machine it may still be starting after a second
worked() {
    local until=$((SECONDS + 20)) stat
    while read -r -a stat <"/proc/$1/stat" && [ $SECONDS -lt $until ] &&
        [ $((stat[13] + stat[14])) -lt 150 ]; do
        sleep .1
    done 2>/dev/null
}

# ends NAME STATUS PATTERN ARGS... - starts acesim and sends TERM after
# worked(); it must end soon with STATUS and a matching line on standard error
ends() {
    local name=$1 status=$2 pattern=$3 pid got from
    shift 3
    rm -rf here && mkdir here
    "$ACESIM" "$@" >out 2>err &
    pid=$!
    worked $pid
    from=$SECONDS
    if ! kill -TERM $pid 2>/dev/null; then
        echo 'it ended before it was told' >>err
        report 1 "$name"
        return
    fi
    while kill -0 $pid 2>/dev/null && [ $((SECONDS - from)) -le $max_s ]; do
        sleep .05
    done
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    got=$?
    [ $got = "$status" ] && { [ -z "$pattern" ] || grep -q "$pattern" err; } &&
        [ -z "$(find here -name '*.tmp')" ]
    report $? "$name"
}

full='interrupted by signal 15 (Terminated)'
run_of 1024 '1 GiB' 'chunk: 1 MiB, message: 8 KiB, window: 64' fully-connected >dense.yaml
run_of 64 '64 MiB' 'chunk: 1 MiB, message: 8 KiB, window: 64, fidelity: packet' >packets.yaml
run_of 16 '512 MiB' 'chunk: 64 B, window: 16' >chunks.yaml

ends 'TERM ends a run of slow events' 143 '' run dense.yaml --fold=off
ends 'and a collective by size' 143 '' collectives \
    "{name: p, topology: {kind: fully-connected, npus: 1024, bandwidth: 1 GB/s,
      latency: 1 us}, npu: $SRCDIR/configs/npus/ace-v100-like.yaml}" \
    --kind all-to-all --sizes '1 GiB' --set collectives.message='8 KiB' --fold=off
ends 'and one with a timeline, which is taken away' 143 '' \
    run dense.yaml --fold=off --timeline here/t.pftrace.gz
ends 'and one of packets' 143 "$full" run packets.yaml --fold=off
ends 'and one with a table of eight million chunks' 143 "$full" \
    run chunks.yaml --fold=off
ends 'and one by two threads' 143 "$full" run dense.yaml --fold=off --threads 2
ends 'and one that is to be explained' 143 '' run dense.yaml --explain \
    --fold=off

# Some what-ifs run ahead, while the run itself is running; the others run in
# parallel.
rm -rf here && mkdir here
"$ACESIM" run "$SRCDIR/configs/runs/isca21.yaml" -s collectives.chunk='2 KiB' \
    --explain --what-if-csv here/what-if.csv >out 2>err &
pid=$!
children=()
while kill -0 $pid && [ ${#children[@]} -lt 2 ]; do
    sleep .01
    read -r -a children </proc/$pid/task/$pid/children
done 2>poll.err
from=$SECONDS
kill -TERM $pid
wait $pid 2>/dev/null
[ $? = 143 ] && [ $((SECONDS - from)) -le $max_s ] &&
    [ ! -s out ] && [ -z "$(ls here)" ]
report $? 'and one whose what-ifs are run'
for _ in {1..100}; do
    kill -0 "${children[@]}" 2>/dev/null || break # both have ended
    sleep .05
done
! kill -0 "${children[0]}" 2>/dev/null && ! kill -0 "${children[1]}" 2>/dev/null
report $? 'and nobody goes on with them'

cat >sweep.yaml <<END
base: dense.yaml
axes:
  - collectives.window: [1, 2, 3]
END
ends 'TERM ends a sweep, which says how far it came' 143 '^interrupted: ' \
    sweep sweep.yaml -o here --fold=off -j2

# Reading a plan of a million points takes minutes.
{
    echo 'base: packets.yaml'
    echo 'axes:'
    echo "  - workload.payload: [$(seq -s ', ' -f '%.0f KiB' 1 1000)]"
    echo "  - collectives.window: [$(seq -s ', ' 1 1000)]"
} >million.yaml
ends 'TERM ends the reading of a plan' 143 '' sweep million.yaml -o here
echo "1..$n"
