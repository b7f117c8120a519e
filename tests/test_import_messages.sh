#!/bin/bash
# test_import_messages.sh - imports of batched sends and receives
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
. "$SRCDIR/tests/profile.sh"

# operation WAY PEER TS [GROUP RANKS] - adds a send or recv of 8 MiB to a batch
operation() {
    local end=Dst
    [ "$1" = recv ] && end=Src
    event cpu_op record_param_comms 1 "$3" 2 '"Collective name": "'"$1"'", "dtype": "BFloat16", "In msg nelems": 4194304, "Out msg nelems": 4194304, "Group size": '"$(echo "${5-0 1 2 3}" | wc -w)"', "Process Group Name": "'"${4-5}"'", "Process Group Ranks": "['"$(echo "${5-0 1 2 3}" | sed 's/ /, /g')"']", "'"$end"' Rank": '"$2" >>"$file"
}

# exchange STREAM LAUNCHED TS DUR - adds the kernel of a batch, without metadata
exchange() {
    kernel 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)' "$@"
}

# messages - prints each message of p.yaml once, as "0>1 1>2"
messages() {
    sed -n 's/.*{kind: send.*from: \([0-9]*\), to: \([0-9]*\).*/\1>\2/p' p.yaml | sort | tr '\n' ' '
}

# has NAME WANTED GOT - checks that two texts are equal
has() {
    [ "$2" = "$3" ]
    local failed=$?
    [ $failed = 0 ] || echo "expected '$2', got '$3'" >>err
    report $failed "$1"
}

# ---- four stages, one message after the other ---------------------------------

# stages OPERATION - writes four ranks, each of which receives, computes for
# 1000 us and sends
stages() {
    for r in 0 1 2 3; do
        begin $r 4 19900
        [ $r = 0 ] || "$1" recv $((r - 1)) 10
        [ $r = 0 ] || exchange 20 14 40 $((1200 * r + 10))
        kernel gemm 7 20 $((r == 0 ? 50 : 1200 * r + 50)) 1000
        [ $r = 3 ] || "$1" send $((r + 1)) 30
        [ $r = 3 ] || exchange 21 34 $((1200 * r + 1050)) 200
        end
    done
}

stages operation
imports 'a pipeline that sends in batches' rank?.json
grep -q 'put right by 0.000 us at most' out && ! grep -q 'put right by [^0]' out
report $? 'moves no clock'
has 'sends from stage to stage' '0>1 1>2 2>3 ' "$(messages)"
[ "$(grep -c 'name: gemm.1, time: 1000 us' p.yaml)" = 4 ]
report $? 'its kernels keep their times'
[ "$(grep -c 'kind: send.*bytes: 8 MiB' p.yaml)" = 3 ]
report $? 'and its messages their sizes'
takes 19900 'as recorded, a pipeline'
takes 40650 'a stage waits for the message of the stage before' '*gemm*=10'

# Metadata about the messages are missing, so the kernels are imported as work
# with the recorded durations.
nothing() { :; }
stages nothing
for how in align keep; do
    imports "a pipeline of unknown messages, --clocks $how" rank?.json --clocks $how
    [ "$(grep -c 'name: gemm.1, time: 1000 us' p.yaml)" = 3 ]
    report $? 'shortens no kernel'
    ! grep -q 'put right by [^0]' out
    report $? 'and moves no clock'
    "$ACESIM" run r.yaml -q --csv rows.csv >out 2>err
    near "$(column iteration_time_us)" 19900 0.01
    report $? 'and can be replayed'
done
rm rank?.json

# Both ranks have the same number of kernels, but the order alone does not make
# them a message.
for r in 0 1; do
    begin $r 2 9900
    kernel gemm 7 10 50 $((1000 + 1000 * r))
    exchange 20 20 $((2000 + 3000 * r)) 200
    end
done
imports 'two unknown exchanges at other times' rank?.json
grep -q 'kind: device, name: ncclDevKernel_SendRecv.1, time: 200 us' p.yaml
report $? 'are work of each rank'
takes 9900 'as recorded, both of them'
rm rank?.json

# ---- one kernel that sends and receives -----------------------------------

# In the middle of a pipeline a rank sends forward and receives backward in one
# kernel.
for r in 0 1; do
    begin $r 2 9900
    kernel gemm 7 10 50 1000
    if [ $r = 0 ]; then operation send 1 20 pp '0 1'; else operation send 0 20 pp '0 1'; fi
    if [ $r = 0 ]; then operation recv 1 22 pp '0 1'; else operation recv 0 22 pp '0 1'; fi
    call cudaStreamWaitEvent 24 1
    exchange 20 26 1050 400
    call cudaStreamWaitEvent 32 1
    kernel relu 7 34 1450 100
    call cudaDeviceSynchronize 40 1515
    end
done
imports 'a kernel that sends and receives' rank?.json
has 'is two messages' '0>1 1>0 ' "$(messages)"
grep -q 'relu.1.*after: \[message.1, message.2' p.yaml || grep -q 'relu.1.*after: \[message.2, message.1' p.yaml
report $? 'and what waits for it waits for both'
takes 9900 'as recorded, both ways'
gzip rank?.json
imports 'packed, too' rank?.json.gz
has 'with both messages' '0>1 1>0 ' "$(messages)"
rm rank?.json.gz

# ---- peers given by index in a group --------------------------------------

# With tensor and pipeline parallelism the groups are 0 2 and 1 3, so index 1 of
# a group is rank 2 or 3.
for named in place rank; do
    for r in 0 1 2 3; do
        begin $r 4 4900
        if [ $named = place ]; then peer=$((r < 2)); else peer=$(((r + 2) % 4)); fi
        way=send
        [ $r -lt 2 ] || way=recv
        operation $way $peer 20 "pp$((r % 2))" "$((r % 2)) $((r % 2 + 2))"
        exchange 20 26 50 400
        end
    done
    imports "groups of two, ends by $named" rank?.json
    has 'are messages between the stages' '2' "$(sed -n 's/^matched *\([0-9]*\)  sends with their receives/\1/p' out)"
    rm rank?.json
done

# ---- one kernel per communicator ------------------------------------------

for r in 0 1 2; do
    begin $r 3 4900
    [ $r != 0 ] || operation send 1 20 a '0 1'
    [ $r != 0 ] || operation send 1 22 b '0 2'
    [ $r != 1 ] || operation recv 0 20 a '0 1'
    [ $r != 2 ] || operation recv 0 20 b '0 2'
    exchange 20 26 50 400
    [ $r != 0 ] || exchange 21 32 50 400
    end
done
imports 'as many kernels as operations' rank?.json
has 'each has one message' '0>1 0>2 ' "$(messages)"
rm rank?.json

# ---- a ring in both directions ---------------------------------------------

# Each kernel begins 10 us after what it waits for, sends to both neighbours and
# receives from both.
for r in 0 1 2 3; do
    begin $r 4 9900
    kernel gemm 7 10 50 1000
    operation send $(((r + 1) % 4)) 20
    operation recv $(((r + 3) % 4)) 23
    operation send $(((r + 3) % 4)) 26
    operation recv $(((r + 1) % 4)) 29
    call cudaStreamWaitEvent 32 1
    exchange 20 34 1060 400
    call cudaStreamWaitEvent 40 1
    kernel relu 7 42 1460 100
    call cudaDeviceSynchronize 50 1515
    end
done
imports 'kernels that begin late and send both ways' rank?.json
has 'have a message to and from each neighbour' '0>1 0>3 1>0 1>2 2>1 2>3 3>0 3>2 ' "$(messages)"
[ "$(grep -c 'late, time: 0 ns, gap: 10 us' p.yaml)" = 4 ]
report $? 'which begin after the gap of their kernel'
takes 9900 'as recorded, in a ring'

echo "1..$n"
