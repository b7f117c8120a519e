#!/bin/bash
# test_apart.sh - no file is written over what is read, and no two outputs go into one
#
# ACESIM is the program, SRCDIR the top folder, TMPDIR a folder of our own.

. "$SRCDIR/tests/shell.sh"

trace=$SRCDIR/tests/samples/faults/nothing-wrong
mkdir traces
cp "$trace"/*.json traces
ln -s traces/0.json link
small_run >run.yaml
cp -r traces run.yaml ..

# kept NAME - what is read is as it was.
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
"$ACESIM" run run.yaml -q --csv /dev/null --per-layer /dev/null >out 2>err &&
    "$ACESIM" run run.yaml -q --csv - --per-layer - >out 2>err
report $? 'a device and standard output take both'

echo "1..$n"
