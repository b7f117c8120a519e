#!/bin/bash
# test_conventions.sh - conventions of command-line programs: help, manual page,
# completion, colour on terminals only, JSON, schemas for editors

. "$SRCDIR/tests/shell.sh"
run=$SRCDIR/configs/runs/isca21.yaml
commands=$("$ACESIM" --help | sed -n '/^Answer a question/,/^$/s/^  \([a-z-]*\) .*/\1/p')

# on_terminal COMMAND... - runs a command on a pseudo-terminal; its output goes
# to `out`
on_terminal() {
    script -qec "$*" /dev/null </dev/null >out 2>err
}

small_run >ok.yaml
cat >sweep.yaml <<EOF
base: ok.yaml
axes:
  - endpoint: [{kind: ideal, name: ideal}, {kind: ace, name: ace}]
  - platform.topology.npus: [2, 4, 8]
compare: {baselines: [ideal], offload: [acee]}
EOF

# ---- help and manual page -------------------------------------------------

[ "$(echo "$commands" | wc -w)" -ge 9 ]
report $? 'help lists the commands'
for command in $commands; do
    says "$command --help is no error" 0 '' "$command" --help
    prints "$command --help has an example" "^  .*acesim $command"
done
says 'the manual is printed' 0 '' man
cp out acesim.1
missing=
for command in $commands; do
    grep -q "^\.SS acesim $command " acesim.1 ||
        grep -qx "\.SS acesim $command \[OPTION...\]" acesim.1 ||
        missing+=" $command"
    for option in $("$ACESIM" "$command" --help |
        sed -n 's/^  \(-., \)\?--\([a-z-]*\).*/\2/p'); do
        sed 's/\\-/-/g' acesim.1 | grep -q "\\\\fB--$option\\\\fR" ||
            missing+=" $command:$option"
    done
done
echo "$missing" >err
[ -z "$missing" ]
report $? 'the manual has every command and option of the help pages'
if command -v groff >err; then
    groff -ww -man -Tascii acesim.1 >out 2>err && [ ! -s err ]
    report $? 'groff has nothing to warn of'
else
    echo "ok $((++n)) - groff has nothing to warn of # SKIP no groff"
fi

# ---- completion of the shell ----------------------------------------------

says 'completion by bash is printed' 0 '' completion bash
cp out acesim.bash
# completes NAME EXPECTED WORDS... - checks the completion of the last word
completes() {
    local name=$1 expected=$2
    shift 2
    bash -c '. ./acesim.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _acesim
        echo "${COMPREPLY[*]}"' - "$@" >out 2>err
    [ "$(cat out)" = "$expected" ] && [ ! -s err ]
    report $? "$name"
}
completes 'commands are completed' solve acesim so
completes 'options are' '--fold --fidelity' acesim run --f
completes 'their values are' 'auto off require' acesim run --fold ''
completes 'behind = too' off acesim run --fold = of
completes 'files are, by what they are' ok.yaml acesim run o
completes 'keys of --set are, and go on with =' \
    'endpoint.sms= endpoint.step_time= endpoint.sram= endpoint.sram_split='\
' endpoint.staging_bandwidth= endpoint.staging_launch= endpoint.scale_bandwidth='\
' endpoint.scatter= endpoint.shift=' \
    acesim run ok.yaml --set endpoint.s
completes 'keys of --vary are' platform.npu.hbm.bandwidth \
    acesim solve ok.yaml --vary platform.npu.hbm.b
completes 'metrics are' 'net_sent_bytes net_bw_gb_per_s net_cap_gb_per_s' \
    acesim solve ok.yaml --until net
completes 'topics and kinds of list are' 'endpoints embedding elementwise exchanges' acesim list e
completes 'kinds of files of schema are' 'sweep sensitivity stack schedule shard' acesim schema s
for command in $commands; do
    options=$("$ACESIM" "$command" --help |
        sed -n 's/^  \(-., \)\?--\([a-z-]*\).*/--\2/p' | sort | tr '\n' ' ')
    bash -c '. ./acesim.bash
        COMP_WORDS=(acesim "$0" --) COMP_CWORD=2
        _acesim
        printf "%s\n" "${COMPREPLY[@]}"' "$command" 2>err | sort |
        tr '\n' ' ' >out
    [ "$(cat out)" = "$options" ]
    report $? "all options of $command are completed"
done
says 'completion by zsh is printed' 0 '' completion zsh
if command -v zsh >err; then
    zsh -n out 2>err && [ ! -s err ]
    report $? 'zsh can read it'
else
    echo "ok $((++n)) - zsh can read it # SKIP no zsh"
fi
says 'another shell is a usage error' 2 "no completion for 'fish'; known: bash, \
zsh
try: acesim completion --help" completion fish

# ---- colour and width of the terminal -------------------------------------

escape=$(printf '\033')
"$ACESIM" list ace >out && ! grep -q "$escape" out
report $? 'a file gets no colour'
if command -v script >err; then
    TERM=xterm NO_COLOR='' on_terminal "$ACESIM" list ace
    grep -q "^$escape\[1mkind: ace\|^$escape\[1mendpoint" out
    report $? 'a terminal gets bold headings'
    TERM=xterm NO_COLOR=1 on_terminal "$ACESIM" list ace
    ! grep -q "$escape" out
    report $? 'but with NO_COLOR'
    on_terminal "stty cols 91; NO_COLOR=1 COLUMNS= $ACESIM list"
    tr -d '\r' <out | awk 'length > n { n = length } END { exit n != 91 }'
    report $? 'list is as wide as the terminal'
    on_terminal "timeout -s INT 4 $ACESIM run ok.yaml -s training.iterations=1000000"
    tr '\r' '\n' <out | grep -q "^$escape\[K[0-9]* of 1000000 iterations, .* events, 0:0[234] elapsed"
    report $? 'a long run says on a terminal how far it is'
    sed 's/acee/ace/' sweep.yaml >right.yaml
    on_terminal "$ACESIM" sweep right.yaml -o seen
    grep -q "$escape\[K6/6, 0 failed" out
    report $? 'a sweep writes its line over on a terminal'
else
    for name in 'a terminal gets bold headings' 'but with NO_COLOR' \
        'list is as wide as the terminal' \
        'a long run says on a terminal how far it is' \
        'a sweep writes its line over on a terminal'; do
        echo "ok $((++n)) - $name # SKIP no script"
    done
fi
timeout -s INT 4 "$ACESIM" run ok.yaml --fold=off --skip=off \
    -s training.iterations=1000000 >out 2>err
[ $? = 124 ] && [ ! -s out ] &&
    [ "$(cat err)" = 'interrupted by signal 2 (Interrupt)' ]
report $? 'and to nobody else'
for width in 80 100 132; do
    COLUMNS=$width "$ACESIM" list >out 2>err
    [ "$(awk -v w=$width 'length > w' out | wc -l)" = 0 ]
    report $? "list keeps to $width columns"
done
[ "$(grep -c ' *[a-z_]* *required' out)" -gt 40 ]
report $? 'it has the parameters all the same'

# ---- JSON output and schemas ----------------------------------------------

"$ACESIM" run "$run" --json >out 2>err
"$ACESIM" run "$run" --csv - >rows 2>>err
us=$(tail -n 1 rows | cut -d, -f4)
gb_per_s=$(tail -n 1 rows | cut -d, -f10)
grep -qx "  \"iteration_time_us\": $us," out &&
    grep -qx "  \"net_bw_gb_per_s\": $gb_per_s," out &&
    grep -qx '  "format": 2,' out && grep -qx '  "status": "ok",' out
report $? 'run --json has the names and values of the row'
says 'two things cannot have standard output' 2 \
    '--json and rows both want standard output
try: acesim run --help' run ok.yaml --json --csv -
printf '%s\n' workload,n_npus,endpoint,iteration_time_us a,4,base,30.000000 \
    a,4,ace,20.000000 >runs.csv
says 'compare --json has the pairs and the means' 0 '' compare runs.csv --json
prints 'as the CSV has them' '^      "best_baseline_iteration_time_us": 30.000000,$'
prints 'with what is not known as null' '^      "mean_ceiling": null$'
if command -v python3 >err; then
    "$ACESIM" run ok.yaml --json | python3 -m json.tool >out 2>err &&
        "$ACESIM" compare runs.csv --json | python3 -m json.tool >out 2>err &&
        "$ACESIM" schema sweep | python3 -m json.tool >out 2>err
    report $? 'another reader takes it for JSON too'
else
    echo "ok $((++n)) - another reader takes it for JSON too # SKIP no python3"
fi
says 'the schema of a run is the default' 0 '' schema
prints 'it says so' '"title": "acesim: run"'
says 'an unknown kind of file has a suggestion' 2 \
    "no file holds a 'endpoints'; did you mean 'endpoint'?
try: acesim schema --help" schema endpoints

# ---- options named in errors ----------------------------------------------

says 'of several --set the one that is wrong is named' 1 \
    "--set endpoint.message_cycles:1:1: message_cycles: expected a whole number, got \
'x'" run ok.yaml --set training.iterations=2 --set endpoint.message_cycles=x
says 'a file that --set names is looked for from here' 1 \
    "--set endpoint:1:1: endpoint: 'none/x.yaml' cannot be read: No such file \
or directory" run ok.yaml --set endpoint=none/x.yaml
sed 's/1 MiB/256 GiB/' ok.yaml >large.yaml
says 'what a --set does not fit to is said with it' 1 \
    "large.yaml:6:11: a collective of 274877906944 bytes has more than 16777216 \
chunks; give a larger collectives.chunk (with --set collectives.chunk=8 KiB)" \
    run large.yaml --set 'collectives.chunk=8 KiB' \
    --set training.iterations=2
says 'so is what does not fit to the rest, where it has a key' 1 \
    '--set endpoint.sram:1:1: sram: 1024 bytes are less than one chunk needs in every partition, 131072 bytes; a smaller collectives.chunk needs less' \
    run ok.yaml --set 'endpoint={kind: ace}' --set 'endpoint.sram=1 KiB' \
    --set collectives.chunk='64 KiB'
says 'check knows the endpoints of a comparison' 1 \
    "sweep.yaml:5:41: compare: no point has endpoint 'acee'; did you mean \
'ace'?" check sweep.yaml
says 'a sweep asks before it runs' 1 \
    "sweep.yaml:5:41: compare: no point has endpoint 'acee'; did you mean \
'ace'?" sweep sweep.yaml -o wrong
[ ! -e wrong ]
report $? 'and runs nothing'
sed '5s/.*/compare: {fastest_over: [plans]}/' sweep.yaml >axes.yaml
says 'so is an axis that there is not' 1 \
    "axes.yaml:5:26: compare: no axis is named 'plans'; there are: endpoint, platform.topology.npus" \
    sweep axes.yaml -o wrong
sed 's/\[ideal\]/[idael]/; s/8\]/8]\n  - endpoint.sram: [1 KiB]\n  - collectives.chunk: [64 KiB]/; s/{kind: ideal, name: ideal}, //' \
    sweep.yaml >names.yaml
says 'beside what else is wrong, and all of them' 1 \
    "names.yaml:5:21: sram: 1024 bytes are less than one chunk needs in every \
partition, 131072 bytes; a smaller collectives.chunk needs less
names.yaml:7:23: compare: no point has endpoint 'idael'; there are: ace
names.yaml:7:41: compare: no point has endpoint 'acee'; did you mean 'ace'?" \
    check names.yaml
sed 's/2, 4, 8/2/; s/^compare/  - training.iterations: ['"$(seq -s, 10001)"']\n&/' \
    sweep.yaml >many.yaml
says 'it knows those of more points than are all read' 1 \
    "many.yaml:6:41: compare: no point has endpoint 'acee'; did you mean \
'ace'?" sweep many.yaml --dry-run
sed -i 's/acee/ace/' sweep.yaml
says 'a comparison of what is there is fine' 0 '' check sweep.yaml

# ---- sweeps with options --------------------------------------------------

says 'a dry run is quiet on standard error' 0 '' sweep sweep.yaml -n -j 2
prints 'it estimates the time from points that it ran' \
    '^about 0:0[0-9] with 2 jobs, by 6 points that took [0-9]*\.[0-9] s$'
sed 's/npus: \[2, 4, 8\]/npus: [2, 4]/; s/^axes:/&\n  - training.iterations: [1, 1000000]/' \
    sweep.yaml >long.yaml
says 'points that take too long are not waited for' 0 '' sweep long.yaml -n -j 8
prints 'it says that it takes more' '^more than .* by 8 points that take more'
"$ACESIM" sweep sweep.yaml -o plain >out 2>err
grep -qx '6/6, 0 failed, .*/s, 0:0[0-9] elapsed' err && ! grep -q "$escape" err
report $? 'a log gets plain lines'

echo "1..$n"
