#!/bin/bash
# test_shared_runs.sh - points of a sweep that share a run have the same rows as
# without sharing
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.
. "$SRCDIR/tests/shell.sh"

cat >grid.yaml <<EOF
base:
  platform:
    name: small
    topology: {kind: torus, dims: [
      {size: 4, links: 2, bandwidth: 200 GB/s, latency: 72.29 ns},
      {size: 2, links: 2, bandwidth: 25 GB/s, latency: 401.61 ns}]}
    npu: {sms: 80, clock: 1 GHz, flops: 100 TFLOPS, hbm: {bandwidth: 900 GB/s}}
  endpoint: {kind: ace, launch_time: 0 ns}
  workload: {kind: collective, name: ar, collective: all-reduce, payload: 1 MiB}
  training: {iterations: 1}
  collectives: {chunk: 64 KiB, message: 8 KiB, window: 64}
axes:
  - endpoint.sram: [256 KiB, 300 KiB, 1 MiB, 2 MiB, 4 MiB]
  - endpoint.fsms: [3, 4, 16, 17]
  - platform.npu.hbm.bandwidth: [250 GB/s, 300 GB/s, 900 GB/s]
EOF

number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$2"; }

files='--per-layer --per-link --per-job --utilisation'
"$ACESIM" sweep grid.yaml -j1 -q $files -o shared &&
    "$ACESIM" sweep grid.yaml -j1 -q $files --share=off -o alone &&
    for file in runs layers links jobs utilisation; do
        cmp shared/$file.csv alone/$file.csv || exit
    done
report $? 'what is shared is what would be, in every file'
[ "$(number n_simulated alone/info.json)" = 60 ] &&
    [ "$(number n_shared alone/info.json)" = 0 ] &&
    [ "$(number n_shared shared/info.json)" -gt 30 ] &&
    [ "$(number n_checked shared/info.json)" -ge 3 ] &&
    [ $(($(number n_simulated shared/info.json) + \
        $(number n_shared shared/info.json) - \
        $(number n_checked shared/info.json))) = 60 ]
report $? 'info.json says how many were simulated, shared and checked'
"$ACESIM" sweep grid.yaml -j1 --share-check 5 -o told 2>err >out &&
    grep -qxE '[0-9]+ points were simulated, [0-9]+ share a run of these, [0-9]+ of which were simulated too, to check' err &&
    "$ACESIM" sweep grid.yaml -j1 --share=off -o told --fresh 2>err >out &&
    ! grep -q simulated err
report $? 'and so does the sweep when it ends, where points share'
"$ACESIM" sweep grid.yaml -j1 -q --share-check 100 -o checked &&
    [ "$(number n_checked checked/info.json)" = \
        "$(number n_shared checked/info.json)" ] &&
    "$ACESIM" sweep grid.yaml -j1 -q --share-check 0 -o trusted &&
    [ "$(number n_checked trusted/info.json)" = 0 ] &&
    cmp checked/runs.csv trusted/runs.csv
report $? 'as many are checked as are asked for'
"$ACESIM" sweep grid.yaml -j1 -q --shard 1/2 -o workers &
"$ACESIM" sweep grid.yaml -j1 -q --shard 2/2 -o workers && wait $! &&
    "$ACESIM" sweep grid.yaml -j1 -o workers >out 2>err &&
    cmp workers/runs.csv alone/runs.csv >out &&
    grep -qE '^[0-9]+ points were simulated, [0-9]+ share a run of these' err &&
    [ "$(number found workers/info.json)" = 60 ] &&
    [ "$(number n_shared workers/info.json)" -gt 20 ] &&
    [ $(($(number n_simulated workers/info.json) + \
        $(number n_shared workers/info.json) - \
        $(number n_checked workers/info.json))) = 60 ]
report $? 'who gathers adds up what workers simulated and shared'
"$ACESIM" sweep grid.yaml -j1 -q --share=off -o trusted >out 2>err &&
    [ "$(number found trusted/info.json)" = 60 ]
report $? 'what was shared is done, and found'
says 'what is shared is auto or off' 2 "--share: expected auto or off, got 'on'
try: acesim sweep --help" \
    sweep grid.yaml --share=on
says 'no fewer than none are checked' 2 '--share-check: expected 0 or more
try: acesim sweep --help' \
    sweep grid.yaml --share-check=-1
echo "1..$n"
