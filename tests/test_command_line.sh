#!/usr/bin/env bash
# test_command_line.sh - accepts or explains common habits on the command line
. "$SRCDIR/tests/shell.sh"
small_run >ok.yaml

says '-V is the version' 0 '' -V
prints 'as --version has it' '^acesim [0-9]'
"$ACESIM" run --help >page
says 'help CMD is the page of CMD' 0 '' help run
cmp -s out page
report $? 'the same page'
says 'help alone lists the commands' 0 '' help
prints 'each with a line' '^  sweep '
says 'help of what is no command says so' 2 \
    "unknown command 'runn'; did you mean 'run'?" help runn

says 'a flag takes no value' 2 "--json takes no value, got '1'
try: acesim run --help" run ok.yaml --json=1
says 'nor does one that all commands have' 2 "--help takes no value, got 'x'
try: acesim list --help" list --help=x
says 'no jobs at all are refused' 2 '--jobs: expected 1 to 1000, got 0
try: acesim sweep --help' sweep ok.yaml -j 0

"$ACESIM" run ok.yaml --csv - >by_name
says 'run - reads standard input' 0 '' run - --csv - <ok.yaml
cmp -s out by_name
report $? 'and gives what the file gives'
cat ok.yaml | "$ACESIM" run - --explain >out 2>err
report $? 'a pipe can be asked what-ifs, too'
prints 'and answers' '^iteration time'
echo 'platfrom: 1' | "$ACESIM" run - >out 2>err
[ $? = 1 ] && grep -q "^-:1:1: unknown key 'platfrom'" err
report $? 'its mistakes have places'

says 'a quiet run says nothing' 0 '' run ok.yaml -q
[ ! -s out ]
report $? 'nor does it print'
says 'but what was asked for' 0 '' run ok.yaml -q --csv -
cmp -s out by_name
report $? 'as ever'
cat >sweep.yaml <<'SWEEP'
base: ok.yaml
axes: [{workload.payload: [1 MiB, 2 MiB]}]
SWEEP
says 'a quiet sweep says nothing' 0 '' sweep sweep.yaml -q -o one
says 'of what is done already neither' 0 '' sweep sweep.yaml -q -o one

for bandwidth in '800 Gb/s' '800 Gbit/s' '0.8 Tb/s' '800000 Mbit/s' '100 GB/s'
do
    "$ACESIM" run ok.yaml --set platform.topology.bandwidth="$bandwidth" \
        --csv - >"csv-${bandwidth%/*}" 2>err
done
[ "$(cat csv-* | sort -u | wc -l)" = 2 ] && [ "$(ls csv-* | wc -l)" = 5 ]
report $? 'bits a second are an eighth of as many bytes'

echo "1..$n"
