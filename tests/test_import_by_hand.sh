#!/bin/bash
# test_import_by_hand.sh - imports of small profiles whose iteration time is
# known by calculation
#
# Each profile is imported and replayed, unchanged and with the durations of
# some operations multiplied by a factor.  Only the change shows whether
# dependencies are right.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
. "$SRCDIR/tests/profile.sh"

# ---- one stream, and a host that waits --------------------------------------

begin 0 1 500
kernel gemm 7 10 20 300
call cudaDeviceSynchronize 30 295
kernel relu 7 330 350 100
call cudaDeviceSynchronize 340 115
end
imports 'one stream' rank0.json
takes 500 'as recorded'
takes 800 'what the host waits for holds it up by all of it' 'gemm*=2'
takes 350 'and lets it go earlier' 'gemm*=0.5'
takes 600 'so does the other' 'relu*=2'

# ---- a copy to pageable memory: its own call waits for it -----------------

begin 0 1 600
kernel gemm 7 10 20 300
call cudaMemcpyAsync 30 305
device gpu_memcpy 'Memcpy DtoH (Device -> Pageable)' 7 320 10
kernel relu 7 360 370 100
call cudaDeviceSynchronize 370 110
end
imports 'a copy that blocks' rank0.json
takes 600 'as recorded, with a copy that blocks'
takes 900 'a call that waits for its copy waits for the kernel before it' 'gemm*=2'
takes 450 'that time is no work of the host' 'gemm*=0.5'

# ---- a copy between kernels of one stream -----------------------------------

begin 0 1 600
kernel gemm 7 10 20 300
call cudaMemcpyAsync 30 5
device gpu_memcpy 'Memcpy DtoD (Device -> Device)' 7 320 50
kernel relu 7 40 370 100
call cudaDeviceSynchronize 50 425
end
imports 'a copy on the stream of kernels' rank0.json
takes 600 'as recorded, with a copy between kernels'
takes 900 'a copy waits for the kernel before it' 'gemm*=2'
takes 650 'a kernel waits for the copy before it' 'Memcpy*=2'

# ---- an event: another stream waits -----------------------------------------

begin 0 1 600
kernel gemm 7 10 20 300
call cudaEventRecord 20 2
call cudaStreamWaitEvent 24 2
kernel cast 20 30 321 100
kernel relu 7 40 320 50
call cudaDeviceSynchronize 50 375
end
imports 'two streams and an event' rank0.json
takes 600 'as recorded, on two streams'
takes 900 'a stream waits for the other' 'gemm*=2'
takes 600 'what nobody waits for may take longer' 'relu*=2'

# ---- a host that waits for all streams -------------------------------------

begin 0 1 800
kernel gemm 7 10 20 300
kernel other 30 18 24 400
kernel relu 7 30 320 50
call cudaDeviceSynchronize 40 390
end
imports 'a host that waits for the whole device' rank0.json
takes 800 'as recorded, with two streams'
takes 1200 'it waits for the stream that is last' 'other*=2'
takes 1046 'and where that is another, for that' 'gemm*=2'

# ---- two ranks that reduce in parallel with computation, one 50 us late ---

for r in 0 1; do
    begin $r 2 700
    kernel first 7 10 20 $((100 + 50 * r))
    all_reduce 20 20 $((120 + 50 * r)) $((100 - 50 * r)) 0 '0 1'
    kernel second 7 40 $((120 + 50 * r)) 200
    all_reduce 20 50 $((320 + 50 * r)) $((150 - 50 * r)) 0 '0 1'
    call cudaDeviceSynchronize 60 415
    kernel adam 7 490 500 100
    call cudaDeviceSynchronize 500 105
    end
done
imports 'two ranks' rank0.json rank1.json
takes 700 'as recorded, by two ranks'
takes 850 'the late rank holds both up' 'first*=2'
takes 900 'a kernel before the last reduction holds it up' 'second*=2'
takes 800 'a reduction takes from its last rank on' 'all-reduce.2=2'
takes 700 'one that is hidden stays hidden' 'all-reduce.1=2'

# ---- four ranks, each in two groups ---------------------------------------

for r in 0 1 2 3; do
    t=$((r / 2 * 2)) d=$((r % 2))
    done_us=$((20 + 120 + 20 * t + 30)) # 30 us after the last of two
    begin $r 4 900
    kernel forward 7 10 20 $((100 + 20 * r))
    all_reduce 7 20 $((120 + 20 * r)) $((done_us - 120 - 20 * r)) "tp$t" "$t $((t + 1))"
    kernel backward 7 30 $done_us 200
    all_reduce 20 40 $((done_us + 200)) $((450 - done_us - 200)) "dp$d" "$d $((d + 2))"
    call cudaDeviceSynchronize 50 405
    kernel adam 7 460 470 100
    call cudaDeviceSynchronize 470 105
    end
done
imports 'four ranks in groups of two ways' rank[0-3].json
takes 900 'as recorded, by four ranks'
takes 1060 'the last of all holds them up, by way of two groups' 'forward*=2'
takes 1260 'so it does with both' 'forward*=2' 'backward*=2'
takes 970 'and so do both kinds of groups' 'all-reduce*=2'

# ---- empty profiles -------------------------------------------------------

begin 0 2 500
kernel gemm 7 10 20 300
end
printf '{"schemaVersion": 1, "distributedInfo": {"rank": 1, "world_size": 2}, "traceEvents": []}' >rank1.json
imports 'a rank of which nothing was recorded' rank0.json rank1.json
takes 310 'all there is of the other is one iteration, since not all have steps'
rm p.yaml
says 'a profile without events' 1 'there is nothing to import: rank1.json has no events' import rank1.json -o p.yaml
[ ! -e p.yaml ]
report $? 'makes no program'

echo "1..$n"
