#!/bin/bash
# kill_and_resume.sh KILLS POINTS SEED - kills a sweep at random moments, resumes it and
# compares the results
#
# A trial begins with an empty folder.  The sweep gets one to three signals
# (mostly KILL, also TERM and INT) at random moments and is then run again
# without signals.  All files but info.json must equal those of an undisturbed
# sweep.  No record that was complete at a kill may be lost or duplicated, and
# no process may remain.  KILLS is the number of signals that arrive before the
# end of the sweep.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

kills=$1 points=$2 seed=$3
cd "$TMPDIR" || exit 1
RANDOM=$seed
trap 'kill -9 $pid 2>/dev/null' EXIT

cat >kills.yaml <<EOF
base:
  platform:
    name: kills
    topology: {kind: switch, npus: 8, bandwidth: 25 GB/s, latency: 500 ns}
    npu: $SRCDIR/configs/npus/ace-v100-like.yaml
  endpoint: $SRCDIR/configs/endpoints/ace.yaml
  workload: {kind: collective, name: c, collective: all-reduce, payload: 1 MiB}
axes:
  - workload.payload: [$(seq -s ', ' -f '%g0 KiB' $((points / 5)))]
  - training.iterations: [1, 2, 3, 5, 8]
EOF
sweep() {
    exec "$ACESIM" sweep "$PWD/kills.yaml" --per-link --fold=off -j2 -o "$1" \
        >>"$1.log" 2>&1
}

# die REASON - prints the reason and how to repeat the trial, and exits
die() {
    echo "kill_and_resume.sh $kills $points $seed: trial $trial, $done_kills kills: $1"
    tail -n 5 "$PWD/work.log"
    exit 1
}

# n_records - counts complete records; the last one may be partial
n_records() {
    [ -e work/runs.journal ] || { echo 0 && return; }
    LC_ALL=C grep -acE '^[0-9a-f]{64} [0-9]+ [0-9a-f]{64}$' work/runs.journal
}

began_ms=$(($(date +%s%N) / 1000000))
(sweep undisturbed) || { tail undisturbed.log && exit 1; }
took_ms=$(($(date +%s%N) / 1000000 - began_ms))

trial=0 done_kills=0
while [ $done_kills -lt "$kills" ]; do
    trial=$((trial + 1))
    rm -rf work work.log
    for ((i = RANDOM % 3; i >= 0 && done_kills < kills; i--)); do
        sweep work &
        pid=$!
        ms=$((RANDOM % (took_ms + took_ms / 10 + 1)))
        sleep $((ms / 1000)).$(printf %03d $((ms % 1000)))
        signal=KILL
        [ $((RANDOM % 4)) = 0 ] && signal=TERM
        [ $((RANDOM % 8)) = 0 ] && signal=INT
        kill -$signal $pid 2>/dev/null
        wait $pid 2>/dev/null
        status=$?
        [ $status = 0 ] && continue
        [ $status -gt 128 ] || die "status $status"
        done_kills=$((done_kills + 1))
    done
    records=$(n_records)
    : >work.log
    (sweep work) || die "status $? when resumed"
    found=$(sed -n 's/^\([0-9]*\) of .* already done$/\1/p' work.log)
    [ "${found:-0}" -ge $((records - 1)) ] ||
        die "of $records records ${found:-0} were found"
    [ "$(n_records)" = "$points" ] || die "$(n_records) records at the end"
    [ "$(ls work)" = "$(ls undisturbed)" ] || die "files: $(ls work | xargs)"
    for file in runs.csv links.csv; do
        cmp undisturbed/$file work/$file >>work.log || die "$file differs"
    done
    cmp <(LC_ALL=C sort undisturbed/runs.journal) \
        <(LC_ALL=C sort work/runs.journal) || die 'the journal differs'
    ! grep -ls "$PWD/kills[.]yaml" /proc/[0-9]*/cmdline ||
        die 'a process is left'
done
echo "$done_kills kills of a sweep of $points points in $trial trials," \
    'all resumed to identical bytes'
