#!/bin/sh
# test_lint_trace.sh - tests of `acesim lint-trace`: output and status
. "$SRCDIR/tests/shell.sh"

faults=$SRCDIR/tests/samples/faults
cd "$TMPDIR" || exit 1
cp -r "$faults" "$SRCDIR"/tests/samples/*.txt . || exit 1

cd faults/no-launch || exit 1
says "warnings are no failure" 0 '' lint-trace 0.json
prints "what was found comes first" '^kineto 1: 1 rank of 1$'
prints "then what is wrong, by file, line and node" \
    "^0.json:7: warning: node 4 'left_over' has no launch \[no-launch\]$"
prints "then what an import does about it" \
    '^  no-launch  *orders it by its stream alone$'
prints "and sums" '^0 errors, 1 warning, 0 notes$'

cd ../before-launch || exit 1
says "an error is" 1 '' lint-trace 0.json
says "also as JSON" 1 '' lint-trace --json 0.json
prints "which has the kind" '"kind": "before-launch"'
prints "and the node" '"node": 3'

cd ../wrong-unit || exit 1
says "few places of a kind are shown" 1 '' lint-trace --most 1 0.json
prints "and the others counted" \
    '^warning: and 2 more in 1 file \[stream-overlap\]$'
says "or all" 1 '' lint-trace --all 0.json
prints "without such a line" "node 9 'gemm_3' begins"

says "what is no trace is told by its place" 1 \
    "said.txt:1:1: no reader knows how this begins; say which by --format, or 'format' in a workload" \
    lint-trace said.txt
says "a format is one of the readers'" 2 \
    "--format: there is no 'kinetto'; did you mean 'kineto'?
try: acesim lint-trace --help" lint-trace --format kinetto 0.json
says "so many places are at least one" 2 \
    "--most: has to be 1 to 1000000
try: acesim lint-trace --help" lint-trace --most 0 0.json
cd ../.. || exit 1
says "texts of plans are linted, too" 0 '' \
    lint-trace --format astra-text astra1-DLRM_HybridParallel.txt
prints "by what they have" '^astra-text HYBRID_DLRM 4: 1 rank$'

echo "1..$n"
