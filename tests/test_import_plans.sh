#!/bin/bash
# test_import_plans.sh - imports of plans: work without times, groups by name,
# start times, collectives of one rank
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
. "$SRCDIR/tests/profile.sh"

flop_as_double=0000008c29295242 # 312e9, as IEEE 754 has it

# ---- Chakra records as hexadecimal digits ---------------------------------

varint() {
    local n=$1 out=
    while [ "$n" -ge 128 ]; do
        out=$out$(printf '%02x' $((n % 128 + 128)))
        n=$((n / 128))
    done
    printf '%s%02x' "$out" "$n"
}

# bytes FIELD HEX, number FIELD VALUE - print a field of a message
bytes() { printf '%s%s%s' "$(varint $(($1 * 8 + 2)))" "$(varint $((${#2} / 2)))" "$2"; }
number() { printf '%s%s' "$(varint $(($1 * 8)))" "$(varint "$2")"; }
text() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; }

# attribute NAME VALUE, attribute_text NAME TEXT - print a node attribute of
# type int64 or text
attribute() { bytes 10 "$(bytes 1 "$(text "$1")")$(number 9 "$2")"; }
attribute_text() { bytes 10 "$(bytes 1 "$(text "$1")")$(bytes 29 "$(text "$2")")"; }

# node ID NAME TYPE MORE - prints a record of a device node
node() {
    local hex
    hex=$(number 1 "$1")$(bytes 2 "$(text "$2")")$(number 3 "$3")$4$(bytes 10 "$(bytes 1 "$(text is_cpu_op)")$(number 27 0)")
    printf '%s%s' "$(varint $((${#hex} / 2)))" "$hex"
}

# et FILE NODES - writes the file of a rank
et() {
    local version
    version=$(bytes 1 "$(text 0.0.4)")
    # shellcheck disable=SC2059
    printf "$(printf '%s%s%s' "$(varint $((${#version} / 2)))" "$version" "$2" | sed 's/../\\x&/g')" >"$1"
}

# all_reduce_node ID BYTES [GROUP] [AFTER] - prints a record of an all-reduce
all_reduce_node() {
    node "$1" ar 7 "$(attribute comm_type 0)$(attribute comm_size "$2")${3:+$(attribute_text pg_name "$3")}${4:+$(number 5 "$4")}"
}

# lasts FROM TO NAME ARGS - checks that the iteration time of r.yaml is between
# FROM and TO, in microseconds
lasts() {
    local from=$1 to=$2 name=$3 got
    shift 3
    "$ACESIM" run r.yaml -q --csv rows.csv "$@" >out 2>err
    got=$(column iteration_time_us)
    awk -v got="$got" -v from="$from" -v to="$to" 'BEGIN { exit !(got >= from && got <= to) }'
    local failed=$?
    [ $failed = 0 ] || echo "it takes $got us, not $from to $to" >>err
    report $failed "$name"
}

# ---- plans with FLOP and bytes but no time --------------------------------

# 312 GFLOP at 312 TFLOP/s take at least 1000 us; 100 MB at 100 GB/s take 1000
# us.
for r in 0 1; do
    et w.$r.et "$(node 1 mm 4 "$(attribute num_ops 312000000000)$(attribute tensor_size 1000000)")$(all_reduce_node 2 100000000 '' 1)"
done
imports 'kernels that say their FLOP alone' w.?.et
prints 'which is told' '  2  kernels of known FLOP or bytes and unknown time: timed by the NPU.s roofline$'
lasts 2000 2400 'take what the NPU needs' --set platform.npu=a100-80gb
"$ACESIM" run r.yaml >out 2>err
prints 'as each run says' '^note: inferred: 2 kernels of known FLOP or bytes'
"$ACESIM" lint-trace w.?.et >out 2>err
! grep -q zero-time out
report $? 'and are not of no time'
for r in 0 1; do
    et w.$r.et "$(node 1 mm 4 "$(bytes 10 "$(bytes 1 "$(text num_ops)")$(varint $((3 * 8 + 1)))$flop_as_double")")$(all_reduce_node 2 100000000 '' 1)"
done
imports 'FLOP as a real number' w.?.et
lasts 2000 2400 'count, too' --set platform.npu=a100-80gb
for r in 0 1; do
    et w.$r.et "$(node 1 copy 4 "$(attribute tensor_size 2000000000)")$(all_reduce_node 2 100000000 '' 1)"
done
imports 'kernels that say their bytes alone' w.?.et
lasts 1900 2600 'take what the memory needs' --set platform.npu=a100-80gb
et w.0.et "$(node 1 mm 4 '')$(all_reduce_node 2 100000000 '' 1)"
cp w.0.et w.1.et
imports 'kernels that say nothing' w.?.et
prints 'are told' '  2  kernels and copies that say no time and no work, as taking none$'
printf '{"workload_graph": [{"Id": 1, "NodeType": 4, "Name": "mm", "num_ops": 312000000000, "tensor_size": 1000000, "is_cpu_op": false, "data_deps": []}], "ngpus": 1}\n' >w.json
imports 'FLOP in Chakra as JSON' w.json
lasts 1000 1200 'count as well' --set platform.npu=a100-80gb

# ---- groups given by name -------------------------------------------------

mkdir -p groups/et
for r in 0 1 2 3; do et groups/et/w.$r.et "$(all_reduce_node 1 100000000 $((r / 2 + 1)))"; done
imports 'ranks that name different groups' groups/et/w.?.et
lasts 1000 1010 'are in different groups'
"$ACESIM" run r.yaml >out 2>err
prints 'which is inferred' '^note: inferred: 2 groups of which only the name is known, as of the ranks that name them$'
echo '{"1": [0, 1], "2": [2, 3]}' >groups/comm_group.json
imports 'groups that another file lists' groups/et/w.?.et groups/comm_group.json
lasts 1000 1010 'are those'
! grep -q notes p.yaml
report $? 'and nothing is inferred'
imports 'groups before traces' groups/comm_group.json groups/et/w.?.et
lasts 1000 1010 'are those, too'
imports 'a folder with both' groups
lasts 1000 1010 'has them'
echo '{"1": [0, 2], "2": [1, 3]}' | gzip -c >groups/comm_group.json
imports 'a packed file of other groups' groups
grep -q 'size: 2, stride: 2' p.yaml || grep -q 'ranks: \[\[0, 2\]' p.yaml
report $? 'counts more than names'
echo '{"1": [0, 1], "2": [2, x]}' >bad.json
says 'a file of groups that is wrong is refused' 1 'bad.json: byte 23: a file of groups is {"NAME": [RANK, ...], ...}' \
    import groups/et/w.0.et bad.json -o p.yaml

# Two of four files are given, and a group refers to a rank without a file.
echo '{"1": [0, 1], "2": [2, 3]}' >groups/comm_group.json
imports 'groups that reach beyond the files' groups/et/w.0.et groups/et/w.2.et groups/comm_group.json
grep -q 'npus: 4' r.yaml
report $? 'make the world as large'
lasts 1000 1010 'and keep their size'

# PyTorch's profile has only the size of a group, and all four ranks give it the
# same name.
for r in 0 1 2 3; do
    begin $r 4 2990
    kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 20 40 530 2000 \
        '"Collective name": "allreduce", "In msg nelems": 25000000, "Out msg nelems": 25000000, "dtype": "Float", "Group size": 2, "Process Group Name": "tp"'
    call cudaDeviceSynchronize 90 2440
    end
done
imports 'a group of which the size is known' rank?.json
prints 'is as large' '  1  groups of which only the size is known, as of ranks that follow each other$'
grep -q 'size: 2}' p.yaml
report $? 'and not of all ranks'
rm rank?.json

# ---- GOAL: dependencies on the start of an operation ----------------------

printf 'num_ranks 2\nrank 0 {\nl1: send 100000000b to 1 tag 7\nl2: calc 1000000 cpu 0\nl2 irequires l1\n}\nrank 1 {\nl1: recv 100000000b from 0 tag 7\nl2: calc 1000000 cpu 0\nl2 irequires l1\n}\n' >a.goal
imports 'computing after the begin of a send' a.goal
lasts 1000 1010 'goes on beside it'
printf 'num_ranks 1\nrank 0 {\nl0: calc 400000 cpu 0\nl1: calc 1000000 cpu 0\nl2: calc 300000 cpu 1\nl3: calc 100000 cpu 2\nl1 requires l0\nl2 irequires l1\nl3 irequires l2\n}\n' >b.goal
imports 'a begin after an end, and another begin' b.goal
lasts 1399 1401 'waits for what the other waits for'
grep -q 'l0\|calc.1.*time: 400 us' p.yaml && [ "$(grep -c 'after: \[calc.1\]' p.yaml)" -ge 2 ]
report $? 'both of them'
printf 'num_ranks 1\nrank 0 {\nl0: calc 400000 cpu 0\nl1: calc 1000000 cpu 0\nl2: calc 1200000 cpu 1\nl2 irequires l1\n}\n' >c.goal
imports 'a begin behind another on its processor' c.goal
lasts 1599 1601 'waits for that one'
printf 'num_ranks 1\nrank 0 {\nl1: calc 1000000 cpu 0\nl2: calc 500000 cpu 1\nl2 requires l1\n}\n' >d.goal
imports 'requires' d.goal
lasts 1499 1501 'is after the end'

# ---- ranks with unequal work ---------------------------------------------

# A rank that computes twice as long as the other cannot share its list.
for r in 0 1; do
    et w.$r.et "$(node 1 mm 4 "$(attribute num_ops $((312000000000 * (r + 1))))")$(all_reduce_node 2 100000000 '' 1)"
done
imports 'ranks with unequal FLOP' w.0.et w.1.et
lasts 2990 3100 'take as long as the slower one' --set platform.npu=a100-80gb
et w.1.et "$(node 1 mm 4 "$(number 7 2000)")$(all_reduce_node 2 100000000 '' 1)"
imports 'a rank with FLOP and one with a time' w.0.et w.1.et
lasts 2990 3100 'have each their own' --set platform.npu=a100-80gb
et w.0.et "$(node 1 mm 4 "$(attribute tensor_size 2000000000)")$(all_reduce_node 2 100000000 '' 1)"
et w.1.et "$(node 1 mm 4 "$(attribute tensor_size 4000000000)")$(all_reduce_node 2 100000000 '' 1)"
imports 'ranks with unequal bytes' w.0.et w.1.et
lasts 2900 3200 'differ as well' --set platform.npu=a100-80gb

# ---- groups that are some dimensions of a network -----------------------------

some_dims=$(bytes 10 "$(bytes 1 "$(text involved_dim)")$(bytes 28 "$(bytes 1 0100)")")
for r in 0 1 2 3; do
    et w.$r.et "$(node 1 ar 7 "$(attribute comm_type 0)$(attribute comm_size 100000000)$some_dims")"
done
imports 'a collective of the first of two dimensions' w.0.et w.1.et w.2.et w.3.et
grep -q '^warning: groups are dimensions of the platform, .* give r.yaml a topology of 2 dimensions' err
report $? 'warns that the platform has to have both'
"$ACESIM" run r.yaml >out 2>err
prints 'and so does each run' '^note: inferred: 2 dimensions of the network that the groups mean, and the recording does not describe$'
ring='size: 2, links: 2, bandwidth: 100 GB/s, latency: 500 ns'
lasts 500 510 'with both it is among two' \
    --set platform.topology="{kind: torus, dims: [{$ring}, {$ring}]}"

# ---- files of groups with errors -------------------------------------------------

for r in 0 1; do
    et w.$r.et "$(all_reduce_node 1 100000000 1)"
done
printf '{"1": [0, 1],\n "1": [0, 1, 2]}' >groups.json
says 'a group that is listed twice' 1 'groups.json: byte 15: this group is listed before' \
    import w.0.et w.1.et groups.json -o p.yaml
printf '{"1": [0, 1, 0]}' >groups.json
says 'a rank that is in a group twice' 1 'groups.json: byte 1: this group has a rank twice' \
    import w.0.et w.1.et groups.json -o p.yaml

# ---- collectives with one participant -------------------------------------------------------

printf 'MICRO\n1\nx -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 268435456 1\n' >micro.txt
imports 'a plan of unknown ranks' micro.txt
grep -q '^warning: 1 collective has one participant and moves nothing: say how many ranks there were by --ranks N$' err
report $? 'warns that nothing moves'
"$ACESIM" run r.yaml >out 2>err
prints 'and so does each run' '^warning: 1 collective has one participant and moves nothing: say how many ranks there were by `acesim import --ranks N`$'
"$ACESIM" import micro.txt -o p.yaml --run-file r.yaml --ranks 8 >out 2>err
! grep -q warning err
report $? 'but not with --ranks'
"$ACESIM" run r.yaml >out 2>err
! grep -q warning out
report $? 'nor its run'

printf 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0\n1\nnorm -1 10000 ALLREDUCE 16384000 1 NONE 0 1 NONE 0 100\n' >one.txt
imports 'a plan with a collective in a group of one rank' one.txt
prints 'counts it' '  1  collectives in groups of one rank, which move nothing$'
"$ACESIM" run r.yaml >out 2>err
prints 'and each run says so' '^note: dropped: 1 collectives in groups of one rank, which move nothing$'

# ---- AICB's broadcast -----------------------------------------------------

printf 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0\n1\nnorm -1 0 BROADCAST 16384 1 NONE 0 1 NONE 0 100\n' >bc.txt
imports 'a layer with a broadcast' bc.txt
grep -q 'collective: broadcast, bytes: 16 KiB, group: by-8' p.yaml
report $? 'has it in its group'
"$ACESIM" run r.yaml >out 2>err
report $? 'and runs'

# ---- limits of MSCCL ---------------------------------------------------------------------------

printf 'kind: msccl\nfile: s.xml\n' >s.yaml
printf 'name: sw8\ntopology: {kind: switch, npus: 8, links: 1, bandwidth: 300 GB/s, latency: 500 ns}\nnpu: a100-80gb\n' >p8.yaml
for limits in '' 'minBytes="0" maxBytes="0"' 'minBytes="1024" maxBytes="0"' 'maxBytes="1073741824"'; do
    sed "0,/<algo /s/<algo /<algo $limits /" "$SRCDIR/configs/msccl/allreduce-ring-8.xml" >s.xml
    "$ACESIM" collectives p8.yaml --stack s.yaml --sizes '1 MiB,64 MiB' >out 2>err
    [ $? = 0 ] && [ "$(grep -c 'allreduce_ring' out)" = 2 ]
    report $? "a schedule is taken with limits '$limits'"
    [ -n "$limits" ] || cp out without
    cmp -s out without || [ -z "$limits" ]
    report $? 'and takes as long'
done
sed '0,/<algo /s/<algo /<algo maxBytes="1048576" /' "$SRCDIR/configs/msccl/allreduce-ring-8.xml" >s.xml
"$ACESIM" collectives p8.yaml --stack s.yaml --sizes '1 MiB,64 MiB' >out 2>err
[ "$(grep -v warning out | grep -c 'allreduce_ring')" = 1 ] &&
    grep -q '^64 MiB: warning: schedule allreduce_ring' out
report $? 'a limit that is not 0 is one'
"$ACESIM" check s.yaml >out 2>err
prints 'and check says what others get' "; taken for payloads from 0 B to 1048576 B, and NCCL's own algorithms for others$"
sed '0,/<algo /s/<algo /<algo minBytes="1024" maxBytes="512" /' "$SRCDIR/configs/msccl/allreduce-ring-8.xml" >s.xml
"$ACESIM" collectives p8.yaml --stack s.yaml --sizes '1 MiB' >out 2>err
[ $? = 1 ]
report $? 'an upper one below the lower is refused'

# ---- groups that are dimensions of the platform -----------------------------------

printf 'HYBRID_DATA_MODEL\n1\na -1 1000 ALLGATHER 16777216 1000 NONE 0 1000 ALLREDUCE 16777216 100\n' >dims.txt
says 'groups that are dimensions have no size' 0 \
    'warning: groups are dimensions of the platform, which the recording does not describe: give r.yaml a topology of 3 dimensions or more, such as a torus' \
    import dims.txt --ranks 8 -o p.yaml --run-file r.yaml
ring='size: 2, links: 2, bandwidth: 100 GB/s, latency: 500 ns'
"$ACESIM" run r.yaml -q --set platform.topology="{kind: torus, dims: [{$ring}, {$ring}, {$ring}]}" >out 2>err
report $? 'and run on a platform that has them'

echo "1..$n"
