#!/bin/bash
# test_endpoints.sh - tests of which endpoint and which software carry out a
# collective

. "$SRCDIR/tests/shell.sh"

# iteration_ps ARGS... - prints the time of an iteration
iteration_ps() {
    "$ACESIM" run "$@" --json >out 2>err || return 1
    sed -n 's/.*"iteration_time_ps": *\([0-9.]*\).*/\1/p' out
}

# same NAME A B - checks that both are the same time
same() {
    [ -n "$2" ] && [ "$2" = "$3" ]
    report $? "$1: $2 and $3"
}

# differs NAME A B - checks that both are times, and not the same
differs() {
    [ -n "$2" ] && [ -n "$3" ] && [ "$2" != "$3" ]
    report $? "$1: $2 and $3"
}

cat >engine.yaml <<EOF
platform: {topology: $SRCDIR/configs/platforms/hgx-h100.yaml, npu: $SRCDIR/configs/npus/h100-sxm.yaml}
endpoint: {kind: ace, name: a, memory_bandwidth: 450 GB/s, sram: 32 MiB, uses_stack: false}
workload: {kind: collective, name: c, collective: all-reduce, payload: 64 MiB}
EOF
without=$(iteration_ps engine.yaml)
same "no stack decides for an engine of its own" "$without" \
    "$(iteration_ps engine.yaml --set stack='{kind: nccl}')"
differs "a stack decides for other endpoints" "$without" \
    "$(iteration_ps engine.yaml --set stack='{kind: nccl}' \
        --set endpoint.uses_stack=true --set endpoint.sram='1 GiB')"

echo "1..$n"
