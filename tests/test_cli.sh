#!/bin/bash
# test_cli.sh - tests of the program's commands: messages, statuses and files
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
run=$SRCDIR/configs/runs/isca21.yaml

# ---- input files of the command tests -------------------------------------

small_run >ok.yaml
cat >bad.yaml <<EOF
platfrom: {}
endpoint: {kind: ideaal}
workload: {kind: collective, name: c, collective: all-reduce, payload: 1}
EOF
cat >slow.yaml <<EOF
base: ok.yaml
axes:
  - workload.payload: [1 MiB, 2 MiB, 256 GiB, 255 GiB]
EOF
cat >sweep.yaml <<EOF
base: ok.yaml
axes:
  - zip:
      endpoint: [{kind: ideal, name: ideal}, $SRCDIR/configs/endpoints/ace.yaml]
      collectives.preempt: [true, false]
  - platform.topology.npus: [2, 4, 8]
exclude:
  - {endpoint: ace, platform.topology.npus: 8}
compare: {baselines: [ideal], offload: [ace]}
EOF

# ---- errors on the command line -------------------------------------------

says 'no command is a usage error' 2 \
    'missing command; acesim --help lists them'
says 'an unknown command has a suggestion' 2 \
    "unknown command 'swep'; did you mean 'sweep'?" swep
says 'a command like no other has none' 2 \
    "unknown command 'frobnicate'; acesim --help lists them" frobnicate
says 'what is an option of a command is said to be one' 2 \
    "unknown command 'timeline'; did you mean 'run --timeline'?" timeline
says 'and what is one of the program' 2 \
    "unknown command 'version'; did you mean '--version'?" version
printf 'base: sweep.yaml\naxes: [{training.iterations: [1, 2]}]\n' >twice.yaml
says 'a sweep is no base of another' 1 \
    "twice.yaml:1:7: base: 'sweep.yaml' is a sweep itself; expected a run file" \
    sweep twice.yaml
says 'a sweep is not run as one' 1 \
    'sweep.yaml:1:1: this is a sweep, not a run; try: acesim sweep sweep.yaml' \
    run sweep.yaml
says 'a run is not swept' 1 \
    'ok.yaml:1:1: this is a run, not a sweep; try: acesim run ok.yaml' \
    sweep ok.yaml
says 'the version goes to standard output' 0 '' --version
prints 'the version has the name of the program' '^acesim [0-9]'
says 'help lists the commands' 0 '' --help
prints 'by the question that they answer' '^Look at results$'
prints 'help has a line for sweep' '^  sweep '
prints 'help says where the examples are' \
    '^Files: .*configs/ of the source tree, or .*/share/acesim after'
says 'the manual says where files are' 0 '' man
prints 'those to begin with' '^\.I .*/share/acesim/configs$'
prints 'and the documentation' '^\.I .*/share/doc/acesim$'
"$ACESIM" schema none 2>&1 | sed -n 's/.*known: //p' | tr -d , >out
missing=
for kind in $(cat out); do
    awk '/^SELF_MADE/ { on = 1 } on { print } on && !/\\$/ { exit }' \
        "$SRCDIR/Makefile" | grep -qw "$kind" || missing=1
done
[ -s out ] && [ ! "$missing" ]
report $? 'make install makes the schema of each kind of file'
for command in run sweep compare plot report check list; do
    says "$command --help is no error" 0 '' $command --help
    prints "$command --help has an example" "^  acesim $command"
done
says 'an unknown option is a usage error' 2 \
    'Unknown option --frobnicate
try: acesim run --help' run --frobnicate
says 'a missing operand is a usage error' 2 \
    'missing CONFIG
try: acesim run --help' run
says 'one operand too many is a usage error' 2 \
    "one operand too many: 'b'
try: acesim run --help" run a b
says 'an unknown fold mode has a suggestion' 2 \
    "--fold: unknown mode 'of'; did you mean 'off'?
try: acesim run --help" run --fold=of ok.yaml
says '--set without a value is a usage error' 2 \
    "--set: expected KEY=VALUE, got 'endpoint'
try: acesim run --help" run ok.yaml --set endpoint

# ---- the command `acesim run` ---------------------------------------------

says 'a run ends well' 0 '' run ok.yaml
prints 'its summary has the iteration time' '^iteration time '
prints 'its summary names the busiest resource' '<- highest'
says 'rows go to standard output in place of the summary' 0 '' \
    run ok.yaml --csv -
prints 'the row is ok' ',ok$'
[ "$(wc -l <out)" = 2 ]
report $? 'there is a header, a row, and no summary'
mkdir -p linked && ln -s ../beside.yaml linked/run.yaml
sed 's/endpoint: .*/endpoint: end.yaml/' ok.yaml >beside.yaml
echo '{kind: ideal, name: here}' >linked/end.yaml
says 'names are relative to the link that was given' 0 '' \
    check linked/run.yaml
says 'not to what it points to' 1 "beside.yaml:5:11: endpoint: 'end.yaml' \
cannot be read: No such file or directory" check beside.yaml
sed 's/endpoint: .*/endpoint: besidf.yaml/' ok.yaml >astray.yaml
says 'a file that is not there has a similar name beside it' 1 \
    "astray.yaml:5:11: endpoint: 'besidf.yaml' cannot be read: No such file or \
directory; did you mean 'beside.yaml'?" check astray.yaml
sed 's/endpoint: .*/endpoint: linked\/runs.yaml/' ok.yaml >astray.yaml
says 'or in the folder that was given' 1 \
    "astray.yaml:5:11: endpoint: 'linked/runs.yaml' cannot be read: No such file or \
directory; did you mean 'linked/run.yaml'?" check astray.yaml
says 'a missing file has its name and the reason' 1 \
    'none.yaml: cannot be read: No such file or directory' run none.yaml
says 'all mistakes of a file are reported in their order' 1 \
    "bad.yaml:1:1: unknown key 'platfrom'; did you mean 'platform'?
bad.yaml:2:18: kind: unknown endpoint 'ideaal'; did you mean 'ideal'?
bad.yaml:3:72: payload: '1' has no unit; expected a size such as '64 KiB'" run bad.yaml
sed 's/npus: 4/npus: 7/' ok.yaml >seven.yaml
echo 'collectives: {algorithm: halving-doubling}' >>seven.yaml
any="hierarchical, recursive-doubling-any, pat, linear, chain, binomial-tree, \
binary-tree, double-binary-tree"
says 'an algorithm that does not fit is said where it stands' 1 \
    "seven.yaml:7:26: algorithm: 'halving-doubling' has no all-reduce for 7 \
NPUs on a switch; these have: auto, ring, direct, $any" check seven.yaml
says 'or on the command line' 1 \
    "--set collectives.algorithm:1:1: algorithm: 'halving-doubling' has no \
all-reduce for 4 NPUs on a torus; these have: auto, ring, direct, $any" run ok.yaml \
    --set collectives.algorithm=halving-doubling --set platform.topology="{kind: \
torus, dims: [{size: 4, links: 2, bandwidth: 25 GB/s, latency: 500 ns}]}"
says 'a name that several files continue lists them' 1 \
    "--set platform.npu:1:1: npu: 'h100' cannot be read: No such file or directory; \
did you mean 'h100-pcie' or 'h100-sxm'?" run ok.yaml --set platform.npu=h100
says 'a mistyped key of --set is found' 1 \
    "--set trainig.iterations:1:1: unknown key 'trainig'; did you mean 'training'?" \
    run ok.yaml --set trainig.iterations=3
says 'a key of another section is told where it belongs' 1 \
    "--set iterations:1:1: unknown key 'iterations', which belongs to 'training'; known keys: \
platform, endpoint, stack, workload, training, collectives, perturb" \
    run ok.yaml --set iterations=3
says 'or of another kind' 1 \
    "--set workload.sequence:1:1: unknown key 'sequence', which belongs to 'workload' of kind \
'transformer'; known keys: kind, name, collective, payload, root, weights, repeat" \
    run ok.yaml --set workload.sequence=3
says 'a value of --set has its own position' 1 \
    "--set training.iterations:1:1: iterations: 0 is outside [1, 1000000]" \
    run ok.yaml --set training.iterations=0
says 'what fits alone but not together has a position' 1 \
    "ok.yaml:6:11: a collective of 274877906944 bytes has more than \
16777216 chunks; give a larger collectives.chunk (with --set \
workload.payload=256 GiB, --set collectives.chunk=8 KiB)" \
    run ok.yaml --set 'workload.payload=256 GiB' --set 'collectives.chunk=8 KiB'
says 'a file that cannot be written is an error' 1 \
    'none/x.csv: cannot be written: No such file or directory' \
    run ok.yaml --csv none/x.csv
"$ACESIM" run ok.yaml --csv - >/dev/full 2>err
[ $? = 1 ]
report $? 'a full standard output is an error'
"$ACESIM" run "$run" --csv folded.csv >out 2>err &&
    "$ACESIM" run "$run" --csv layers.csv --per-layer l.csv --per-link p.csv \
        --fold=require >out 2>err && cmp folded.csv layers.csv >out 2>err
report $? 'the same run writes the same bytes'
grep -q '^resnet-50,64,ace,conv1,forward,' l.csv &&
    grep -q '^resnet-50,64,ace,dim0' p.csv
report $? 'layers and links have their rows'

"$ACESIM" run "$run" --set workload="$SRCDIR/configs/workloads/all-reduce-64MiB.yaml" \
    --set collectives.window=1 >out 2>err
prints 'a window that binds is named' \
    '^for the window of 1 chunk: --explain shows what a larger collectives.window gains$'
"$ACESIM" run "$run" --set endpoint="$SRCDIR/configs/endpoints/no-overlap.yaml" \
    --set training.overlap=false --set platform.npu.fabric_bus='40 GB/s' \
    >out 2>err
grep -q 'NPU-to-fabric bus  *72.3 %.*highest' out && ! grep -q window out
report $? 'but not where something is busy as long as it may be'
cat >narrow.yaml <<EOF
base: $run
axes:
  - workload: [$SRCDIR/configs/workloads/all-reduce-64MiB.yaml]
  - endpoint:
      - $SRCDIR/configs/endpoints/comm-opt.yaml
      - $SRCDIR/configs/endpoints/ace.yaml
  - collectives.window: [1, auto]
EOF
held='^in 2 of 4 points (comm-opt, ace) chunks waited for the window .*: leave'
"$ACESIM" sweep narrow.yaml -o narrow >out 2>err && grep -q "$held" err
report $? 'a sweep says in which points a window binds'
"$ACESIM" sweep narrow.yaml -o narrow -q >out 2>err && ! [ -s err ]
report $? 'but not where it is to be quiet'
"$ACESIM" compare narrow >out 2>err && grep -q "$held" err
report $? 'comparing them says it too'
"$ACESIM" report narrow >out 2>err
grep -q 'In 2 of 4 points (comm-opt, ace) chunks waited' narrow/report.html
report $? 'and so does the report'

# ---- runs that carry and verify data --------------------------------------

for with in '' --verify; do
    "$ACESIM" run ok.yaml --fold=off --set collectives.chunk='64 KiB' $with \
        --csv "full$with.csv" >out 2>err
done
prints 'data that was carried along is said to be right' \
    '^verified: all 32 chunks ended with the right data on every NPU$'
cmp full.csv full--verify.csv >out 2>err
report $? 'to carry data along changes no byte of a run'
says 'data cannot be carried along by one NPU for all' 2 \
    '--verify needs every NPU: it cannot go with --fold=require
try: acesim run --help' run ok.yaml --verify --fold=require
says 'data is carried along for some NPUs only' 1 \
    'data can be carried along for 512 NPUs at most, not 513' \
    run ok.yaml --verify --set platform.topology.npus=513

# ---- timeline and explanation of a run ------------------------------------

"$ACESIM" run "$run" --csv seen.csv --timeline t.json --explain \
    --explain-csv e.csv --what-if-csv w.csv --utilisation v.csv \
    --critical-path-csv p.csv >out 2>err &&
    cmp folded.csv seen.csv >out 2>err
report $? 'to be looked at changes no byte of a run'
"$ACESIM" run "$run" --timeline u.json --timeline-npus 0 >out 2>err &&
    cmp t.json u.json >>err
report $? 'the same run has the same timeline'
grep -q '"name":"conv1 elementwise",.*"flop":0,' t.json
report $? 'elementwise kernels say that they are such'
prints 'what is scaled to a given total says so' \
    'The roofline of this NPU gives 21.33 ms (--set training.compute=roofline)$'
prints 'the summary says where the timeline is' \
    '^u.json: [0-9]* slices of 1 NPU; open it in ui.perfetto.dev$'
awk -F, 'NR > 1 { bad += $1 != at; at = $2 } END { exit bad || at == 0 }' p.csv
report $? 'the path through all NPUs has no gap'
"$ACESIM" run "$run" --what-if 'x*=50 %' >out 2>err
[ $? = 1 ] && grep -q "^--what-if: no operation with a given time is called 'x\*'$" err
report $? 'a what-if of nothing is refused'
awk -F, 'NR > 1 { sum += $6 } END { printf "%.6f\n", sum }' e.csv >out
[ "$(cat out)" = "$(sed -n 2p folded.csv | cut -d, -f4)" ]
report $? 'the explanation adds up to the iteration time'
grep -q '^resnet-50,64,ace,platform.npu.hbm.bandwidth=1.8 TB/s,.*,ok$' w.csv
report $? 'what-ifs have their rows'
"$ACESIM" run "$run" --explain --json >out 2>err
awk -F'[:,]' '/"iteration_time_us"/ && !all { all = sprintf("%.6f", $2) }
    /"time_us"/ { sum += $2 }
    /"what_ifs"/ { exit !(all > 0 && sprintf("%.6f", sum) == all) }' out
report $? 'as JSON too'
grep -q '"set": "platform.npu.hbm.bandwidth=1.8 TB/s",' out
report $? 'with the what-ifs'
awk -F, 'NR == FNR { if (NR > 1) { time = $4; sms = $16 / $4 }; next }
    FILENAME ~ /^p/ { if (FNR > 1) { busy += $9; n += $6 }; next }
    FNR == 1 { next }
    $4 != at || $5 <= $4 { bad = 1 }
    { at = $5; used += 80 * $6 * ($5 - $4); links += $8 * ($5 - $4) }
    function differs(a, b) { return (a - b) ^ 2 > 1e-10 * b ^ 2 }
    END { exit bad || FNR < 100 || FNR > 257 || differs(used / at, sms) ||
          differs(links / at, busy / n / time) }' folded.csv p.csv v.csv
report $? 'utilisation over time adds up to what the run says'
"$ACESIM" run "$run" --timeline t.json --timeline-events 10 >out 2>err
prints 'what a timeline leaves out is counted' \
    '^[0-9]* more slices were left out'
says 'explain is another name for run --explain' 0 '' explain "$run"
grep -v ' s, .* events, ' out >named
says 'an explanation goes before the summary' 0 '' run "$run" --explain
grep -v ' s, .* events, ' out | cmp -s - named
report $? 'and prints the same'
[ "$(head -c 34 out)" = 'Communication slows kernels down: ' ]
report $? 'its first words are the answer'
steps='s/; [0-9]* chunks skipped, which repeat a period//; / events per second$/d'
sed "$steps" out >expected
"$ACESIM" run "$run" --explain --skip=off 2>err |
    sed "$steps" >out
cmp expected out >>err
report $? 'it is the same of a run that skips nothing'
"$ACESIM" run "$run" --set platform.topology.dims.0.size=2 >out 2>err
prints 'a name that sizes have made outdated has them beside it' \
    ' on 4x4x4 (torus 2x4x4, 32 NPUs), endpoint '
n_skipped=$("$ACESIM" run "$run" |
    sed -n 's/.*; \([0-9]*\) chunks skipped, which repeat a period$/\1/p')
"$ACESIM" run "$run" --skip=check >out 2>err
prints '--skip=check skips nothing, and says how much it compared' \
    "; no chunk skipped, ${n_skipped:-none} that repeat a period compared with the prediction$"
"$ACESIM" run ok.yaml --skip=check --set collectives.fidelity=packet >out 2>err
prints 'or that it had nothing to compare' '; no chunk skipped, none would be$'
"$ACESIM" run "$run" --explain --skip=check >out 2>err
prints 'what-ifs are left out where the path is followed in one more run, too' \
    '^what-ifs: 6 of 21 simulated; 4 identical to this run by proof; 11 simulated'
"$ACESIM" run "$run" --explain --skip=check --what-if-csv w.csv >out 2>err
prints 'but not to who asks for all' \
    '^what-ifs: 17 of 21 simulated; 4 identical to this run by proof$'
"$ACESIM" run "$run" --fold=off --set training.iterations=100000 \
    --timeline killed.json >out 2>err &
pid=$!
until ls killed.json.*.tmp >/dev/null 2>&1; do sleep 0.1; done
kill -TERM $pid
wait $pid
[ $? = 143 ] && [ "$(tail -n 1 err)" = 'interrupted by signal 15 (Terminated)' ] &&
    ! ls killed.json* >/dev/null 2>&1
report $? 'a run that is ended leaves nothing of its timeline'
says 'a timeline that cannot be written is an error' 1 \
    'none/t.json: cannot be written: No such file or directory' \
    run ok.yaml --timeline none/t.json
says 'a full disk is an error' 1 \
    '/dev/full: cannot be written: No space left on device' \
    run "$run" --timeline /dev/full
ln -s /dev/full full.pftrace.gz
says 'of what is packed, too' 1 \
    'full.pftrace.gz: cannot be written: No space left on device' \
    run "$run" --timeline full.pftrace.gz
says 'what is said of no timeline is refused' 2 \
    '--timeline-npus is said of a --timeline, and there is none
try: acesim run --help' run ok.yaml --timeline-npus 0
"$ACESIM" run "$run" --timeline t.pftrace.gz >out 2>err &&
    "$ACESIM" run "$run" --timeline u.pftrace.gz >out 2>>err &&
    cmp t.pftrace.gz u.pftrace.gz >>err &&
    gzip -dc t.pftrace.gz | head -c 100 | grep -aq 'acesim: resnet-50'
report $? 'a timeline for Perfetto is packed, the same bytes each time'
says 'an NPU that is not simulated has no timeline' 1 \
    '--timeline-npus: there is no NPU 9; 1 of 4 are simulated, --fold=off simulates all' \
    run ok.yaml --timeline x.json --timeline-npus 9
says 'a list of NPUs is numbers' 2 \
    "--timeline-npus: expected numbers such as 0,5, or all, got 'most'
try: acesim run --help" run ok.yaml --timeline x.json --timeline-npus most
mkdir d
says 'a folder is no timeline' 1 'd: cannot be written: Is a directory' \
    run ok.yaml --timeline d
[ ! -e x.json ] && [ -z "$(find . -name '*.tmp')" ]
report $? 'nothing is left of what failed'

# ---- the command `acesim sweep` -------------------------------------------

says 'a dry run writes nothing' 0 '' sweep sweep.yaml --dry-run
prints 'a dry run counts the points' '^5 points$'
printf 'base: ok.yaml\naxes: []\n' >single.yaml
says 'no axes are one point' 0 '' sweep single.yaml --dry-run
[ "$(sed 's/, by.*//; s/about .*/about/' out)" = '1 point
about' ]
report $? 'without a name'
[ ! -e results ]
report $? 'a dry run leaves no folder'
"$ACESIM" sweep sweep.yaml -j1 -o one >out 2>err &&
    "$ACESIM" sweep sweep.yaml -j2 -o two >out 2>err &&
    "$ACESIM" sweep sweep.yaml -j3 -o three --fold=off >out 2>err &&
    cmp one/runs.csv two/runs.csv >out 2>err &&
    cmp one/runs.csv three/runs.csv >out 2>err
report $? 'jobs and folding change no byte'
cut -d, -f1-5,34 one/runs.csv >out
cat >expected <<EOF
collectives.preempt,platform.topology.npus,workload,n_npus,endpoint,status
true,2,c,2,ideal,ok
true,4,c,4,ideal,ok
true,8,c,8,ideal,ok
false,2,c,2,ace,ok
false,4,c,4,ace,ok
EOF
diff expected out >err
report $? 'rows come in axis order, without what is excluded'
[ "$(ls one)" = 'config.csv
datapackage.json
info.json
runs.csv
runs.journal' ]
report $? 'a sweep leaves rows, info.json, config.csv, their dictionary, its journal, nothing else'
mkdir -p taken/runs.csv
says 'what cannot be written is said before the first point' 1 \
    'taken/runs.csv: cannot be written: Is a directory' \
    sweep sweep.yaml -o taken
mkdir -p stale/plots && touch stale/compare.csv stale/layers.csv \
    stale/report.html stale/plots/speedup.svg
"$ACESIM" sweep sweep.yaml -o stale >out 2>err &&
    [ "$(ls stale | tr '\n' ' ')" = \
        'config.csv datapackage.json info.json runs.csv runs.journal ' ]
report $? 'what an earlier sweep left behind goes'
drawn() {
    mkdir -p stale/plots && touch stale/compare.csv stale/report.html \
        stale/plots/speedup.svg
}
is_drawn() {
    [ -e stale/report.html ] && [ -e stale/compare.csv ] &&
        [ -e stale/plots/speedup.svg ]
}
drawn && "$ACESIM" sweep sweep.yaml -o stale >out 2>err && is_drawn
report $? 'a sweep that changes nothing leaves report, plots and comparison'
drawn && "$ACESIM" sweep sweep.yaml -o stale --fresh >out 2>err && is_drawn
report $? 'and so does one that gets the same rows anew'
drawn && "$ACESIM" sweep sweep.yaml -o stale --utilisation >out 2>err &&
    ! is_drawn && [ ! -e stale/plots ]
report $? 'a sweep with another file takes them away'
drawn && sed '/^compare:/,$d' sweep.yaml >compared.yaml && "$ACESIM" sweep compared.yaml -o stale --utilisation \
    >out 2>err && ! is_drawn
report $? 'and so does one that compares others'
drawn && "$ACESIM" sweep compared.yaml -o stale --utilisation \
    -s 'collectives.chunk=32 KiB' >out 2>err && ! is_drawn
report $? 'and one with other rows'
"$ACESIM" sweep sweep.yaml --per-layer --per-link --utilisation -o more \
    >out 2>err && [ -s more/layers.csv ] && [ -s more/links.csv ] &&
    grep -q '^collectives.preempt,.*,start_us,end_us,sms_compute,' \
        more/utilisation.csv
report $? 'a sweep writes layers, links and utilisation when asked'
"$ACESIM" sweep sweep.yaml -o more >out 2>err && [ ! -e more/utilisation.csv ]
report $? 'and takes them away when not'

sed 's/, 255 GiB//' slow.yaml >failing.yaml
"$ACESIM" sweep failing.yaml -s 'collectives.chunk=8 KiB' -j2 -o failing \
    >out 2>err
[ $? = 1 ] && [ "$(sed '/ left$/d; s/failed, .*/failed/' err)" = \
    "failed: workload.payload=256 GiB: ok.yaml:6:11: a collective of \
274877906944 bytes has more than 16777216 chunks; give a larger \
collectives.chunk
3/3, 1 failed
wrote failing/runs.csv
1 of 3 points failed: the column \`status\` says why, the same command tries \
them again" ]
report $? 'a point that fails is reported and counted, and the status says so'
cut -d, -f1-5,33- failing/runs.csv >out
cat >expected <<EOF
workload.payload_bytes,workload,n_npus,endpoint,iteration_time_us,status
1048576,c,4,ideal,$(sed -n 2p failing/runs.csv | cut -d, -f5),ok
2097152,c,4,ideal,$(sed -n 3p failing/runs.csv | cut -d, -f5),ok
274877906944,c,4,ideal,,ok.yaml:6:11: a collective of 274877906944 bytes has more \
than 16777216 chunks; give a larger collectives.chunk
EOF
diff expected out >err
report $? 'its row has a reason and no figures, the others are whole'

sed 's/npus: \[2, 4, 8\]/npus: [2, 0, 8, 2.5]/' sweep.yaml >wrong.yaml
says 'mistakes of all points are found before any runs, each once' 1 \
    "wrong.yaml:6:33: npus: 0 is outside [1, 16777216] or auto (point: \
endpoint=ideal, collectives.preempt=true, platform.topology.npus=0 and 1 more \
point)
wrong.yaml:6:39: npus: expected a whole number, got '2.5' (point: \
endpoint=ideal, collectives.preempt=true, platform.topology.npus=2.5 and 1 \
more point)" \
    sweep wrong.yaml -o wrong
[ ! -e wrong ]
report $? 'nothing was written for them'
cat >crossed.yaml <<EOF
base: ok.yaml
axes:
  - endpoint:
      - {kind: ace, name: a}
      - {kind: baseline, name: b, sms: 2, memory_bandwidth: 100 GB/s}
  - endpoint.fsms: [4, 8]
EOF
says 'a key that some points do not have is said with its point' 1 \
    "crossed.yaml:6:21: unknown key 'fsms'; did you mean 'sms'? (point: \
endpoint=b, endpoint.fsms=4)
crossed.yaml:6:24: unknown key 'fsms'; did you mean 'sms'? (point: \
endpoint=b, endpoint.fsms=8)" check crossed.yaml
sed 's/, memory_bandwidth.*/}/; s/endpoint.fsms.*/training.iterations: [1, 2, 3]/' \
    crossed.yaml >several.yaml
says 'and how many further points have it' 1 \
    "several.yaml:5:9: missing key 'memory_bandwidth' (share of HBM for \
communication, under \`partitioned\`) (point: endpoint=b, \
training.iterations=1 and 2 more points)" sweep several.yaml
sed 's/npus: 4/npus: 0/' ok.yaml >slip.yaml
sed 's/ok.yaml/slip.yaml/; s/fsms/name/' crossed.yaml >all.yaml
says 'what is wrong in all points has none' 1 \
    'slip.yaml:3:34: npus: 0 is outside [1, 16777216] or auto' check all.yaml
sed 's/true, false/true/' sweep.yaml >zip.yaml
says 'a zip of lists of two lengths has the position of one' 1 \
    "zip.yaml:5:28: zip: 'collectives.preempt' has 1 values, 'endpoint' has 2" \
    sweep zip.yaml
sed 's/endpoint: ace/endpoit: ace/' sweep.yaml >exclude.yaml
says 'an exclusion of no axis has a suggestion' 1 \
    "exclude.yaml:8:6: exclude: 'endpoit' is no axis; did you mean 'endpoint'?" \
    sweep exclude.yaml
echo '{kind: ideal, name: one-s}' >one.yaml
echo '{kind: ideal, name: two-s}' | tee two.yaml >three.yaml
cat >named.yaml <<EOF
base: ok.yaml
axes: [{zip: {endpoint: [one.yaml, two.yaml, three.yaml], training.iterations: [1, 2, 3]}}]
exclude: [{endpoint: two}]
EOF
sed 's/^exclude.*/exclude: [{endpoint: one-s}]/' named.yaml >by-name.yaml
says 'an exclusion takes the name that is in one file' 0 '' \
    sweep --dry-run by-name.yaml
prints 'and leaves out what is called so' '^2 points$'
sed 's/^exclude.*/exclude: [{endpoint: two-s}]/' named.yaml >by-name.yaml
says 'but not the name that is in several' 1 \
    "by-name.yaml:3:22: exclude: axis 'endpoint' has several values named \
'two-s'; there are: one, two, three" sweep by-name.yaml
cat >alike.yaml <<EOF
base: ok.yaml
axes:
  - endpoint: [{kind: ace, fsms: 4}, {kind: ace, fsms: 8}]
EOF
says 'points whose rows could not be told apart are refused' 1 \
    "alike.yaml:3:38: axis 'endpoint': runs.csv would call '{kind: ace, fsms: \
4}' and '{kind: ace, fsms: 8}' both 'ace'; give each its own \`name\` \
(point: endpoint={kind: ace, fsms: 8})" sweep alike.yaml
sed 's/4}/4, name: four}/' alike.yaml >unlike.yaml
says 'a name tells them apart' 0 '' sweep --dry-run unlike.yaml
cat >alike.yaml <<EOF
base: ok.yaml
axes:
  - cases: {status: {a: {}, b: {training.iterations: 2}}}
  - cases: {n_npus: {few: {}, more: {platform.topology.npus: 8}}}
EOF
says 'and so are cases that a column of results hides' 1 \
    "cases: runs.csv has a column 'status' that would say the same of 'a' and \
'b'; call the axis otherwise (point: status=b, n_npus=few and 1 more point)" \
    sweep alike.yaml
says 'what the command line sets may not be an axis' 1 \
    "--set: 'platform.topology.npus' is an axis of the sweep" \
    sweep sweep.yaml --set platform.topology.npus=4
says 'a number of jobs below 0 is a usage error' 2 \
    '--jobs: expected 1 to 1000, got -1
try: acesim sweep --help' sweep sweep.yaml -j -1

# The first point of the sweep ends immediately, the second fails, the third
# takes a day.
cat >long.yaml <<EOF
base: ok.yaml
axes:
  - zip:
      workload.payload: [1 MiB, 256 GiB, 1 MiB, 2 MiB]
      training.iterations: [1, 1, 1000000, 1000000]
EOF
"$ACESIM" sweep long.yaml -j1 -o "$PWD/long" -s 'collectives.chunk=8 KiB' \
    >out 2>err &
pid=$!
for _ in {1..200}; do
    grep -q '^failed: ' err && break
    sleep 0.1
done
kill -INT $pid
wait $pid
status=$?
[ $status = 130 ] && [ "$(wc -l <long/runs.partial.csv)" = 3 ] &&
    [ ! -e long/runs.csv ]
report $? 'an interrupted sweep ends with 130 and keeps what is done'
grep -q "^interrupted: $PWD/long/runs.partial.csv has the 2 of 4 points" err
report $? 'it says so'
for command in compare plot report; do
    says "$command says that it is not finished" 1 \
        "long/runs.csv does not exist yet: the sweep is not finished; the same \
\`acesim sweep\` command continues it" $command long
done
! grep -ls "$PWD/long" /proc/[0-9]*/cmdline >out
report $? 'it leaves no child'

# ---- the command `acesim compare` -----------------------------------------

mkdir pairs empty
cat >pairs/runs.csv <<EOF
workload,n_npus,endpoint,iteration_time_us,compute_roofline_us,status
a,4,slow,30.000000,9.000000,ok
a,4,fast,20.000000,9.000000,ok
a,4,ace,10.000000,8.000000,ok
a,8,fast,30.000000,9.000000,ok
a,8,ace,20.000000,8.000000,ok
a,8,ideal,15.000000,8.000000,ok
b,4,fast,10.000000,9.000000,ok
b,4,ace,,,too large
EOF
says 'a row that failed is named' 0 \
    'b, 4 NPUs, ace: left out: too large' compare pairs
cat >expected <<EOF
ace against the fastest of slow, fast: iteration times
workload  NPUs       ace  baseline  which  speedup  ceiling     ideal
a            4  10.00 us  20.00 us  fast     2.00x    2.50x         -
a            8  20.00 us  30.00 us  fast     1.50x    3.75x  15.00 us
ceiling: were all of ace's communication hidden, the baseline's time over \
ace's roofline;
what the speedup lacks of it is left to a better network or endpoint
no baseline was tuned; with configs/endpoints/tuned.yaml as a point, \
\`best: [tuned]\` adds that

speedup over the fastest baseline
workload  ace: mean    max  ceiling
a             1.73x  2.00x    3.06x
EOF
diff expected out >err
report $? 'the comparison can be read at a glance'
cat >failed.csv <<EOF
workload,n_npus,endpoint,iteration_time_us,status
a,4,slow,30.000000,ok
a,4,ace,10.000000,ok
a,4,tuned,,took too long
EOF
"$ACESIM" compare failed.csv >out 2>err
grep -qx 'no baseline that was tuned has a result: every row of tuned failed, and its `status` says why' out
report $? 'a tuned baseline that failed is not one that is missing'
cat >expected <<EOF
workload,n_npus,offload,offload_iteration_time_us,best_baseline,\
best_baseline_iteration_time_us,speedup,ceiling,best_built,\
best_built_iteration_time_us,best_built_speedup,ideal_iteration_time_us,\
expected_error_percent,expected_error_from,verdict,best_built_verdict,notes
a,4,ace,10.000000,fast,20.000000,2.0000,2.5000,,,,,,,,,
a,8,ace,20.000000,fast,30.000000,1.5000,3.7500,,,,15.000000,,,,,
EOF
diff expected pairs/compare.csv >err
report $? 'it is written beside the rows'
says 'a baseline that is in no row is an error' 1 \
    "pairs/runs.csv: no row has endpoint 'fest'; \
there are: slow, fast, ace, ideal" compare pairs --baselines fest,slow
says 'names from the command line get no advice' 1 \
    "pairs/runs.csv: no row has endpoint 'aec'; \
there are: slow, fast, ace, ideal" compare pairs --offload aec
printf 'workload,n_npus,endpoint,iteration_time_us\na,4,ace,1\n' >alone.csv
says 'without any baseline there is nothing to compare' 1 \
    'alone.csv: no row has a baseline to compare with' compare alone.csv
says 'a sweep hands its names on' 0 '' compare one
prints 'they are those of its compare section' \
    '^ace against the fastest of ideal'
says 'a folder without rows is an error' 1 \
    'empty/runs.csv: cannot be read: No such file or directory' compare empty

# ---- the commands `acesim check` and `acesim list` ------------------------

# Some sweeps take most of the time that all files take together, as
# their points have many NPUs or search for trees.
long='/sweeps/(llm-offload.*|hgx-h100-offload)\.yaml$|/blink/(classes|training|uneven)\.yaml$'
[ -z "$ACESIM_WHOLE" ] || long='^$'
# only_notes NAME FILES - checks that the files are right, and that `check` has
# no more to say than notes
only_notes() {
    local name=$1
    shift
    "$ACESIM" check "$@" >out 2>err && ! grep -v '\.yaml: note: ' err
    report $? "$name"
}
only_notes 'check finds nothing wrong with what we ship' \
    $(ls "$SRCDIR"/configs/*/*.yaml | grep -Ev "$long")
only_notes 'nor with what papers have' \
    $(ls "$SRCDIR"/configs/papers/*/*.yaml | grep -Ev "/claims.yaml$|$long")
"$ACESIM" check ok.yaml bad.yaml >out 2>err
[ $? = 1 ] && grep -q '^ok.yaml: ok$' out && grep -q '^bad.yaml:2:18' err
report $? 'check goes on behind a bad file'
echo '{kind: toruss}' >part.yaml
says 'check knows a part by its kind' 1 \
    "part.yaml:1:8: kind: no endpoint, topology, workload, layer, kernel, stack or exchange is called \
'toruss'; did you mean 'torus'?" check part.yaml
says 'list walks everything' 0 '' list
for word in baseline ace copy-engine ideal torus switch fully-connected data-parallel \
    dlrm collective conv linear lstm attention embedding interaction measured; do
    prints "list has the kind $word" "^kind: $word - "
done
for word in ring halving-doubling direct in-switch hbm.policy scheduler iterations; do
    prints "list has $word" "^  $word  "
done
[ "$(awk 'length > 100' out | wc -l)" = 0 ]
report $? 'list keeps to 100 columns'
for width in 50 60 74; do
    COLUMNS=$width "$ACESIM" list >out 2>err
    [ "$(awk -v w=$width 'length > w' out | wc -l)" = 0 ] && [ -s out ]
    report $? "or to $width"
done
COLUMNS=50 "$ACESIM" list dlrm | sed -n '/^  batch/,/^  measured_on /p' >out
cat >expected <<'EOF'
  batch                          count
      required
      1 to 1000000000
      samples of one NPU in one iteration
  measured_on                    section
EOF
diff expected out >err
report $? 'what does not fit stands below its row'
says 'list describes what a sweep has' 0 '' list sweep
for word in axes.N.KEY axes.N.zip axes.N.cases exclude.N.AXIS; do
    prints "list sweep has $word" "^  $word  "
done
says 'list takes a topic' 0 '' list endpoints
prints 'a parameter has its default and range' \
    'sram  *bytes  *4 MiB  *1 KiB to 1 TiB'
says 'list takes a kind' 0 '' list ace
ace=$SRCDIR/configs/endpoints/ace.yaml
for key in memory_bandwidth sram fsms; do
    value=$(sed -n "s/^$key: *//p" "$ace" | sed 's/ *#.*//')
    prints "$key of ace.yaml is the default, as its comment says" \
        "^  $key  *[a-z]*  *$value  "
done
for key in sram_split fsm_split; do
    "$ACESIM" run "$run" --csv split.csv >out 2>err &&
        "$ACESIM" run "$run" --set endpoint.$key=equal --csv equal.csv >out 2>err &&
        [ -s equal.csv ] &&
        [ "$(cut -d, -f-7 split.csv)" = "$(cut -d, -f-7 equal.csv)" ]
    report $? "$key: equal takes the same time there"
done
says 'list takes an algorithm' 0 '' list ring
prints 'and says what it costs' '^  ring  .*steps'
[ "$(grep -c '^  [a-z]' out)" = 1 ]
report $? 'and nothing of the others'
says 'an unknown name has an algorithm for a suggestion' 2 \
    "there is nothing called 'rings' to list; did you mean 'ring'?
try: acesim list --help" list rings
for command in list schema; do
    "$ACESIM" $command '?' 2>&1 | sed -n 's/.*known: //p' | tr -d , | xargs -n 1 >known
    "$ACESIM" $command --help |
        tr '\n' ' ' | sed 's/.* is one of: //; s/[;.].*//' |
        tr -d , | xargs -n 1 >offered
    [ "$(wc -l <known)" -gt 10 ] && diff known offered >out 2>err
    report $? "$command --help offers the words that its error lists"
    for topic in $(cat known); do
        "$ACESIM" $command "$topic" >out 2>err && [ -s out ] || break
    done
    report $? "$command knows each of them"
done
says 'the schema has the help of collectives.algorithm' 0 '' schema collectives
prints 'it says what auto takes for each kind' \
    'all-to-all direct, barrier bruck, gather and scatter linear, '
says 'an unknown topic has a suggestion' 2 \
    "there is nothing called 'endpoint' to list; did you mean 'endpoints'?
try: acesim list --help" list endpoint

# ---- automatic values in a run --------------------------------------------

tuned='endpoint={kind: baseline, name: t, sms: auto, memory_bandwidth: auto,
    only_while_communicating: true}'
says 'an endpoint is tuned' 0 '' run "$run" --set "$tuned" --csv tuned.csv
grep -qx 'tuned: sms [0-9]*, memory_bandwidth .*, the best of [0-9]* tried' out
report $? 'the summary says to what'
sms=$(sed -n 2p tuned.csv | cut -d, -f22)
share=$(sed -n 2p tuned.csv | cut -d, -f23)
says 'the same can be set' 0 '' run "$run" --set "$tuned" \
    --set endpoint.sms="$sms" --set endpoint.memory_bandwidth="$share GB/s" \
    --csv set.csv
[ "$(sed -n 2p set.csv | cut -d, -f1-22)" = \
    "$(sed -n 2p tuned.csv | cut -d, -f1-22)" ]
report $? 'and runs as it ran'
cat >tuning.yaml <<EOF
base: $run
axes:
  - zip:
      endpoint:
        - {kind: baseline, name: x, sms: 6, memory_bandwidth: 450 GB/s}
        - {kind: baseline, name: t, sms: auto, memory_bandwidth: auto,
           only_while_communicating: true}
        - {kind: ace, name: ace}
EOF
says 'it is checked without a run' 0 '' check tuning.yaml
"$ACESIM" sweep tuning.yaml -o tuning >out 2>err
report $? 'a sweep has it as a point'
[ "$(sed -n 2p tuned.csv)" = "$(grep ',t,' tuning/runs.csv)" ]
report $? 'with the same row'
"$ACESIM" sweep tuning.yaml -o tuning >out 2>err &&
    grep -qx '3 of 3 points are already done' err
report $? 'and found again'
says 'it is compared with as the best' 0 '' compare tuning
grep -q '^best: .* baselines and t$' out &&
    grep -q '^resnet-50 .* t (.* SMs, .* GB/s)$' out
report $? 'and said what it was tuned to'
says 'an unknown best is named' 1 "tuning/runs.csv: no row has endpoint 'z'; \
there are: x, t, ace" compare tuning --best z
"$ACESIM" sweep tuning.yaml -o over-time --utilisation >out 2>err &&
    grep -q ',t,' over-time/utilisation.csv
report $? 'what can be seen over time is that of the best'
cmp over-time/runs.csv tuning/runs.csv >err
report $? 'and changes no row'

echo "1..$n"
