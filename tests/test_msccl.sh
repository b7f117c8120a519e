#!/bin/bash
# test_msccl.sh - MSCCL schedules: errors have their line, correct schedules are
# run
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.
. "$SRCDIR/tests/shell.sh"

sample=$SRCDIR/configs/msccl/allreduce-ncv4.xml
cat >stack.yaml <<'END'
kind: msccl
file: broken.xml
END
cat >run.yaml <<END
platform: $SRCDIR/configs/platforms/ncv4.yaml
endpoint: $SRCDIR/configs/endpoints/no-overlap.yaml
workload: {kind: collective, name: c, collective: all-reduce, payload: 1 MiB}
stack: $SRCDIR/configs/stacks/msccl-ncv4.yaml
training: {compute: roofline}
END

# broken NAME TEXT SED... - checks that the sample, changed by sed, is refused
# with TEXT
broken() {
    local name=$1 text=$2
    shift 2
    sed "$@" "$sample" >broken.xml
    says "$name" 1 "$text" check stack.yaml
}

says "the sample is right" 0 '' check "$SRCDIR/configs/stacks/msccl-ncv4.yaml"
prints "and what it sends is told" \
    'proved: 336 steps of 36 thread blocks on each of 4 GPUs, which send 1.5 bytes'
broken "a step that is gone is missed where its number is" \
    "broken.xml:4:13: 's' is 1 where 0 is due" -e 4d
broken "the last of a thread block where it is waited for" \
    "broken.xml:99:7: waits for step 1 of thread block 0, which has 1" -e 5d
broken "or where its message stays" \
    "broken.xml:165:7: what it sends GPU 0 on channel 1 is never received" \
    -e 9d
broken "one that does nothing where the data show it" \
    "broken.xml:5:7: chunk 0 of GPU 0 ends without GPU 2's part" \
    -e '102s/type="re"/type="nop"/'
broken "a chunk that is not there" \
    "broken.xml:100:39: chunks 24 to 24 of 'i', of which GPU 0 has 24" \
    -e '100s/srcoff="0"/srcoff="24"/'
broken "a GPU that is not there" \
    "broken.xml:3:16: 'send' is '4', no whole number from -1 to 3" \
    -e '3s/send="1"/send="4"/'
broken "a type that nobody knows" \
    "broken.xml:4:19: 'type' knows no 'send'; known: s, r, rcs, rrs, rrc, rrcs, cpy, re, nop" \
    -e '4s/type="s"/type="send"/'
broken "what is no XML" "broken.xml:1:1: not XML: \
'Document must begin with an element (e.g. <book>)'" -e '1s/^/x/'
rm broken.xml
says "a file that is not there" 1 "stack.yaml:2:7: file: 'broken.xml' \
cannot be read: No such file or directory" check stack.yaml

for bytes in '617472 B' '1 GiB'; do
    says "the sample runs with its data, $bytes" 0 '' \
        run run.yaml --verify --set "workload.payload=$bytes"
    prints "as its schedule says" 'all-reduce .* allreduce_ncv4 *Simple *36 '
    prints "and every chunk is right" '^verified: all '
done
says "below its least bytes NCCL does it" 0 '' \
    run run.yaml --set workload.payload=512KiB
! grep -q allreduce_ncv4 <(grep '^  all-reduce' out)
report $? "by an algorithm of its own"

echo "1..$n"
