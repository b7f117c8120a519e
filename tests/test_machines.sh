#!/bin/bash
# test_machines.sh - real machines can be selected by name
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

small_run >ok.yaml
sed '/^platform:/,/^  npu:/d' ok.yaml >named.yaml
echo 'platform: hgx-h100' >>named.yaml

says 'list machines has a line for each platform' 0 '' list machines
for file in "$SRCDIR"/configs/platforms/*.yaml; do
    name=${file##*/}
    prints "list machines has ${name%.yaml}" "^  ${name%.yaml}  "
done
prints 'with what leaves an NPU near, through the host, and its NICs' \
    '^  dgx-1v  *8  v100-sxm2  *graph  *150  *15.8  *4$'
prints 'and, of a cluster, into the network' \
    '^  cluster-hgx-h100  *128  h100-sxm  *nested  *450  *63  *50  *128$'
[ "$(awk 'length > 100' out | wc -l)" = 0 ]
report $? 'list machines keeps to 100 columns'

says 'a platform is found by name' 0 '' \
    run ok.yaml --set platform=dgx-1v
prints 'and is it' 'on dgx-1v (graph, 8 NPUs)'
says 'and from a run file' 0 '' run named.yaml
says 'a name that is mistyped has a suggestion' 1 \
    "--set platform:1:1: platform: 'dgx-1w' cannot be read: No such file or \
directory; did you mean 'dgx-1p'?" run ok.yaml --set platform=dgx-1w
says 'a cluster is as large as one says' 0 '' run ok.yaml \
    --set platform=cluster-dgx-1v --set platform.topology.count=2
prints 'and of the node one says' 'nested 8x2, 16 NPUs'
says 'its node is another machine' 0 '' run ok.yaml \
    --set platform=cluster-dgx-1v --set platform.topology.count=2 \
    --set platform.topology.inner=gcp-v100
says 'a fragment of a machine is some of its GPUs' 0 '' run ok.yaml \
    --set platform=dgx-1v --set 'platform.topology.allocate=[0, 1, 4]'
prints 'and no others' 'graph, 3 NPUs'

echo "1..$n"
