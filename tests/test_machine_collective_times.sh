#!/bin/bash
# test_machine_collective_times.sh - times of collectives on real machines against
# calculations
#
# Covers launch and step times of NCCL's protocols, link rates, and pairs of
# settings that must take the same time.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

# times ARGS... - prints the times of `acesim collectives`, in microseconds, where
# each NPU has a thread of the host
times() {
    "$ACESIM" collectives --set calls.gpus_per_thread=1 "$@" --csv - 2>err | tee out |
        awk -F, 'NR > 1 { print $8 }'
}

# takes NAME SUM PERCENT ARGS... - checks that a time is at least SUM, in
# microseconds, and at most PERCENT more
takes() {
    local name=$1 percent=$3 us
    us=$(awk "BEGIN { print $2 }")
    shift 3
    times "$@" --stack nccl | awk -v us="$us" -v percent="$percent" '
        { right = $1 >= us && $1 <= us * (1 + percent / 100) }
        END { exit !(NR == 1 && right) }'
    report $? "$name takes $us us"
}

ring='--set stack.algorithm=ring'
tree='--set stack.algorithm=tree'
nvls='--set stack.algorithm=nvls'
ll='--set stack.protocol=LL'
simple='--set stack.protocol=Simple'

# ---- 8 B: launch and step times only --------------------------------------
# A launch with LL takes 6.6 us and a step 0.6 us; with Simple they take 8.4 and
# 3.4 us.  A ring of n has 2 (n - 1) steps, a chain up and down as many, and one
# direction n - 1.

for npus in 2 4 8; do
    steps=$((2 * (npus - 1)))
    # shellcheck disable=SC2086
    takes "a ring of $npus by LL" "6.6 + $steps * 0.6" 0.1 hgx-h200 \
        --set platform.topology.npus=$npus $ring $ll --sizes '8 B'
    # shellcheck disable=SC2086
    takes "a ring of $npus by Simple" "8.4 + $steps * 3.4" 0.1 \
        hgx-h200 --set platform.topology.npus=$npus $ring $simple --sizes '8 B'
    # shellcheck disable=SC2086
    takes "a chain of $npus by LL" "6.6 + $steps * 0.6" 0.3 hgx-h200 \
        --set platform.topology.npus=$npus $tree $ll --sizes '8 B'
done
# shellcheck disable=SC2086
for kind in broadcast reduce all-gather reduce-scatter; do
    takes "$kind of 8, 7 steps by Simple," 32.2 0.1 hgx-h200 --kind $kind \
        $simple --sizes '8 B'
done
# shellcheck disable=SC2086
takes 'all-to-all, a step by Simple,' 11.8 0.1 hgx-h200 --kind all-to-all \
    $simple --sizes '8 B'

# The path to the switch and back has four links of 0.3 us each.
# shellcheck disable=SC2086
takes 'NVLS: launch, and to the switch and back,' 31.4 5 hgx-h200 $nvls \
    --sizes '8 B'

# ---- 8 B: threads of the host that call the library ------------------------
# A call takes 4.35 us for each GPU of a thread.  A ring of 8 by LL takes 15.01 us.

# shellcheck disable=SC2086
{
    takes 'a thread of 8 GPUs that queues calls' 34.8 0.01 hgx-h200 $ring $ll \
        --sizes '8 B' --set calls.gpus_per_thread=8
    takes 'a thread of 8 GPUs that waits for each call' '34.8 + 15.01' 0.1 \
        hgx-h200 $ring $ll --sizes '8 B' --set calls.gpus_per_thread=8 \
        --set calls.wait=true
    takes 'a thread of 8 GPUs with slow calls' 80 0.01 hgx-h200 $ring $ll \
        --sizes '8 B' --set calls.gpus_per_thread=8 \
        --set calls.issue_time='10 us'
    takes 'a thread of all GPUs of a machine' 34.8 0.01 hgx-h200 $ring $ll \
        --sizes '8 B' --set calls.gpus_per_thread=auto
    takes 'a thread of each GPU of several machines' "6.6 + 26 * 0.6 + 4 * 27.2" \
        0.1 cluster-p5 --set platform.topology.count=2 $ring $ll --sizes '8 B' \
        --set calls.gpus_per_thread=auto
    takes 'a thread of each GPU of a rack' "6.6 + 142 * 0.6" 0.1 gb200-nvl72 \
        $ring $ll --sizes '8 B' --set calls.gpus_per_thread=auto
    takes 'a large payload, whose calls are hidden,' 65322 0.3 hgx-h200 $nvls \
        --sizes '16 GiB' --set calls.gpus_per_thread=8
}

# A network step with LL over EFA takes 2.7 + 2 x 12 + 2 x 0.25 us (PCIe).  A
# tree has one step up and one down per level of nodes, and 7 + 7 steps of 0.6
# us within a node.  A block on the ring of 16 needs 30 steps, 4 of them between
# nodes.
level=0
for count in 2 4 8; do
    level=$((level + 1))
    # shellcheck disable=SC2086
    takes "a tree over $count nodes" \
        "6.6 + 14 * 0.6 + 2 * $level * 27.2" 0.1 cluster-p5 \
        --set platform.topology.count=$count $tree $ll --sizes '8 B'
done
# shellcheck disable=SC2086
takes 'a ring over 2 nodes' "6.6 + 26 * 0.6 + 4 * 27.2" 0.1 \
    cluster-p5 --set platform.topology.count=2 $ring $ll --sizes '8 B'

# ---- 16 GiB: link rates only ----------------------------------------------
# 18 links of 20.5 GB/s have 369 GB/s; the switch reduces 263 GB/s.  The
# tolerance is for steps and for filling the pipeline.

# shellcheck disable=SC2086
{
    takes 'a ring of 8 at 369 GB/s' 81476 0.2 hgx-h200 $ring $simple \
        --sizes '16 GiB'
    takes 'all-gather at 369 GB/s' 40738 0.2 hgx-h200 --kind all-gather \
        $simple --sizes '16 GiB'
    takes 'broadcast at 369 GB/s' 46557 0.5 hgx-h200 --kind broadcast \
        $simple --sizes '16 GiB'
    takes 'NVLS at 263 GB/s' 65322 0.3 hgx-h200 $nvls --sizes '16 GiB'
}

# ---- a ring compared with a chain -----------------------------------------
# A ring of n sends S / n in each of 2 (n - 1) steps, a chain sends S in as
# many.  A chain with S therefore takes as long as a ring with n S, except that
# it has 92 % of the rate.  START is the time of the launch and 30 steps.

alike() {
    local protocol=$1 start=$2
    # shellcheck disable=SC2086
    times dgx-2 --stack nccl $ring --set stack.protocol="$protocol" \
        --sizes '1 MiB' >ring.us
    # shellcheck disable=SC2086
    times dgx-2 --stack nccl $tree --set stack.protocol="$protocol" \
        --sizes '64 KiB' >chain.us
    paste ring.us chain.us | awk -v start="$start" '
        { want = start + ($1 - start) / 0.92; off = $2 / want - 1 }
        END { exit !(NR == 1 && off < 0.001 && off > -0.001) }'
    report $? "$protocol: a chain takes what a ring takes for 16 times as much"
}
alike LL 24.6
alike LL128 51.5
alike Simple 110.4

# All GPUs listed in reverse order must equal the whole machine.  Two GPUs
# without an NVLink communicate through the host, at most at the 6 GB/s of the
# link between the CPUs.
times dgx-1v --stack nccl --sizes '1 MiB' >whole
times dgx-1v --stack nccl --sizes '1 MiB' \
    --set 'platform.topology.allocate=[0, 1, 2, 3, 4, 5, 6, 7]' >named
[ -s whole ] && cmp -s whole named
report $? 'a fragment of all GPUs is the machine'
times dgx-1v --stack nccl --sizes '64 MiB' \
    --set 'platform.topology.allocate=[0, 5]' |
    awk '{ rate = 67108864 / $1 / 1000 } END { exit !(rate > 5.5 && rate <= 6) }'
report $? 'two GPUs without NVLink share what joins their CPUs'

# ---- settings that do not exist, and misspelt ones ------------------------

wrong() {
    says "$1" 1 "$2" collectives "${@:3}" --sizes '1 MiB'
}
at='--set stack.algorithm:1:1: algorithm'
wrong 'NVLS where no switch adds' \
    "$at: all-reduce of 8 NPUs: no switch between GPUs of a machine adds (\`reduces\`)" \
    dgx-1v --stack nccl --set stack.algorithm=nvls
wrong 'NVLS has no LL' \
    "$at: all-reduce of 8 NPUs: it does not exist with that protocol" \
    hgx-h200 --stack nccl --set stack.algorithm=nvls --set stack.protocol=LL
wrong 'NVLS of a broadcast' \
    "$at: broadcast of 8 NPUs: NVLS carries out an all-reduce only" \
    hgx-h200 --stack nccl --set stack.algorithm=nvls --kind broadcast
wrong 'NVLSTree within a machine' \
    "$at: all-reduce of 8 NPUs: NVLSTree is for GPUs of several machines; of one, nvls" \
    hgx-h200 --stack nccl --set stack.algorithm=nvls-tree
at='--set platform.topology.allocate:1:4: allocate'
wrong 'a GPU twice' "$at: NPU 0 is given twice" \
    dgx-1v --stack nccl --set 'platform.topology.allocate=[0,0]'
wrong 'a GPU that is not there' "$at: NPU 9 is none of 8" \
    dgx-1v --stack blink --set 'platform.topology.allocate=[0,9]'

# ---- incorrect MSCCL schedules --------------------------------------------

printf 'kind: msccl\nfile: lie.xml\n' >lie.yaml
sample=$SRCDIR/configs/msccl/allreduce-ncv4.xml
lies() {
    says "MSCCL: $1" 1 "$2" check lie.yaml
}
sed '1s/ngpus="4"/ngpus="2000000000"/' "$sample" >lie.xml
lies 'GPUs without end' \
    "lie.xml:1:79: 'ngpus' is '2000000000', no whole number from 2 to 1024"
sed '3s/send="1"/send="0"/' "$sample" >lie.xml
lies 'a GPU that sends to itself' "lie.xml:3:16: 'send' is the GPU itself"
sed '4s/cnt="1"/cnt="2"/' "$sample" >lie.xml
lies 'more sent than received' \
    'lie.xml:163:7: receives 1 chunks where line 4 sends 2'
sed '4s/depid="-1" deps="-1"/depid="0" deps="0"/' "$sample" >lie.xml
lies 'a step that waits for itself' 'lie.xml:4:7: waits for itself'
{
    echo '<algo name="b" proto="Simple" nchannels="1" nchunksperloop="65536" ngpus="1024" coll="allreduce" inplace="1">'
    for gpu in {0..1023}; do
        echo "<gpu id=\"$gpu\" i_chunks=\"65536\" o_chunks=\"65536\" s_chunks=\"65536\"></gpu>"
    done
    echo '</algo>'
} >lie.xml
lies 'chunks that no memory holds' \
    'lie.xml:1:1: too large to be proved: 0 steps of 0 thread blocks, on 201326592 chunks'

echo "1..$n"
