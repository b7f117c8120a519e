#!/bin/bash
# test_sensitivity.sh - tests of `acesim sensitivity`: output, files and errors

. "$SRCDIR/tests/shell.sh"
run=$SRCDIR/configs/runs/isca21.yaml

small_run | sed 's/kind: ideal, name: ideal/kind: ace, name: ace/' >ok.yaml
echo 'collectives: {window: 64} # assumed: for the test' >>ok.yaml
cat >sensitivity.yaml <<'EOF'
baselines:
  - {name: base, set: {endpoint: {kind: baseline, name: base, sms: 1, memory_bandwidth: 32 GB/s}}}
cases:
  - name: engine
    of: offload
    now: fast
    try: {slow: {endpoint.memory_bandwidth: 1 GB/s}}
    why: nobody has built it
EOF
only=(--only engine,collectives.window)

says 'it is quiet where all goes well' 0 '' sensitivity ok.yaml "${only[@]}"
prints 'the answer comes first' \
    '^ace is .*x as fast as the best baseline (base); of 2 assumptions 1 moves'
prints 'it says what turns the answer round' \
    '^With engine (slow) a baseline wins.$'
prints 'and what does not matter' ' do not matter: collectives.window$\| than 0.1 %: collectives.window$\|collectives.window  '
"$ACESIM" sensitivity ok.yaml "${only[@]}" -j 1 --csv one.csv >out 2>err &&
    "$ACESIM" sensitivity ok.yaml "${only[@]}" -j 2 --csv - >out 2>err &&
    cmp one.csv out 2>err
report $? 'any number of jobs has the same rows'
"$ACESIM" sensitivity ok.yaml "${only[@]}" --json >out 2>err
prints 'JSON has the answer' '"answer": "ace is '
"$ACESIM" sensitivity ok.yaml "${only[@]}" -o results >out 2>err &&
    cmp one.csv results/sensitivity.csv 2>err
report $? 'a folder has the rows'
says 'a column may be asked for' 0 '' sensitivity ok.yaml "${only[@]}" \
    --metric iteration_time_us
says 'check knows such a file' 0 '' check sensitivity.yaml

says 'it wants a file' 2 'missing CONFIG
try: acesim sensitivity --help' sensitivity
says 'a range has a key and values' 2 \
    "--range: expected KEY=VALUE..VALUE, got 'x'
try: acesim sensitivity --help" sensitivity ok.yaml --range x
says 'a metric is a column' 2 \
    "--metric: no column of numbers 'iteration_tine_us'; did you mean \
'iteration_time_us'?
try: acesim sensitivity --help" sensitivity ok.yaml --metric iteration_tine_us
says 'a key that nothing has is named' 1 \
    "--range endpoint.srm:1:1: key: no configuration has 'endpoint.srm'; did \
you mean 'endpoint.sram'?" sensitivity ok.yaml --range endpoint.srm='1 MiB'
says 'a value out of range has its place' 1 \
    "--range endpoint.fsms:1:1: fsms: 0 is outside [1, 65536]" \
    sensitivity ok.yaml --range endpoint.fsms=0..4
mkdir alone && cp ok.yaml alone && mkdir alone/deep && cp ok.yaml alone/deep
mv sensitivity.yaml kept.yaml
says 'without baselines there is no speedup' 1 \
    "alone/deep/ok.yaml: there is no baseline to compare with; --baselines \
FILE,FILE names endpoints, as does a sensitivity.yaml beside the file or above \
it" sensitivity alone/deep/ok.yaml
says 'files of endpoints are baselines' 0 '' sensitivity alone/ok.yaml \
    --baselines "$SRCDIR/configs/endpoints/comm-opt.yaml" \
    --only endpoint.fsms
says 'another file may be named' 0 '' sensitivity alone/ok.yaml \
    --assumptions kept.yaml --only engine
says 'the shipped file goes with the shipped run' 0 '' sensitivity "$run" \
    --only release --fold require
prints 'baselines that let go while idle are faster' \
    'given back while idle: 1.06x'
COLUMNS=200 says \
    'the shipped assumptions hold for the run' 0 '' sensitivity "$run" \
    --only tuning,training.optimiser
prints 'a tuned baseline leaves little' 'tuned and released: 1.02x'
prints 'a step of the optimiser is counted' 'momentum: 1.1'
says 'the shipped file is right' 0 '' check "$SRCDIR/configs/sensitivity.yaml"
echo "1..$n"
