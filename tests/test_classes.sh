#!/bin/bash
# test_classes.sh - tests of `acesim classes`: table, CSV, plot and errors
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

dgx="$SRCDIR/configs/platforms/dgx-1v.yaml"

# ---- known values of a DGX-1 ----------------------------------------------

"$ACESIM" classes "$dgx" --link '22.9 GB/s' --host '8 GB/s' >out 2>err
prints 'a DGX-1V has 46 classes' '^dgx-1v: 46 classes '
prints 'of which 21 have no ring' '^(21 classes)'
prints 'trees over rings: broadcast' 'geometric mean 1.90x, most 5.7x'
prints 'trees over rings: all-reduce' 'geometric mean 2.70x, most 9.2x'
"$ACESIM" classes "$dgx" --link '22.9 GB/s' --host '10 GB/s' >out 2>err
prints 'a faster host: broadcast' 'geometric mean 1.71x, most 4.6x'
prints 'a faster host: all-reduce' 'geometric mean 2.44x, most 7.3x'

# ---- rows of GPU set classes ----------------------------------------------

for machine in v p; do
    "$ACESIM" classes "$SRCDIR/configs/platforms/dgx-1$machine.yaml" --csv - \
        2>err | tail -n +2 | cut -d, -f 1-10 >out
    sed -n "s/^dgx1$machine,//p" \
        "$SRCDIR/validate/data/topology/dgx1_classes.csv" >expected
    cmp -s expected out
    report $? "the classes of the DGX-1$machine that ships are those published"
done

# ---- a folder of results of `acesim classes` ------------------------------

"$ACESIM" classes "$dgx" --least 7 -o results >out 2>err
prints 'says what it wrote' '^wrote results/classes.csv'
[ "$(wc -l <results/classes.csv)" = 4 ]
report $? 'sets of 7 and 8 are three classes'
grep -q '>0 1 2 3 4 5 6 7<' results/plots/classes.svg
report $? 'the picture names its rows'
grep -q '>1.29x<' results/plots/classes.svg
report $? 'and says its speedups'
cp results/plots/classes.svg before.svg
"$ACESIM" classes "$dgx" --least 7 -o results >out 2>err
cmp -s before.svg results/plots/classes.svg
report $? 'the same again has the same bytes'

# ---- runs on a class of GPU sets ------------------------------------------

"$ACESIM" classes "$dgx" --least 8 --simulate '1 MiB' -o runs >out 2>err
prints 'says which stacks were run' '^Simulated: 1 MiB of blink over nccl '
prints 'and that these may choose other than rings' \
    '^its rings it is with --over nccl-rings\.$'
[ "$(grep -c 'geometric mean' out)" = 4 ]
report $? 'both collectives have a mean by links and one of runs'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /_simulated_/) c[++n] = i }
    NR == 2 { ok = $c[1] > 0 && $c[2] > 0 } END { exit !ok }' runs/classes.csv
report $? 'rows have what runs say'

"$ACESIM" classes "$dgx" --least 8 --simulate '1 MiB' --over nccl-rings \
    >out 2>err
prints 'rings are found by name' '^Simulated: 1 MiB of blink over nccl-rings '

# ---- errors of `acesim classes` -------------------------------------------

cat >far.yaml <<EOF
name: far
topology:
  kind: graph
  nodes: [{name: a, kind: npu}, {name: b, kind: npu}, {name: p, kind: pcie}]
  links: [{from: a, to: p, bandwidth: 12 GB/s, latency: 1 us}, {from: b, to: p, bandwidth: 12 GB/s, latency: 1 us}]
npu: $SRCDIR/configs/npus/ace-v100-like.yaml
EOF
"$ACESIM" classes far.yaml >out 2>err
[ $? = 1 ] && grep -q '^far: no near link joins its NPUs$' err
report $? 'NPUs that only the host joins have no classes'
"$ACESIM" classes "$dgx" --least 5 --most 4 >out 2>err
[ $? = 2 ] && grep -q 'expected 2 <= 5 <= 4' err
report $? 'no sizes at all are refused'
"$ACESIM" classes "$SRCDIR/configs/platforms/ace-4x4x4.yaml" >out 2>err
[ $? = 1 ] && grep -q 'cannot be counted$\|too many to be told apart$' err
report $? 'a torus of 64 is refused'
echo "1..$n"
