#!/bin/bash
# test_shard.sh - several processes share one sweep in one folder
#
# No point is run twice while its worker is alive, no point is lost, and the
# results equal those of one process.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

cat >sweep.yaml <<END
base:
$(small_run | sed 's/^/  /')
axes:
  - workload.payload: [$(seq -s ', ' -f '%g0 KiB' 10)]
  - training.iterations: [1, 2, 3, 5]
END
# The second of these points takes a day.
sed 's/^  - workload.*//; s/\[1, 2, 3, 5\]/[1, 1000000, 2]/' sweep.yaml >hang.yaml
n_points=40

# share DIR I/N ARGS... - runs a worker; in the background its process id is $!
share() {
    [ $BASHPID = $$ ] && exec= || exec=exec
    $exec "$ACESIM" sweep "${file:-sweep.yaml}" -o "$1" -j1 --fold=off --shard "$2" \
        "${@:3}"
}
# gather DIR ARGS... - runs the command without --shard; results are in `out`,
# `err` and $status
gather() {
    "$ACESIM" sweep "${file:-sweep.yaml}" -o "$1" -j1 --fold=off "${@:2}" \
        >out 2>err
    status=$?
}
# ids DIR - prints the ids of all rows of the workers
ids() {
    LC_ALL=C grep -aohE '^[0-9a-f]{64} [0-9]+ [0-9a-f]{64}$' "$1"/runs.journal.* |
        cut -c 1-64
}
is_alone() { [ "$(ls -A "$1")" = "$(ls -A alone)" ]; }

gather alone
report $status 'one process alone'
is_same() { cmp "alone/runs.csv" "$1/runs.csv" && cmp alone/config.csv "$1/config.csv"; }

# ---- four workers on one sweep --------------------------------------------

pids=
for i in 1 2 3 4; do
    share four $i/4 -q 2>four.$i &
    pids+=" $!"
done
wait $pids
# a worker of this machine that was killed at its start, when its journal still
# had a temporary name
sh -c 'echo $$' >pid
boot=$(cut -c 1-8 /proc/sys/kernel/random/boot_id)
touch "four/runs.journal.here.$(cat pid).$boot.$(cat pid).tmp"
# This worker was killed before it claimed to be the first.
mkdir -p four/claims.far-away.7.00000000/word
touch four/claims.far-away.7.00000000/founder.json
cat four.? >err
[ "$(ids four | wc -l)" = $n_points ] && [ -z "$(ids four | sort | uniq -d)" ]
report $? 'four workers run each point once'
gather four && [ $status = 0 ] && is_same four && is_alone four &&
    grep -qx 'gathered what 4 workers have done' err &&
    grep -qx "$n_points of $n_points points are already done" err &&
    cmp <(sort alone/runs.journal) <(sort four/runs.journal)
report $? 'what they have done is gathered, and is that of one'
# counts DIR - prints the numbers of simulated, shared and checked points in
# info.json
counts() { sed -n 's/^  "n_[a-z]*": \([0-9]*\),$/\1/p' "$1/info.json" | paste -sd ' '; }
[ "$(counts four)" = "$n_points 0 0" ]
report $? 'and so is how many they simulated'

share steal 2/4 >out 2>err && [ "$(ids steal | wc -l)" = $n_points ] &&
    [ "$(head -n 1 err)" = 'worker 2 of 4' ] &&
    [ "$(tail -n 1 err)" = 'all points are done; the same command without --shard gathers all rows' ]
report $? 'a worker takes what others have not come to'
share steal 1/4 >out 2>err && [ "$(ids steal | wc -l)" = $n_points ] &&
    grep -q '^0/0, 0 failed' err
report $? 'and the next finds nothing left'
gather more -s training.overlap=false && share more 1/1 -q -s training.overlap=false 2>err &&
    [ -z "$(ids more)" ]
report $? 'rows that are in the folder are not made again'

# ---- workers that are killed ----------------------------------------------

# begun DIR N - waits until workers have completed N rows
begun() {
    for _ in {1..200}; do
        [ "$(ids "$1" 2>/dev/null | wc -l)" -ge "$2" ] && return
        sleep 0.05
    done
    return 1
}
file=hang.yaml
share dead 1/3 -q 2>first &
pid=$!
disown $pid
begun dead 1
sleep 0.3
share dead 2/3 --stale '60 s' 2>second >out &
other=$!
begun dead 2
gather dead
cp second second.err
[ $status = 1 ] && grep -q "^dead: 2 workers are still at it: process " err &&
    [ ! -e dead/runs.csv ]
report $? 'nothing is gathered while workers are at it, and it is said who is'
kill -INT $other
began=$(date +%s%N)
wait $other
[ $(($(date +%s%N) - began)) -lt 1000000000 ]
report $? '^C ends a worker within a second'
kill -9 $pid
for _ in {1..100}; do kill -0 $pid 2>/dev/null || break; sleep 0.05; done
cp -r dead away
for claim in away/claims/*/*.*/*.$pid.*; do mv "$claim" "${claim%/*}/far.$pid.0"; done
find dead/claims -exec touch {} +
began=$(date +%s%N)
share dead 3/3 --stale '60 s' --point-timeout '1 s' >out 2>err
[ $? = 1 ] && grep -q '^failed: training.iterations=1000000: took longer' err &&
    ! grep -q waiting err && [ $(($(date +%s%N) - began)) -lt 30000000000 ]
report $? 'what a worker of this machine was at that was killed is taken over at once'
find away/claims -exec touch {} +
share away 3/3 --stale '3 s' --point-timeout '1 s' >out 2>err
[ $? = 1 ] && grep -q '^failed: training.iterations=1000000: took longer' err
report $? 'what one of another machine was at when it is stale'
grep -qx 'waiting up to 3 s for a sign of life of the workers that have the last points: 1 block' err
report $? 'and who waits for that says so'
[ "$(ids dead | sort | uniq -d | wc -l)" = 0 ]
report $? 'and nothing that it had done is done again'
gather dead --point-timeout '1 ms'
[ $status = 1 ] && grep -q '^3 of 3 points are already done$' err &&
    grep -q '^failed: training.iterations=1000000: took longer than 1 s$' err &&
    [ "$(grep -c ',ok$' dead/runs.csv)" = 2 ]
report $? 'a failure is gathered, too, and not run once more'
gather dead --point-timeout '1 ms'
[ $status = 1 ] && grep -q ': took longer than 1 ms$' err
report $? 'and tried again by the next command'
file=

# ---- workers of other machines --------------------------------------------

# The process of this claim and lock runs on another machine, so its state is
# unknown.
mkdir -p far/runs.lock/far-away.7.00000000
gather far --stale '1 s' && [ $status = 0 ] && is_same far && is_alone far &&
    [ "$(head -n 1 err)" = 'far: waiting, for up to 1 s, to see whether another sweep, process 7 on far-away, is still at it' ]
report $? 'a lock of another machine is taken when nobody touches it'
mkdir -p far/runs.lock/far-away.7.00000000
while sleep 0.2; do touch far/runs.lock/far-away.7.00000000; done &
toucher=$!
gather far
[ $status = 1 ] && grep -qx 'far: in use by another sweep, process 7 on far-away' err
report $? 'and not while somebody does'
share far 1/2 >out 2>err
[ $? = 1 ] && grep -qx 'far: in use by another sweep, process 7 on far-away' err &&
    [ -z "$(ls -d far/claims/*/worker.* 2>/dev/null)" ]
report $? 'nor does a worker begin then'
kill $toucher
wait $toucher 2>/dev/null

# ---- a worker of another sweep --------------------------------------------

sed 's/1, 2, 3, 5/7, 8/' sweep.yaml >another.yaml
other_first="workers of another sweep, $PWD/%s, were here first, and what they do \
has not been gathered; take another folder (-o DIR)"
# first_of_two DIR - starts workers of two sweeps at the same time; checks that
# one is refused and the other completes its points
first_of_two() {
    share "$1" 1/1 -q 2>"$1.1" & one=$!
    file=another.yaml share "$1" 1/1 -q 2>"$1.2" & two=$!
    wait $one
    one=$?
    wait $two
    two=$?
    cat "$1.1" "$1.2" >err
    case $one$two in
    01) first=sweep.yaml points=$n_points ;;
    10) first=another.yaml points=$((n_points / 2)) ;;
    *) return 1 ;;
    esac
    # a worker that starts late finds rows of the other sweep
    grep -qxF "$1: $(printf "$other_first" $first)" err ||
        grep -q "^$1: has [0-9]* rows* of another sweep, $PWD/$first, " err
    [ $? = 0 ] && [ "$(ids "$1" | wc -l)" = $points ] &&
        grep -q "\"path\": \"$PWD/$first\"" "$1/info.json" &&
        file=$first gather "$1" && [ $status = 0 ] &&
        ! ls "$1" | grep -q 'claims\|journal[.]'
}
for _ in {1..8}; do
    rm -rf first
    first_of_two first
    status=$?
    [ $status = 0 ] || break
done
report $status 'of two sweeps whose first workers come at once, one is refused'
file=another.yaml share begun 1/1 -q 2>err >out
rm -r begun/runs.journal.* begun/info.json begun/claims/*/*
share begun 1/1 -q 2>err
[ $? = 1 ] && [ "$(cat err)" = "begun: $(printf "$other_first" another.yaml)" ] &&
    ! ls begun | grep -q journal
report $? 'a worker of another sweep need not have done anything'
mkdir -p copy && cp another.yaml copy && file=copy/another.yaml share begun 1/1 -q 2>err &&
    [ "$(ids begun | wc -l)" = $((n_points / 2)) ]
report $? 'a copy of a sweep is the same sweep'

# A process that waited for a folder checks again which sweep it belongs to.
mkdir -p late/runs.lock/far-away.7.00000000
"$ACESIM" sweep sweep.yaml -o late --stale '2 s' >out 2>err &
pid=$!
for _ in {1..100}; do grep -q waiting err && break; sleep 0.05; done
cp alone/info.json late && sed -i "s=$PWD/sweep=$PWD/another=" late/info.json
wait $pid
[ $? = 1 ] && [ "$(tail -n 1 err)" = "late: another sweep, $PWD/another.yaml, was here first; take another folder (-o DIR)" ]
report $? 'who waited for a folder sees who had it meanwhile'

# ---- contradictory rows of workers ----------------------------------------

# forge DIR - adds a journal of another worker with a different row for a point
forge() {
    local id
    id=$(ids "$1" | head -n 1)
    printf 'another row\n\0\0\0\0\0\0' >row
    printf '%s %d\n' "$id" "$(wc -c <row)" | cat - row | sha256sum >sum
    { printf 'acesim journal 1\n%s %d %s\n' "$id" "$(wc -c <row)" \
        "$(cut -c 1-64 sum)" && cat row && echo; } >"$1/runs.journal.zz"
}
share forged 1/1 -q 2>err && forge forged && gather forged && [ $status = 1 ] &&
    [ "$(head -n 1 err)" = 'two runs of one point differ, so one of them is wrong:' ] &&
    grep -q '^forged/runs.journal[.].* has [0-9a-f]\{64\} as$' err &&
    grep -qx 'forged/runs.journal.zz has it as' err &&
    grep -qx '  another row' err && [ ! -e forged/runs.csv ] &&
    [ -e forged/runs.journal.zz ]
report $? 'two rows of one point that differ are an error, and both are shown'
rm forged/runs.journal.zz && gather forged && [ $status = 0 ] && is_same forged
report $? 'without the wrong one it goes on'
# An untrusted worker also has rows for points that no other worker has.
share lured 1/1 -q 2>err && forge lured &&
    mv lured/runs.journal.zz lured/runs.journal.zzz &&
    sed 's/another row/a forged row/' row >strange &&
    id=$(printf '%064d' 7) && printf '%s %d\n' "$id" "$(wc -c <strange)" |
    cat - strange | sha256sum >sum &&
    { printf 'acesim journal 1\n%s %d %s\n' "$id" "$(wc -c <strange)" \
        "$(cut -c 1-64 sum)" && cat strange && echo &&
        tail -n +2 lured/runs.journal.zzz; } >lured/runs.journal.zz &&
    rm lured/runs.journal.zzz && gather lured && [ $status = 1 ] &&
    ! grep -q 'a forged row' lured/runs.journal
report $? 'nor is any other of its rows taken before they are compared'

share torn 1/1 -q 2>err && journal=$(ls torn/runs.journal.*) &&
    at=$(LC_ALL=C grep -aboE '^[0-9a-f]{64} ' "$journal" | sed -n '3s/:.*//p') &&
    printf x | dd of="$journal" bs=1 seek=$at conv=notrunc 2>dd.err &&
    gather torn && [ $status = 0 ] && is_same torn && is_alone torn &&
    grep -q "^$journal: damaged at byte $at, behind 2 whole records: " err &&
    grep -qx "$((n_points - 1)) of $n_points points are already done" err
report $? 'of a damaged journal of a worker all that is whole is gathered'

share old 1/1 -q 2>err && mv old/claims/*-* old/claims/0123456789ab-0 &&
    gather old && [ $status = 0 ] && is_same old &&
    grep -q '^old: workers of another version of acesim were at it' err
report $? 'that another version of the program was at it is said'

# ---- worker numbers from the environment ----------------------------------

# told WHAT VARIABLES... - checks the number that a worker reports
told() {
    env "${@:2}" "$ACESIM" sweep sweep.yaml -o alone --shard auto >out 2>err
    [ "$(head -n 1 err)" = "worker $1" ]
    report $? "${*:2}"
}
for name in $(compgen -e | grep -E '^(SLURM_|OMPI_|PMI|FLUX_|SGE_|LSB_|PBS_)'); do
    unset "$name"
done
told '3 of 4 (Slurm: SLURM_PROCID=2)' SLURM_PROCID=2 SLURM_NTASKS=4
told '2 of 3 (Open MPI: OMPI_COMM_WORLD_RANK=1)' OMPI_COMM_WORLD_RANK=1 \
    OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0 SLURM_NTASKS=1
told '1 of 2 (PMI: PMI_RANK=0)' PMI_RANK=0 PMI_SIZE=2
told '8 of 8 (Flux: FLUX_TASK_RANK=7)' FLUX_TASK_RANK=7 FLUX_JOB_SIZE=8
told '2 of 3 (Slurm array: SLURM_ARRAY_TASK_ID=12)' SLURM_ARRAY_TASK_ID=12 \
    SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2
told '6 of 6 (Slurm array: SLURM_ARRAY_TASK_ID=3; Slurm: SLURM_PROCID=1)' \
    SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 \
    SLURM_PROCID=1 SLURM_NTASKS=2
told '4 of 5 (SGE array: SGE_TASK_ID=7)' SGE_TASK_ID=7 SGE_TASK_FIRST=1 \
    SGE_TASK_LAST=9 SGE_TASK_STEPSIZE=2
told '2 of 5 (LSF array: LSB_JOBINDEX=2)' LSB_JOBINDEX=2 LSB_JOBINDEX_END=5
"$ACESIM" sweep sweep.yaml -o none --shard auto >out 2>err
[ $? = 2 ] && grep -q '^--shard auto: the rank of this process and the number of processes are unknown; looked for .*SLURM_PROCID (Slurm, SLURM_NTASKS)' err &&
    [ ! -e none ]
report $? 'where nobody says it, all that was looked for is told'
PBS_ARRAY_INDEX=3 "$ACESIM" sweep sweep.yaml -o none --shard auto >out 2>err
[ $? = 2 ] && grep -q '^--shard auto: PBS array does not say of how many' err
report $? 'nor does PBS say of how many'
PBS_ARRAY_INDEX=3 "$ACESIM" sweep sweep.yaml -o alone --shard auto/5 >out 2>err
[ "$(head -n 1 err)" = 'worker 4 of 5 (PBS array: PBS_ARRAY_INDEX=3)' ]
report $? 'but one can'
for shard in 0/4 5/4 1 x/2 1/0 auto/0 1/2/3; do
    says "--shard $shard is no part" 2 "--shard: expected I/N, the I-th from 1 of N workers, or auto, got '$shard'
try: acesim sweep --help" sweep sweep.yaml -o none --shard $shard
done

# ---- workers in one Slurm job ---------------------------------------------

"$ACESIM" sweep sweep.yaml -o 'my study' --fold off --slurm '--nodes=4 -p all' \
    >out 2>err && sed -n 2p out | grep -qx '#SBATCH --nodes=4 -p all' &&
    sh -n out && [ "$(tail -n 1 out)" = "    $(readlink -f "$ACESIM") sweep sweep.yaml -o 'my study' --fold off --shard auto" ] &&
    [ ! -e 'my study' ]
report $? '--slurm prints one job whose tasks are workers'
odd='has a line break or another control character, which a job'\''s script cannot hold; choose another name'
says 'a line break in the folder of results' 1 \
    "--slurm: the argument 'o\\ntouch PWNED\\n' $odd" \
    sweep sweep.yaml -o $'o\ntouch PWNED\n' --slurm ''
says 'a carriage return in it' 1 "--slurm: the argument 'o\\x0dx' $odd" \
    sweep sweep.yaml -o $'o\rx' --slurm ''
mkdir $'here\ntouch PWNED'
cp sweep.yaml here*/
(cd here* && "$ACESIM" sweep ../sweep.yaml -o x --slurm '' >../out 2>../err)
[ $? = 1 ] && [ ! -s out ] && grep -q '^--slurm: the working folder ' err
report $? 'a line break in the working folder'
"$ACESIM" sweep sweep.yaml -o $'a\'b "$(touch PWNED)" `touch PWNED` ;\\' \
    --slurm '' >out 2>err && {
    printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >srun
    chmod +x srun
    PATH=.:$PATH sh out
} >ran 2>err && grep -qxF 'a'\''b "$(touch PWNED)" `touch PWNED` ;\' ran &&
    [ ! -e PWNED ]
report $? 'other odd characters are quoted'
says '--submit without --slurm' 2 '--submit: only with --slurm
try: acesim sweep --help' sweep sweep.yaml --submit

echo "1..$n"
