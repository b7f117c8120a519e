#!/bin/bash
# test_faults.sh - sweeps that are killed, disturbed, out of disk space, or use
# a manipulated folder
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
export ASAN_OPTIONS=allocator_may_return_null=1

# sweep FILE DIR ARGS... - runs a sweep; results are in `out`, `err` and $status
sweep() {
    "$ACESIM" sweep "$1" -o "$2" "${@:3}" >out 2>err
    status=$?
}

# said TEXT - checks the standard error of the last sweep, without rates
said() {
    printf '%s\n' "$1" | diff - <(sed -E 's/failed, [0-9.]+\/s.*/failed/' err) \
        >out 2>&1
}

cat >ok.yaml <<EOF
platform:
  name: pair
  topology: {kind: switch, npus: 4, bandwidth: 25 GB/s, latency: 500 ns}
  npu: $SRCDIR/configs/npus/ace-v100-like.yaml
endpoint: {kind: ideal, name: ideal}
workload: w.yaml
EOF
echo '{kind: collective, name: c, collective: all-reduce, payload: 1 MiB}' \
    >w.yaml
cat >sweep.yaml <<EOF
base: ok.yaml
axes:
  - platform.topology.npus: [2, 4, 8]
  - endpoint: [{kind: ideal, name: ideal}, $SRCDIR/configs/endpoints/ace.yaml]
EOF
# The second point of the sweep takes a day.
cat >hang.yaml <<EOF
base: ok.yaml
axes:
  - training.iterations: [1, 1000000, 2]
EOF

# ---- repeating the same sweep command -------------------------------------

sweep sweep.yaml a && [ $status = 0 ] && cp -r a first && sweep sweep.yaml a &&
    [ $status = 0 ] && said '6 of 6 points are already done
6/6, 0 failed
wrote a/runs.csv' && cmp a/runs.csv first/runs.csv >out &&
    cmp a/runs.journal first/runs.journal >out
report $? 'what is done is not done again'
sweep sweep.yaml a --fresh && [ $status = 0 ] && said '6/6, 0 failed
wrote a/runs.csv' && cmp a/runs.csv first/runs.csv >out
report $? '--fresh does it again'
sed 's/2, 4, 8/2, 16, 8/' sweep.yaml >changed.yaml
sweep changed.yaml a && said "a: 2 rows of another sweep, $PWD/sweep.yaml, go: \
their points are not of this one
4 of 6 points are already done
6/6, 0 failed
wrote a/runs.csv"
report $? 'a changed axis runs the points that are new'
[ "$(grep -ac '^[0-9a-f]\{64\} ' a/runs.journal)" = 6 ]
report $? 'points that no longer belong leave the journal'
sweep sweep.yaml b -s collectives.chunk='32 KiB' &&
    sweep sweep.yaml b && [ $status = 0 ] && ! grep -q already err
report $? 'a changed setting runs them all'
cp w.yaml w-saved.yaml
sweep sweep.yaml b && echo '# a remark' >>w.yaml && sweep sweep.yaml b &&
    grep -q '^6 of 6 points are already done' err
report $? 'a remark in a file changes nothing'
sed -i 's/1 MiB/2 MiB/' w.yaml && sweep sweep.yaml b && [ $status = 0 ] &&
    ! grep -q already err
report $? 'a changed file that a file names runs them all'
cp w-saved.yaml w.yaml
sweep sweep.yaml b --per-layer && ! grep -q already err && [ -s b/layers.csv ]
report $? 'another table to write runs them all'
sed "s/^\([0-9a-f]\{10\}\)[0-9a-f]/\1x/" a/runs.journal >b/runs.journal
cp a/info.json b && sweep changed.yaml b && ! grep -q already err &&
    cmp a/runs.csv b/runs.csv >out
report $? 'ids of another program are none of ours'

# ---- a folder of another sweep --------------------------------------------

# refused DIR WHAT OTHER SWEEP - checks that the last sweep was refused because
# of another one
refused() {
    [ $status = 1 ] && said "$1: has $2 of another sweep, $PWD/$3, and none of \
$4: they would be lost; take another folder (-o DIR), or run all points here with \
--fresh"
}
sed 's/2, 4, 8/16, 32/' sweep.yaml >other.yaml && cp -r first theirs &&
    sweep other.yaml theirs && refused theirs '6 rows' sweep.yaml other.yaml &&
    diff -r first theirs >out
report $? 'a folder of another sweep is refused, and stays as it is'
"$ACESIM" sweep other.yaml -o theirs --shard 1/2 2>err >out
status=$?
refused theirs '6 rows' sweep.yaml other.yaml && diff -r first theirs >out
report $? 'by workers, too'
rm theirs/runs.journal && sweep other.yaml theirs &&
    refused theirs 'the results' sweep.yaml other.yaml &&
    cmp theirs/runs.csv first/runs.csv >out
report $? 'and so is one whose journal is gone'
sweep other.yaml theirs --fresh && [ $status = 0 ] &&
    said '4/4, 0 failed
wrote theirs/runs.csv'
report $? 'unless one says --fresh'
    sweep other.yaml theirs -s training.iterations=2 && [ $status = 0 ] &&
    mkdir -p elsewhere && sed "s=w.yaml=../w.yaml=" ok.yaml >elsewhere/ok.yaml &&
    cp sweep.yaml elsewhere/other.yaml && cp -r theirs named &&
    sweep elsewhere/other.yaml named &&
    refused named '4 rows' other.yaml elsewhere/other.yaml
report $? 'two files of one name are two sweeps'
mv other.yaml away.yaml && sweep elsewhere/other.yaml named &&
    refused named '4 rows' 'other.yaml (there is no such file here)' \
        elsewhere/other.yaml && cmp theirs/runs.csv named/runs.csv >out
report $? 'also when the other is no more'
sed 's/16, 32/16, 64/' away.yaml >elsewhere/other.yaml &&
    cp -r theirs moved && sweep elsewhere/other.yaml moved -s training.iterations=2 &&
    [ $status = 0 ] && said "moved: 2 rows of another sweep, $PWD/other.yaml (there \
is no such file here), go: their points are not of this one
2 of 4 points are already done
4/4, 0 failed
wrote moved/runs.csv"
report $? 'unless it was moved, and changed: some rows are the same'
"$ACESIM" sweep hang.yaml -o begun -j1 -q 2>err >out &
pid=$!
for _ in {1..100}; do
    [ "$(wc -c <begun/runs.journal)" -gt 100 ] && break
    sleep 0.05
done 2>poll.err
kill -9 $pid && wait $pid 2>/dev/null
sweep away.yaml begun && refused begun '1 row' hang.yaml away.yaml
report $? 'a sweep that was killed has its folder, too'

# ---- dangling links -------------------------------------------------------

ln -s gone.yaml to.yaml && ln -s gone to
for dir in to to/deep; do
    [ $dir = to ] && what=it || what=to
    for shard in '' '--shard 1/1'; do
        sweep sweep.yaml $dir $shard && [ $status = 1 ] && [ ! -e gone ] &&
            said "$dir: cannot be written: $what is a link to gone, which is not there"
        report $? "-o $dir, a link that leads nowhere, is told ${shard:+to a worker}"
    done
done
sweep to.yaml none && [ $status = 1 ] &&
    said 'to.yaml: cannot be read: it is a link to gone.yaml, which is not there'
report $? 'and so is a sweep that is one'
"$ACESIM" sensitivity ok.yaml -o to >out 2>err
status=$?
[ $status = 1 ] && [ ! -s out ] && said \
    'to: cannot be written: it is a link to gone, which is not there'
report $? 'a sensitivity study does not begin where it cannot write'

# ---- a folder that disappears ---------------------------------------------

for shard in '' '--shard 1/1 --stale 4s'; do
    "$ACESIM" sweep hang.yaml -o going -j1 -q $shard 2>err >out &
    pid=$!
    for _ in {1..100}; do
        [ "$(cat going/runs.journal* | wc -c)" -gt 100 ] && break
        sleep 0.05
    done 2>poll.err
    rm -rf going && wait $pid
    [ $? = 1 ] && [ ! -e going ] && said \
        'going: the folder was removed while this sweep was running'
    report $? "a folder that is removed under a sweep is told${shard:+, by a worker}"
done
printf 'base:\naxes:\n  - endpoint.sms: [1]\n' >empty.yaml
says 'an empty base: is no file' 1 \
    'empty.yaml:1:6: base: expected a map or the name of a file, got nothing' \
    sweep empty.yaml -o none

# ---- a damaged journal -----------------------------------------------------

# head_of FILE N - prints the byte at which the N-th record begins
head_of() {
    LC_ALL=C grep -aboE '^[0-9a-f]{64} [0-9]+ [0-9a-f]{64}$' "$1" |
        sed -n "$2s/:.*//p"
}
# damage FILE BYTE - overwrites a byte with an x
damage() { printf x | dd of="$1" bs=1 seek="$2" conv=notrunc 2>dd.err; }
cp -r first damaged && at=$(head_of first/runs.journal 3) &&
    damage damaged/runs.journal $((at + 200)) && sweep sweep.yaml damaged &&
    [ $status = 0 ] && said "damaged/runs.journal: damaged at byte $at, behind \
2 whole records: $(($(head_of first/runs.journal 4) - at)) bytes cannot be \
read; all other records count; 1 of 6 points has no rows and is run
5 of 6 points are already done
6/6, 0 failed
wrote damaged/runs.csv" && cmp damaged/runs.csv first/runs.csv >out &&
    cmp <(sort damaged/runs.journal) <(sort first/runs.journal) >out
report $? 'a damaged byte costs one point, and is said'
sweep sweep.yaml damaged && ! grep -q 'cannot be read' err
report $? 'a damaged journal is mended'
head -c $(($(wc -c <first/runs.journal) - 9)) first/runs.journal \
    >damaged/runs.journal && sweep sweep.yaml damaged && [ $status = 0 ] &&
    said '5 of 6 points are already done
6/6, 0 failed
wrote damaged/runs.csv' && cmp damaged/runs.csv first/runs.csv >out
report $? 'a record that was not written to its end is no damage'

# ---- points of a sweep that fail ------------------------------------------

sweep hang.yaml slow --point-timeout '2 s' && [ $status = 1 ] &&
    said 'failed: training.iterations=1000000: took longer than 2 s
3/3, 1 failed
wrote slow/runs.csv
1 of 3 points failed: the column `status` says why, the same command tries them again'
report $? 'a point that hangs fails alone'
[ "$(sed 's/.*,//' slow/runs.csv | xargs)" = \
    'status ok took longer than 2 s ok' ]
report $? 'its row has the reason'
sweep hang.yaml slow --point-timeout '100 ms' &&
    said '2 of 3 points are already done
failed: training.iterations=1000000: took longer than 100 ms
3/3, 1 failed
wrote slow/runs.csv
1 of 3 points failed: the column `status` says why, the same command tries them again'
report $? 'points that failed are tried again, others are not'
sed 's/\[2, 4, 8\]/[2, 65536, 4]/' sweep.yaml >large.yaml
sweep large.yaml large --fold=off --point-memory '8 MiB' \
    -s collectives.window=1 -s workload.payload='64 KiB' && [ $status = 1 ] &&
    [ "$(grep -cE "^failed: .*npus=65536.*: the run would take some [0-9.]+ GiB of memory, more than the 0.00781 GiB that it may have: 65536 NPUs simulated, 1 chunks in flight in messages of [0-9]+ bytes; fewer NPUs, a smaller collectives.window or a larger collectives.message take less; or raise --point-memory '8 MiB'$" \
        err)" = 2 ] && [ "$(grep -c ',ok$' large/runs.csv)" = 4 ]
report $? 'a point that asks for too much memory fails alone'
"$ACESIM" sweep hang.yaml -j1 -o crash >out 2>err &
pid=$!
for _ in {1..100}; do
    child=$(cat /proc/$pid/task/$pid/children 2>/dev/null)
    [ -n "$child" ] && [ "$(wc -l <crash/runs.journal)" -ge 2 ] && break
    sleep 0.05
done
sleep 0.1
kill -ABRT $(cat /proc/$pid/task/$pid/children)
wait $pid
status=$?
[ $status = 1 ] && [ "$(grep -c ',ok$' crash/runs.csv)" = 2 ] &&
    grep -q '^failed: training.iterations=1000000: ended with status 70$' err
report $? 'a point that crashes fails alone'

# ---- resource limits on the command line ----------------------------------

for limit in '--point-timeout=5' '--point-timeout=0 s' '--point-timeout=1 MiB' \
    '--point-memory=0 B' '--point-memory=1'; do
    sweep sweep.yaml none "$limit" && [ $status = 2 ] && [ ! -e none ] &&
        grep -q '^try: acesim sweep --help$' err
    report $? "$limit is a usage error"
done

# ---- two sweeps in one folder ---------------------------------------------

"$ACESIM" sweep hang.yaml -o both >/dev/null 2>&1 &
pid=$!
for _ in {1..100}; do
    [ -s both/runs.journal ] && break
    sleep 0.05
done
sweep hang.yaml both && [ $status = 1 ] &&
    said "both/runs.journal: in use by another sweep, process $pid"
report $? 'a second sweep into the same folder says who has it'
sed 's/1, 1000000, 2/1, 3/' hang.yaml >some.yaml
sweep some.yaml both && [ $status = 1 ] &&
    said "both/runs.journal: in use by another sweep, process $pid"
report $? 'and not that rows go, which stay'
kill -9 $pid
wait $pid 2>/dev/null
sweep hang.yaml both --point-timeout '1 ms'
[ $status = 1 ] && ! grep -q 'in use' err
report $? 'the folder of a sweep that was killed is free at once'
for _ in {1..100}; do
    grep -ls "hang[.]yaml.-o.both" /proc/[0-9]*/cmdline >out || break
    sleep 0.05
done
[ ! -s out ]
report $? 'a sweep that was killed leaves no child'

# ---- sweeps that are killed -----------------------------------------------

mkdir kills
TMPDIR=$PWD/kills bash "$SRCDIR/tests/kill_and_resume.sh" 10 20 $((RANDOM)) >out 2>err
report $? 'ten kills at random moments change no byte'

sleep 0.01 &
wait $!
dead=$!
cat >compared.yaml <<EOF
base: ok.yaml
axes:
  - endpoint:
      - $SRCDIR/configs/endpoints/comm-opt.yaml
      - $SRCDIR/configs/endpoints/ace.yaml
EOF
sweep compared.yaml leftovers --per-link && [ $status = 0 ] &&
    "$ACESIM" compare leftovers >out 2>err && ls leftovers >before &&
    while read -r name; do : >"leftovers/$name.$dead.tmp"; done <before &&
    sweep compared.yaml leftovers --per-link && [ $status = 0 ] &&
    ls leftovers | diff before -
report $? 'a resumed sweep removes what kills left of writing any file'
for name in compare.csv datapackage.json; do : >"leftovers/$name.$dead.tmp"; done
"$ACESIM" compare leftovers >out 2>err && ls leftovers | diff before -
report $? 'so does a comparison'

# ---- no disk space, no permission, closed pipes ---------------------------

(ulimit -f 1 && sweep sweep.yaml limited --per-link &&
    sed -E 's/^[0-9]+\/.*/N/' err >limited.err && exit $status)
[ $? = 1 ] && cp limited.err err && said 'N
limited/runs.journal: cannot be written: File too large
stopped: limited has what was done before; the same command continues from there'
report $? 'a file that may not grow ends the sweep with a message'
sweep sweep.yaml limited --per-link && [ $status = 0 ] &&
    grep -q ' of 6 points are already done$' err &&
    sweep sweep.yaml whole --per-link &&
    cmp limited/runs.csv whole/runs.csv && cmp limited/links.csv whole/links.csv
report $? 'and it goes on when it may'

# on_disk SIZE COMMAND... - runs a command in a mount namespace in which
# $PWD/disk is a file system of SIZE
on_disk() {
    unshare $unshare -- bash -c 'mount -t tmpfs -o size="$0" none disk && "$@"' \
        "$@"
}
mkdir disk
unshare=-m
[ "$(id -u)" = 0 ] || unshare=-rm
fill() {
    "$ACESIM" sweep sweep.yaml -o disk/full --per-link >out 2>err
    [ $? = 1 ] && grep -q 'No space left on device$' err || return
    rm disk/filler
    "$ACESIM" sweep sweep.yaml -o disk/full --per-link >out 2>err &&
        cmp disk/full/runs.csv whole/runs.csv >out &&
        cmp disk/full/links.csv whole/links.csv >out
}
full() {
    head -c 60K /dev/zero >disk/filler
    fill
}
read_only() {
    mkdir disk/kept && mount -o remount,ro disk || return
    "$ACESIM" sweep sweep.yaml -o disk/kept >out 2>err
    [ $? = 1 ] && grep -q '^disk/kept/runs.csv: cannot be written: Read-only' err
}
# plots COMMAND - checks COMMAND with disk space for some of the plots only
plots() {
    cp -r first disk/full && "$ACESIM" report disk/full >out 2>err &&
        cp -r disk/full kept && sed -i 's/,44[.]/,46./' disk/full/runs.csv ||
        return
    cat /dev/zero 2>/dev/null >disk/filler
    truncate -s -48K disk/filler
    "$ACESIM" "$1" disk/full >out 2>err
    [ $? = 1 ] && grep -q '^disk/full/.*: cannot be written: No space left' err &&
        cmp kept/report.html disk/full/report.html &&
        [ -z "$(find disk/full -name '*.tmp')" ] || return
    rm -r kept disk/filler
    "$ACESIM" "$1" disk/full >out 2>err
}
# again - all points are done, and there is no disk space to write the results
# again
again() {
    "$ACESIM" sweep sweep.yaml -o disk/full >out 2>err &&
        "$ACESIM" report disk/full >out 2>err && cp -r disk/full kept || return
    cat /dev/zero 2>/dev/null >disk/filler
    "$ACESIM" sweep sweep.yaml -o disk/full >out 2>err
    [ $? = 1 ] && grep -q 'No space left on device$' err &&
        diff -r kept disk/full >out
}
export -f full fill plots read_only again
if on_disk 64k true 2>/dev/null; then
    on_disk 64k full
    report $? 'a full disk is said, and the sweep goes on when there is room'
    on_disk 64k read_only
    report $? 'a read-only disk is said before the first point'
    for command in plot report; do
        on_disk 1m plots $command
        report $? "a full disk leaves plots and report to a $command as they were"
        rm -rf kept
    done
    on_disk 1m again
    report $? 'a full disk leaves a sweep that is done as it was'
else
    skip 'a full disk is said' 'no file system may be mounted here'
    skip 'a read-only disk is said' 'no file system may be mounted here'
    skip 'a full disk leaves plots' 'no file system may be mounted here'
    skip 'a full disk leaves a sweep' 'no file system may be mounted here'
fi

for file in config.csv info.json; do
    mkdir -p taken/$file && sweep sweep.yaml taken && [ $status = 1 ] &&
        said "taken/$file: cannot be written: Is a directory" &&
        [ "$(ls taken)" = $file ]
    report $? "a sweep that cannot write $file says so before the first point"
    rm -r taken
done
"$ACESIM" sweep sweep.yaml -o closed --per-link >&- 2>&- <&-
[ $? = 0 ] && cmp closed/runs.csv whole/runs.csv >out &&
    cmp <(sort closed/runs.journal) <(sort whole/runs.journal)
report $? 'closed standard streams end up in no file'
"$ACESIM" sweep sweep.yaml -o pipe --per-link 2>&1 >out | true
cmp pipe/runs.csv whole/runs.csv >out
report $? 'a log that nobody reads does not end a sweep'
"$ACESIM" sweep sweep.yaml --dry-run >/dev/full 2>err
[ $? = 1 ] && grep -q '^standard output cannot be written: No space left' err
report $? 'a full standard output is an error'

# ---- a manipulated folder of results --------------------------------------

# prepare DIR - creates results in DIR, and a file outside that must not change
prepare() {
    rm -rf "$1" && cp -r first "$1" && echo mine >mine
}
intact() { [ "$(cat mine)" = mine ]; }

prepare evil && ln -s ../mine evil/compare.csv &&
    "$ACESIM" compare evil --offload ace --baselines ideal >out 2>err &&
    intact && [ ! -h evil/compare.csv ]
report $? 'compare does not write through a link'
prepare evil && mkfifo evil/compare.csv &&
    timeout 20 "$ACESIM" compare evil --offload ace --baselines ideal >out 2>err
report $? 'compare does not wait for a pipe'
prepare evil && printf '{"compare": {"baselines": "../mine", "offload": %s}}' \
    '["ace", {"a": "/etc/passwd"}]' >evil/info.json &&
    "$ACESIM" compare evil >out 2>err
intact && ! grep -q 'mine\|root' out err
report $? 'compare reads no file that a file of the folder names'
prepare evil && rm evil/info.json && mkfifo evil/info.json &&
    timeout 20 "$ACESIM" compare evil >out 2>err
[ $? = 1 ] && grep -q '^evil/info.json: cannot be read: it is a device' err
report $? 'compare reads no pipe'
prepare evil && printf 'a\033]0;owned\007,' >>evil/runs.csv &&
    "$ACESIM" compare evil >out 2>err
[ $? = 1 ] && [ "$(cat err)" = \
    'evil/runs.csv:8: control characters are not allowed' ]
report $? 'compare shows no escape sequence'
prepare evil && for name in runs.csv info.json config.csv compare.csv \
    report.html links.csv; do
    ln -sf ../mine evil/$name
done && sweep sweep.yaml evil && [ $status = 0 ] && intact &&
    cmp evil/runs.csv first/runs.csv && cmp evil/config.csv first/config.csv &&
    [ ! -h evil/links.csv ] && [ ! -h evil/report.html ]
report $? 'a sweep replaces links and writes through none'
prepare evil && ln -sf ../mine evil/runs.journal && sweep sweep.yaml evil &&
    [ $status = 1 ] && intact
report $? 'a journal that is a link is refused'
prepare evil && tr '\n' '\0' <first/runs.journal >evil/runs.journal &&
    sweep sweep.yaml evil && [ $status = 0 ] && cmp evil/runs.csv first/runs.csv
report $? 'a journal that is none counts as nothing'

echo "1..$n"
