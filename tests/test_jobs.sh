#!/bin/bash
# test_jobs.sh - tests of several jobs on one network: table, rows per job,
# isolated runs, errors
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.
. "$SRCDIR/tests/shell.sh"

cat >run.yaml <<END
platform:
  name: s
  topology: {kind: switch, npus: 12, links: 2, bandwidth: 25 GB/s, latency: 500 ns}
  npu: $SRCDIR/configs/npus/ace-v100-like.yaml
endpoint: {kind: ideal, name: ideal}
workload:
  kind: jobs
  name: two
  jobs:
    - name: mlp
      ranks: {size: 3, at: 0}
      workload:
        kind: data-parallel
        name: mlp
        batch: 16
        layers: [{kind: linear, name: fc, in: 512, out: 512}]
    - name: it's a ring
      ranks: {list: [1, 4]}
      start: 1 us
      workload: {kind: collective, name: c, collective: all-reduce, payload: 1 MiB}
END

says "two jobs are run, each alone as well" 0 '' \
    run run.yaml --alone --alone-csv alone.csv --per-job jobs.csv --verify
prints "with a table of them" '^mlp  *4  *0 ps .* 1\.000$'
prints "whatever a job is called" "^it's a ring  *2  *1\.000 us .* 1\.000$"
prints "and what ends is right" '^verified: all '

cut -d, -f4-6 jobs.csv >out
printf 'job,job_npus,start_us\nmlp,4,0.000000\nit%ss a ring,2,1.000000\n' "'" >expected
cmp -s out expected
report $? "a row a job has whose it is and when it began"

# Jobs on a switch share no link, so no job is slowed down.
cut -d, -f1,4,5 alone.csv >out
printf 'job,slowdown,status\nmlp,1.000000,ok\nit%ss a ring,1.000000,ok\n' "'" >expected
cmp -s out expected
report $? "links of their own slow nobody down"

"$ACESIM" run run.yaml --json --set 'workload.only=[mlp]' >out 2>err &&
    [ "$(grep -c '"job":' out)" = 1 ]
report $? "only one of them is run where the others are left out"

says "NPUs of another job are refused where they stand" 1 \
    "run.yaml:18:14: ranks: NPU 3 is of job 'mlp' already (with --set workload.jobs.1.ranks.list=[3])" \
    run run.yaml --set 'workload.jobs.1.ranks.list=[3]'

cat >sweep.yaml <<END
base: run.yaml
axes:
  - workload.only: [[mlp], []]
END
says "a sweep has rows of jobs, too" 0 '' sweep sweep.yaml -o many --per-job -q
[ "$(wc -l <many/jobs.csv)" = 4 ]
report $? "one for each job that runs"
echo "1..$n"
