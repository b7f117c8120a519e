#!/bin/bash
# test_machines_proof.sh - collectives of real machines against sums by pencil:
# launch and steps of NCCL's protocols, rates of links, what must be equal
#
# ACESIM is the program, SRCDIR the top folder, TMPDIR a folder of our own.

. "$SRCDIR/tests/shell.sh"

# times ARGS... - the times that acesim collectives has for ARGS, in us.
times() {
    "$ACESIM" collectives "$@" --csv - 2>err | tee out |
        awk -F, 'NR > 1 { print $8 }'
}

# takes NAME SUM PERCENT ARGS... - a time is SUM in us, and up to PERCENT more.
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

# ---- 8 B: launch and steps alone -------------------------------------------
# LL is launched in 6.6 us, a step is 0.6; Simple 8.4 and 3.4.  A ring of n has
# 2(n - 1) steps, a chain up and down as many, one way n - 1.

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

# Four links of 0.3 us up and down again.
# shellcheck disable=SC2086
takes 'NVLS: launch, and to the switch and back,' 31.4 5 hgx-h200 $nvls \
    --sizes '8 B'

# A network step of LL over EFA: 2.7 + 2 x 12 + 2 x 0.25 of PCIe.  Trees have
# one up and one down for each level of nodes, and 7 + 7 of 0.6 us inside;
# a piece on the ring of 16 goes 30 steps, 4 of them from node to node.
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

# ---- 16 GiB: rates alone ---------------------------------------------------
# 18 links of 20.5 GB/s are 369; the switch adds 263.  Beside it: steps, and
# what fills the pipeline.

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

# ---- one against the other -------------------------------------------------
# A ring of n passes S / n on in 2(n - 1) steps; a chain passes S in as many.
# So a chain with S takes what a ring takes with n S, but that it has 92 % of
# the rate.  START is what launch and 30 steps take.

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

# All GPUs, named one by one and backwards, are the machine; 2 GPUs that no
# NVLink joins go through the host, at most at the 6 GB/s of the CPUs' link.
times dgx-1v --stack nccl --sizes '1 MiB' >whole
times dgx-1v --stack nccl --sizes '1 MiB' \
    --set 'platform.topology.allocate=[0, 1, 2, 3, 4, 5, 6, 7]' >named
[ -s whole ] && cmp -s whole named
report $? 'a fragment of all GPUs is the machine'
times dgx-1v --stack nccl --sizes '64 MiB' \
    --set 'platform.topology.allocate=[0, 5]' |
    awk '{ rate = 67108864 / $1 / 1000 } END { exit !(rate > 5.5 && rate <= 6) }'
report $? 'two GPUs without NVLink share what joins their CPUs'

# ---- pins that cannot be met, and slips ------------------------------------

wrong() {
    says "$1" 1 "$2" collectives "${@:3}" --sizes '1 MiB'
}
at='--set stack.algorithm:1:1: algorithm'
wrong 'NVLS where no switch adds' \
    "$at: all-reduce of 8 NPUs: no switch between GPUs of a machine adds (\`reduces\`)" \
    dgx-1v --stack nccl --set stack.algorithm=nvls
wrong 'NVLS has no LL' \
    "$at: all-reduce of 8 NPUs: it is not there with that protocol" \
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

# ---- schedules of MSCCL that lie -------------------------------------------

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
