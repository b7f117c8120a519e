#!/bin/bash
# test_output_conflicts.sh - outputs never overwrite inputs, and two outputs never share a
# file
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

trace=$SRCDIR/tests/samples/faults/nothing-wrong
mkdir traces
cp "$trace"/*.json traces
ln -s traces/0.json link
small_run >run.yaml
cp -r traces run.yaml ..

# kept NAME - checks that the inputs are unchanged
kept() {
    cmp -s run.yaml ../run.yaml && diff -r traces ../traces >out
    report $? "$1"
}

says 'a program over its recording' 1 \
    '-o would be written over traces/0.json, which is read' \
    import traces/0.json traces/1.json -o ./link
says 'a run file over a recording in a folder' 1 \
    '--run-file would be written over traces/1.json, which is read' \
    import traces -o p.yaml --run-file traces/1.json
says 'a report over a recording' 1 \
    '--report would be written over traces/0.json, which is read' \
    import traces -o p.yaml --report "$PWD/traces/0.json"
says 'a program and its run in one file' 1 \
    '-o and --run-file both want ./p.yaml' \
    import traces -o p.yaml --run-file ./p.yaml
says 'a program and a report on standard output' 2 \
    '-o and --report both want standard output
try: acesim import --help' \
    import traces -o - --report -
[ ! -e p.yaml ]
report $? 'then nothing is written'
kept 'recordings are as they were'

says 'rows over the run' 1 '--csv would be written over run.yaml, which is read' \
    run run.yaml --csv run.yaml
says 'a timeline over what stands beside it' 1 \
    '--timeline would be written over traces/0.json, which is read' \
    run run.yaml --timeline traces/0.json --beside traces/0.json
says 'two kinds of rows in one file' 1 '--csv and --per-layer both want rows.csv' \
    run run.yaml --csv rows.csv --per-layer rows.csv
says 'the best over what it began with' 1 \
    '-o would be written over run.yaml, which is read' \
    optimise run.yaml -o run.yaml --evaluations 1
kept 'the run is as it was'

# ---- output files named in a run file -------------------------------------

mkdir parts
cp "$SRCDIR"/configs/endpoints/ideal.yaml parts/ideal.yaml
cp traces/0.json parts
printf '{kind: trace, name: t, file: 0.json}\n' >parts/work.yaml
sed -e 's,^endpoint:.*,endpoint: parts/ideal.yaml,' run.yaml >names.yaml
printf 'base: names.yaml\naxes:\n  - endpoint.launch_time: [1 us]\n' >sweep.yaml
cp -r parts names.yaml sweep.yaml ..

# left NAME - checks that the inputs are unchanged
left() {
    diff -r parts ../parts >out && cmp names.yaml ../names.yaml >out &&
        cmp sweep.yaml ../sweep.yaml >out
    report $? "$1"
}

over='would be written over parts/ideal.yaml, which is read'
for option in --csv --per-layer --timeline --utilisation --explain-csv; do
    says "$option over a part of the run" 1 "$option $over" \
        run names.yaml $option parts/ideal.yaml
done
says 'rows over a part that --set names' 1 "--csv $over" \
    run run.yaml --set endpoint=parts/ideal.yaml --csv parts/ideal.yaml
ln parts/ideal.yaml parts/x.goal
says 'a schedule over a part, by another name' 1 "-o $over" \
    export names.yaml -o parts/x.goal
rm parts/x.goal
says 'the best over a part of what it began with' 1 "-o $over" \
    optimise names.yaml -o parts/ideal.yaml --evaluations 1
says 'a search that goes on in a part' 1 "--resume $over" \
    optimise names.yaml --resume parts/ideal.yaml --evaluations 1
says 'what was tried over a part' 1 "--csv $over" \
    solve names.yaml --vary platform.npu.sms --from 40 --to 80 \
    --until 'iteration_time_us > 0 us' --csv parts/ideal.yaml
says 'what hangs on what over a part' 1 "--csv $over" \
    sensitivity names.yaml --csv parts/ideal.yaml
says 'rows over a trace that a workload names' 1 \
    '--csv would be written over parts/0.json, which is read' \
    run run.yaml --set workload=parts/work.yaml --csv parts/0.json
# ---- output files named by options ----------------------------------------

cp "$SRCDIR"/configs/npus/h200.yaml parts/npu.yaml
sed 's,^npu:.*,npu: npu.yaml,' "$SRCDIR"/configs/platforms/hgx-h200.yaml \
    >parts/platform.yaml
printf 'kind: nccl\nname: n\n' >parts/stack.yaml
printf 'baselines:\n  - {name: b, set: {endpoint: %s}}\n' ideal.yaml \
    >parts/assumed.yaml
cp parts/*.yaml ../parts
npu='would be written over parts/npu.yaml, which is read'
says 'times over the NPU that the platform names' 1 "--csv $npu" \
    collectives parts/platform.yaml --sizes '1 KiB' --csv parts/npu.yaml
says 'times over an NPU that --set names' 1 "--csv $npu" \
    collectives hgx-h200 --set platform.npu=parts/npu.yaml --sizes '1 KiB' \
    --csv parts/npu.yaml
says 'times over a stack' 1 \
    '--csv would be written over parts/stack.yaml, which is read' \
    collectives hgx-h200 --stack parts/stack.yaml --sizes '1 KiB' \
    --csv parts/stack.yaml
says 'classes over the NPU that the platform names' 1 "--csv $npu" \
    classes parts/platform.yaml --csv parts/npu.yaml
says 'what was tried over the endpoint of the goal' 1 "--csv $over" \
    solve run.yaml --vary platform.npu.sms --from 40 --to 80 \
    --until 'iteration_time_us <= 200 % of parts/ideal.yaml' \
    --csv parts/ideal.yaml
says 'what was tried over a part of the run of the goal' 1 "--csv $over" \
    solve run.yaml --vary platform.npu.sms --from 40 --to 80 \
    --until 'iteration_time_us <= 200 % of names.yaml' --csv parts/ideal.yaml
says 'what hangs on what over a baseline' 1 "--csv $over" \
    sensitivity run.yaml --baselines parts/ideal.yaml --csv parts/ideal.yaml
says 'what hangs on what over a baseline of the assumptions' 1 "--csv $over" \
    sensitivity run.yaml --assumptions parts/assumed.yaml \
    --csv parts/ideal.yaml
left 'parts are as they were'

mkdir sweep
cp run.yaml sweep/config.csv
cp traces/0.json sweep/runs.csv
cp sweep.yaml sweep/info.json
printf 'base: sweep/config.csv\naxes:\n  - endpoint.launch_time: [1 us]\n' >base.yaml
cat >file.yaml <<EOF
base: {platform: hgx-h200, endpoint: parts/ideal.yaml,
       workload: {kind: trace, name: t, file: parts/0.json}}
axes:
  - workload.file: [parts/0.json, sweep/runs.csv]
EOF
cp -r sweep ..
says 'a sweep over its base' 1 \
    '-o would be written over sweep/config.csv, which is read' \
    sweep base.yaml -o sweep
says 'a worker of a sweep over its base' 1 \
    '-o would be written over sweep/config.csv, which is read' \
    sweep base.yaml -o sweep --shard 1/2
says 'a sweep over a trace of one of its points' 1 \
    '-o would be written over sweep/runs.csv, which is read' \
    sweep file.yaml -o sweep
says 'a comparison over its rows' 1 \
    '--csv would be written over sweep/runs.csv, which is read' \
    compare sweep/runs.csv --csv sweep/runs.csv
says 'a comparison over the names that it compares' 1 \
    '--csv would be written over sweep/info.json, which is read' \
    compare sweep --csv sweep/info.json
diff -r sweep ../sweep >out
report $? 'a folder of results with what is read is as it was'
"$ACESIM" run run.yaml -q --csv /dev/null --per-layer /dev/null >out 2>err &&
    "$ACESIM" run run.yaml -q --csv - --per-layer - >out 2>err
report $? 'a device and standard output take both'

echo "1..$n"
