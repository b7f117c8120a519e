#!/bin/bash
# test_measure.sh - tests of acesim-measure on a machine without a GPU:
# messages, statuses, no output files
#
# Environment: SRCDIR is the source folder, TMPDIR a folder for temporary files.
# The program exists only if nvcc is installed.

measure=$SRCDIR/build/gpu/acesim-measure
n=0
cd "$TMPDIR" || exit 1

if [ ! -x "$measure" ]; then
    echo "1..0 # SKIP $(sh "$SRCDIR/validate/gpu/find_nvcc.sh")"
    exit 0
fi

# report STATUS NAME - prints a line of TAP; a status other than 0 is a failure
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        head -n 20 out err | sed 's/^/# /'
    fi
}

# says NAME STATUS TEXT ARGS... - checks that the program ends with STATUS,
# prints exactly TEXT on standard error and writes no file
says() {
    local name=$1 status=$2 text=$3
    shift 3
    rm -rf run && mkdir run
    (cd run && exec "$measure" "$@") >out 2>err
    local got=$?
    [ $got = "$status" ] && [ "$(cat err)" = "$text" ] && [ -z "$(ls run)" ]
    report $? "$name"
}

# prints NAME PATTERN - checks that the last command printed a matching line
prints() {
    grep -q -- "$2" out
    report $? "$1"
}

says 'help is no error' 0 '' --help
prints 'help has a line for each option' '^  --repetitions N '
prints 'help tells how to check alone' '^  --check '
says 'the list needs no GPU' 0 '' --list
prints 'the list ends in what the run takes' \
    '^[0-9]* cases, [0-9]* rows; on an H200 about [0-9]* s a pass, at most 570 s$'
prints 'a case has its key, time and name' \
    '^[0-9a-f]\{16\}  *[0-9.]* s  reduce: kernel=reduce dtype=fp32 '
"$measure" --list >again
cmp -s out again
report $? 'the list is the same each time'
says 'a quick list is shorter' 0 '' --list --quick --family gemm,copy
prints 'a quick run takes a minute at most' 'at most 60 s$'
! grep -q ' s  lookup: ' out
report $? 'families that were not asked for are not there'

says 'a budget needs no GPU either' 0 '' --list --budget 60
prints 'a budget says how many cases are left out' \
    '^[0-9]* cases are left out, because .* do not fit into 60 s$'
prints 'the cases that are kept fit into the budget' 'at most 60 s$'
key=$("$measure" --list | awk '$4 == "gemm:" { print $1; exit }')
says 'a key chooses one case' 0 '' --list --keys "$key"
prints 'the case of the key is listed' "^$key "
says 'a key of no case is refused' 2 \
    "acesim-measure: --keys: only 1 of 2 keys are cases of this GPU, of these \
families and of the budget; --list shows the keys" \
    --list --keys "$key,0000000000000001"

says 'an unknown option is a usage error' 2 \
    "acesim-measure: unknown option '--fast'; acesim-measure --help lists them" \
    --fast
says 'an unknown family has a suggestion' 2 \
    "acesim-measure: --family: unknown family 'gems'; did you mean 'gemm'?" \
    --family gems
says 'too few repetitions are refused' 2 \
    "acesim-measure: --repetitions: '3' is no number in [20, 1000]" \
    --repetitions 3

# The empty variable hides all GPUs of this machine.
export CUDA_VISIBLE_DEVICES=
for options in '' --quick --check '--family gemm' '-o data' '-o x.csv'; do
    rm -rf run && mkdir run
    (cd run && exec "$measure" $options) >out 2>err
    [ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
        grep -q '^acesim-measure: no GPU: cudaGetDeviceCount: .' err &&
        [ -z "$(ls run)" ]
    report $? "without a GPU one line and status 2, nothing written ($options)"
done

echo "1..$n"
