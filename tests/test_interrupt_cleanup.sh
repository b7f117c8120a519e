#!/bin/bash
# test_interrupt_cleanup.sh - commands that are interrupted by a signal leave no
# temporary files and no empty folders
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.
. "$SRCDIR/tests/shell.sh"

mkdir tmp work
run=$SRCDIR/configs/runs/isca21.yaml
cat >work/sweep.yaml <<EOF
base: $run
axes:
  - collectives.window: [4, 8, 16, 32]
  - endpoint: [$SRCDIR/configs/endpoints/ace.yaml, $SRCDIR/configs/endpoints/comm-opt.yaml]
EOF
(cd work && "$ACESIM" sweep sweep.yaml -o done -q >../out 2>../err)

# clean NAME ARGS... - runs acesim in an empty folder `here` and interrupts it
# with each signal at several times; nothing may remain there or among the
# temporary files
clean() {
    local name=$1 number wait_s pid bad=0 ended=0
    shift
    : >err
    for number in INT TERM HUP; do
        for wait_s in 0.02 0.07 0.15 0.3 0.6; do
            rm -rf work/here && mkdir work/here
            (cd work && TMPDIR=$PWD/../tmp exec "$ACESIM" "$@") >out 2>said &
            pid=$!
            # in a shell without job control, child processes ignore INT
            sleep $wait_s
            kill -s $number $pid 2>/dev/null && ended=$((ended + 1))
            wait $pid 2>/dev/null
            sleep .02
            left=$(ls -A tmp; find work/here -mindepth 1 -type d -empty; find work/here -name '*.tmp')
            [ -z "$left" ] || { bad=1; echo "$number after $wait_s s: $left" >>err; }
            rm -rf tmp && mkdir tmp
        done
    done
    [ $bad = 0 ] && [ $ended -gt 0 ]
    report $? "$name"
}

set -m # children do not ignore INT
clean 'collectives with a folder' collectives \
    "$SRCDIR/configs/platforms/ace-4x4x4.yaml" --sizes '1 KiB..64 MiB' -o here/a/b
clean 'a sweep' sweep sweep.yaml -o here/a/b
clean 'the import of a packed profile' import \
    "$SRCDIR/tests/samples/nsys-2gpu-sendrecv.sqlite.gz" -o here/w.yaml
clean 'classes of a machine' classes dgx-1v -o here/a/b
clean 'plots of rows' plot done
clean 'a report' report done
clean 'a sensitivity study' sensitivity "$run" -o here/a/b --only collectives.chunk
clean 'a run with a timeline' run "$run" --timeline here/t.pftrace.gz \
    --set collectives.chunk='2 KiB'
clean 'an optimisation' optimise "$run"

says 'a command that fails leaves no empty folder' 1 "$("$ACESIM" sensitivity none.yaml 2>&1)" \
    sensitivity none.yaml -o work/failed/deep
[ ! -e work/failed ]
report $? 'of those that it made'

echo "1..$n"
