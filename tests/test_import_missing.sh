#!/bin/bash
# test_import_missing.sh - imports of profiles of some of the ranks of a job
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
. "$SRCDIR/tests/profile.sh"

# rank R WORLD GROUP RANKS - writes a profile with a kernel of 500 us, an
# all-reduce of 256 MB, and a kernel
rank() {
    begin "$1" "$2" 4990
    kernel gemm 7 10 30 500
    kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 20 40 530 3000 \
        '"Collective name": "allreduce", "In msg nelems": 64000000, "Out msg nelems": 64000000, "dtype": "Float", "Group size": '"$(echo "$4" | wc -w)"', "Process Group Name": "'"$3"'", "Process Group Ranks": "['"${4// /, }"']"'
    call cudaStreamWaitEvent 60 5
    kernel "${5:-gemm2}" 7 70 3530 500
    call cudaDeviceSynchronize 90 3940
    end
}

# simulated US NAME - checks the iteration time with simulated links of 100 GB/s
simulated() {
    "$ACESIM" run r.yaml -q --csv rows.csv --set training.communication=simulated >out 2>err
    local got
    got=$(column iteration_time_us)
    near "$got" "$1" 5
    local failed=$?
    [ $failed = 0 ] || echo "it takes $got us, not $1" >>err
    report $failed "$2"
}

# 256 MB at 100 GB/s take 2560 us between two ranks and 2 x 7/8 x 2560 us among
# eight.
for r in 0 1 2 3; do rank $r 8 "tp$r" "$r $((r + 4))"; done
imports 'four of eight ranks, each with one that has no file' rank?.json
prints 'which is inferred' '^ *4  ranks that were not recorded, taken to do what a recorded one does$'
simulated 4552 'communicate with them'
"$ACESIM" run r.yaml >out 2>err
prints 'and each run says so' '^note: inferred: 4 ranks that were not recorded, taken to do'
"$ACESIM" import rank?.json -o p.yaml --run-file r.yaml --ranks 4 >out 2>err
grep -q 'npus: 4$' r.yaml
report $? 'or they are a program of their own, if that is asked for'
"$ACESIM" import rank?.json -o p.yaml --run-file r.yaml --ranks 5 >out 2>err
[ $? = 1 ] && grep -q '^there are 4 ranks in the recording, not 5$' err
report $? 'of as many as they are'
rm rank*.json

for r in 0 4; do rank $r 8 tp0 '0 4'; done
imports 'two of eight ranks, of one group' rank?.json
simulated 4552 'the other groups do the same'
rm rank*.json

for r in 0 3 5; do rank $r 8 world '0 1 2 3 4 5 6 7'; gzip rank$r.json; done
imports 'three of eight ranks, packed, in a group of all' rank?.json.gz
simulated 6476 'all eight reduce'
rm rank*.json.gz

# Only the groups show the number of ranks.
for r in 0 1; do rank $r 4 "g$r" "$r $((r + 2))"; sed -i 's/"world_size": 4/"world_size": 0/' rank$r.json; done
imports 'two ranks of a world of unknown size' rank?.json
simulated 4552 'which their groups say'
rm rank*.json

# Two stages with different kernels: ranks 0 to 3 and 4 to 7.
rank 0 8 tp0 '0 1 2 3'
rank 4 8 tp1 '4 5 6 7' head
imports 'one rank of each of two stages' rank?.json
grep -q 'ranks: {size: 2, at: 0, stride: 4}' p.yaml && grep -q 'ranks: {size: 2, at: 1, stride: 4}' p.yaml
report $? 'stands for its stage'
simulated 5834 'groups of four reduce'
rm rank*.json

# No stride describes these sets of ranks.
rank 0 8 a '0 3'
rank 1 8 b '1 2'
imports 'groups that no stride describes' rank?.json
grep -q 'ranks: \[\[0, 3\], \[1, 2\], \[4, 7\], \[5, 6\]\]' p.yaml
report $? 'are moved to the ranks that were not recorded'
simulated 4552 'and reduce'
rm rank*.json

# Seven ranks cannot be divided into such groups, so unrecorded ranks are left
# out.
rank 0 7 a '0 3'
rank 1 7 b '1 2'
imports 'groups that cannot be completed' rank?.json
prints 'are told' '^ *5  ranks that were not recorded, left out: their groups are not known$'
"$ACESIM" run r.yaml >out 2>err
prints 'by each run, too' '^note: inferred: 5 ranks that were not recorded, left out'
rm rank*.json

# ---- stages of which one rank each was recorded ---------------------------------

# stage R WAY PEER - writes the profile of rank R, which reduces within its stage
# {0, 1} or {2, 3} and exchanges a message with the other stage
stage() {
    local first=$(($1 / 2 * 2))
    local message="\"Collective name\": \"$2\", \"In msg nelems\": 1024, \"Out msg nelems\": 1024, \"dtype\": \"Float\", \"Group size\": 2, \"Process Group Name\": \"pp$(($1 % 2))\", \"Process Group Ranks\": \"[$(($1 % 2)), $(($1 % 2 + 2))]\", \"Src Rank\": $3, \"Dst Rank\": $3"
    begin "$1" 4 4990
    [ "$2" = send ] || kernel ncclDevKernel_SendRecv 20 5 10 20 "$message"
    kernel gemm 7 10 30 500
    all_reduce 21 40 530 100 "tp$first" "$first $((first + 1))"
    [ "$2" = recv ] || kernel ncclDevKernel_SendRecv 20 50 630 20 "$message"
    end
}

# The ranks of a stage do the same, those of a pipeline do not.
stage 1 send 3
stage 2 recv 0
imports 'one rank of each of two stages, of different pipelines' rank?.json
[ "$(sed -n 's/^ *ranks: //p' p.yaml | tr '\n' ' ')" = '{size: 2, at: 0, stride: 2} {size: 2, at: 1, stride: 2} ' ]
report $? 'each stands for its stage'
"$ACESIM" run r.yaml -q >out 2>err
report $? 'and the job can be replayed'

echo "1..$n"
