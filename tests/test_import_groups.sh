#!/bin/bash
# test_import_groups.sh - imports of profiles whose groups are long or irregular,
# and the types of elements
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
. "$SRCDIR/tests/profile.sh"

# gather R WORLD LIST SIZE [TYPE] - writes a profile with an all-gather of
# 4000000 elements among SIZE ranks, whose list is LIST
gather() {
    begin "$1" "$2" 4990
    kernel gemm 7 10 30 500
    kernel ncclDevKernel_AllGather_RING_LL 20 40 530 3000 \
        '"Collective name": "_allgather_base", "In msg nelems": 1000, "Out msg nelems": 4000000, "dtype": "'"${5-Float}"'", "Group size": '"$4"', "Process Group Name": "7", "Process Group Ranks": "['"$3"']"'
    end
}

# every STEP N - prints the first N multiples of STEP as a list
every() {
    seq -s ', ' 0 "$1" $(($1 * ($2 - 1)))
}

# group WANTED NAME - checks the only group of the program
group() {
    [ "$(sed -n 's/^  - {name: [^,]*, \(.*\)}$/\1/p' p.yaml)" = "$1" ]
    local failed=$?
    [ $failed = 0 ] || sed -n '/^groups/,/^roles/p' p.yaml | cut -c 1-300 >>err
    report $failed "$2"
}

continued='^ *1  groups of which only the first ranks are listed, continued in the same steps$'

# ---- lists that PyTorch truncates after 30 ranks --------------------------------

gather 0 64 "$(every 2 30), ..." 32
imports 'a group of which the first 30 ranks are listed' rank0.json
group 'size: 32, stride: 2' 'its further ranks have the same distance'
prints 'which is inferred' "$continued"

gather 0 64 "$(every 2 29), ..., 62" -1
imports 'or the first ranks and the last, without its size' rank0.json
group 'size: 32, stride: 2' 'which is known from the last'

gather 0 64 "$(every 2 29), ..., 63" 32
imports 'a list that does not lead to its last rank' rank0.json
group 'size: 32' 'is not continued'
prints 'but its size is used' '^ *1  groups of which only the size is known'

# Two groups may begin with the same ranks.
{
    begin 0 128 4990
    for size in 32 64; do
        kernel ncclDevKernel_AllGather_RING_LL 20 $((size + 10)) $((size * 30)) 900 \
            '"Collective name": "_allgather_base", "In msg nelems": 1000, "Out msg nelems": 4000000, "dtype": "Float", "Group size": '$size', "Process Group Name": "of '$size'", "Process Group Ranks": "['"$(every 1 30)"', ...]"'
    done
    end
}
imports 'two groups whose lists begin alike' rank0.json
[ "$(sed -n 's/^  - {name: [^,]*, \(.*\)}$/\1/p' p.yaml | tr '\n' ' ')" = 'size: 32 size: 64 ' ]
report $? 'differ by their sizes'

# ---- ranks that have no constant distance ----------------------------------------

pairs='0, 1, 8, 9'
gather 0 16 "$pairs" 4
imports 'one rank, in a group of neighbours in two machines' rank0.json
group 'ranks: [[0, 1, 8, 9], [2, 3, 10, 11], [4, 5, 12, 13], [6, 7, 14, 15]]' \
    'all ranks are in such groups'
cp p.yaml one.yaml
gather 1 16 "$pairs" 4
imports 'two ranks of it' rank0.json rank1.json
group "$(sed -n 's/^  - {name: [^,]*, \(.*\)}$/\1/p' one.yaml)" 'give the same groups'
rm rank1.json

gather 0 128 "$(for i in $(seq 0 16 112); do echo $i, $((i + 1)), $((i + 2)), $((i + 3)),; done | tr '\n' ' ' | cut -d, -f 1-30), ..." 32
imports 'a truncated list whose distances repeat' rank0.json
grep -q 'ranks: \[\[0, 1, 2, 3, 16, 17, .*, 112, 113, 114, 115\], \[4, 5, ' p.yaml
report $? 'is continued in the same way'

gather 0 8 '0, 1, 2' 3
imports 'three of eight ranks' rank0.json
prints 'cannot be repeated, which is said' '^ *1  collectives of groups that cannot be repeated over all ranks, taken as of'

gather 0 8 '...' 4
imports 'a list of which nothing is left' rank0.json

# ---- types of elements ------------------------------------------------------------

# bytes TYPE BYTES - checks the payload of 4000000 elements of TYPE
bytes() {
    gather 0 4 '0, 1, 2, 3' 4 "$1"
    imports "elements of $1" rank0.json
    grep -q "collective: all-gather, bytes: $2," p.yaml
    report $? "are $2 in total"
}

for type in Float8_e8m0fnu Float4_e2m1fn_x2 QInt8 QUInt8 QUInt4x2 QUInt2x4 Bits1x8 Bits2x4 Bits4x2 \
    Bits8 Int1 Int7 UInt1 UInt7; do
    bytes $type '4000000 B'
done
bytes Bits16 '8000000 B'
bytes QInt32 '15625 KiB'
for type in Int8 UInt0 UInt IntX Float6; do
    gather 0 4 '0, 1, 2, 3' 4 $type
    imports "elements of $type" rank0.json
    prints 'have no known size' '^ *1  communications of unknown payload, written as 1 B$'
done

echo "1..$n"
