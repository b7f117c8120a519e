#!/bin/bash
# test_collectives.sh - tests of `acesim collectives`: table, CSV and errors
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

# The platform is a ring of 4 NPUs with links of 50 GB/s.
cat >four.yaml <<EOF
name: four
topology: {kind: torus, dims: [{size: 4, bandwidth: 25 GB/s, links: 2, latency: 500 ns}]}
npu: $SRCDIR/configs/npus/ace-v100-like.yaml
EOF

# cell COLUMN - prints a cell of the last row of rows.csv
cell() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        END { print $c }' rows.csv
}

# ---- output of `acesim collectives` ---------------------------------------

"$ACESIM" collectives four.yaml --sizes '1 KiB..4 KiB' >out 2>err
prints 'says what was timed' '^all-reduce of 4 NPUs, four$'
prints 'has a row for the first size' '^ *1 KiB '
prints 'has a row for the last size' '^ *4 KiB '
[ "$(grep -c 'KiB' out)" = 3 ]
report $? 'sizes double'

# ---- rows of `acesim collectives` -----------------------------------------

for kind in all-reduce all-gather reduce-scatter all-to-all; do
    "$ACESIM" collectives four.yaml --kind $kind --sizes '64 MiB' --csv - \
        >rows.csv 2>err
    cp rows.csv out
    awk -v time="$(cell time_us)" -v algbw="$(cell algbw_gb_per_s)" \
        -v busbw="$(cell busbw_gb_per_s)" -v kind=$kind 'BEGIN {
            want = 67108864 / time / 1000
            factor = kind == "all-reduce" ? 1.5 : 0.75
            exit !(time > 0 && (algbw - want) ^ 2 < 1e-6 &&
                   (busbw - want * factor) ^ 2 < 1e-6) }'
    report $? "$kind: bandwidths are bytes over time as nccl-tests has them"
done

"$ACESIM" collectives four.yaml --kind barrier --sizes '1 KiB..1 GiB' \
    --csv rows.csv >out 2>err
[ "$(wc -l <rows.csv)" = 2 ] && [ "$(cell busbw_gb_per_s)" = 0.0000 ]
report $? 'a barrier has one row and no bandwidth'

# With 25 GB/s per direction, busbw of a ring is the bandwidth that a rank sends
"$ACESIM" collectives four.yaml --sizes '1 GiB' --csv rows.csv \
    --set endpoint='{kind: ideal}' >out 2>err
awk -v busbw="$(cell busbw_gb_per_s)" 'BEGIN { exit !(busbw > 49 && busbw <= 50) }'
report $? 'busbw of a large payload is the bandwidth of the links'

"$ACESIM" collectives four.yaml --sizes '1 GiB' --csv rows.csv \
    --set endpoint.memory_bandwidth='30 GB/s' >out 2>err
awk -v busbw="$(cell busbw_gb_per_s)" 'BEGIN { exit !(busbw > 15 && busbw < 25) }'
report $? 'a value of the endpoint may be set: little memory bandwidth cannot feed the links'

"$ACESIM" collectives four.yaml --sizes '8 B' --csv a.csv >out 2>err
"$ACESIM" run - --set endpoint='{kind: baseline, sms: 80, memory_bandwidth: 900 GB/s, only_while_communicating: true}' \
    --csv b.csv -q 2>err <<EOF
platform: four.yaml
endpoint: {kind: ideal}
workload: {kind: collective, name: c, collective: all-reduce, payload: 8 B}
training: {iterations: 1}
EOF
a=$(cut -d, -f8 a.csv | tail -1)
grep -q "$a" b.csv
report $? 'a size takes what a run of it takes'

# ---- a folder of results of `acesim collectives` --------------------------

if command -v gnuplot >/dev/null; then
    "$ACESIM" collectives four.yaml --sizes '1 KiB..1 MiB' -o folder >out 2>err
    [ -s folder/collectives.csv ] && [ -s folder/plots/collectives.svg ] &&
        [ -s folder/plots/collectives.png ]
    report $? 'a folder gets rows and a plot'
    grep -q 'all-reduce of 4 NPUs, four' folder/plots/collectives.svg
    report $? 'the plot says what it is of'
else
    skip 'a folder gets rows and a plot' 'no gnuplot'
fi

# ---- errors of `acesim collectives` ---------------------------------------

says 'a platform that is not there' 1 \
    "PLATFORM:1:1: platform: 'no.yaml' cannot be read: No such file or directory" \
    collectives no.yaml --sizes '8 B'
says 'a kind that is none' 1 \
    "--kind:1:1: collective: unknown value 'all'; known values: $("$ACESIM" \
        collectives four.yaml --kind all 2>&1 | sed 's/.*known values: //')" \
    collectives four.yaml --kind all --sizes '8 B'
says 'a range that ends before it begins' 2 \
    "--sizes: '9 B..7 B' ends before it begins
try: acesim collectives --help" \
    collectives four.yaml --sizes '9 B..7 B'
says 'a size without a unit' 2 \
    "--sizes: '9' has no unit; expected a size such as '64 KiB'
try: acesim collectives --help" \
    collectives four.yaml --sizes 9
says 'no platform' 2 \
    "missing PLATFORM
try: acesim collectives --help" \
    collectives

echo "1..$n"
