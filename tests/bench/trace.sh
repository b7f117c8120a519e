#!/bin/sh
# trace.sh BUILD [MB] - measures time and memory for reading a trace
#
# The trace has MB=1000 megabytes of events in Kineto's format.  Four of five
# events are of categories that the reader skips.  Prints the CSV of
# `acesim-bench --trace`.
build=$1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/acesim-trace.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

awk -v most="$((${2:-1000} * 1000000))" '
function event(text) {
    text = (n++ ? ",\n  " : "  ") text
    bytes += length(text)
    printf "%s", text
}
function args_of(text) { return ",\n    \"args\": {\n      " text "\n    }\n  }" }
function span(cat, name, pid, tid, ts, dur, text) {
    event(sprintf("{\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", " \
                  "\"pid\": %d, \"tid\": %d,\n    \"ts\": %.3f, \"dur\": %.3f%s",
                  cat, name, pid, tid, ts, dur, args_of(text)))
}
function arrow(ph, id, tid, ts) {
    event(sprintf("{\n    \"ph\": \"%s\", \"id\": %d, \"pid\": 77, \"tid\": %d, " \
                  "\"ts\": %.3f,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  }",
                  ph, id, tid, ts))
}
BEGIN {
    printf "{\n  \"schemaVersion\": 1,\n  \"distributedInfo\": {\"rank\": 0, " \
           "\"world_size\": 8},\n  \"traceEvents\": [\n"
    kernel = "void at::native::vectorized_elementwise_kernel<4, at::native" \
             "::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int)"
    for (i = 1; bytes < most; i++) {
        ts = 4458676000000 + i * 12.345
        for (j = 0; j < 5; j++)
            span("cpu_op", "aten::add_" j, 77, 77, ts + j, 9.5 - j,
                 sprintf("\"External id\": %d,\"Record function id\": %d, " \
                         "\"Sequence number\": %d, \"Concrete Inputs\": " \
                         "[\"\", \"\", \"1\"], \"Input type\": [\"float\", " \
                         "\"float\", \"Scalar\"], \"Input Dims\": " \
                         "[[64, 256, 56, 56], [64, 256, 56, 56], []], " \
                         "\"Ev Idx\": %d", i * 5 + j, i * 5 + j, i, i))
        span("cuda_runtime", "cudaLaunchKernel", 77, 77, ts + 6, 2.5,
             sprintf("\"External id\": %d, \"cbid\": 211, \"correlation\": %d",
                     i * 5, i))
        arrow("s", i, 77, ts + 6)
        is_nccl = i % 50 == 0
        span("kernel", is_nccl ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL" \
                               : kernel, 0, is_nccl ? 40 : 7, ts + 8, 10.25,
             sprintf("\"External id\": %d, \"queued\": 0, \"device\": 0, " \
                     "\"context\": 1,\n      \"stream\": %d, \"correlation\": " \
                     "%d,\n      \"registers per thread\": 32,\n      " \
                     "\"shared memory\": 0,\n      \"blocks per SM\": 4.74,\n" \
                     "      \"grid\": [%d, 1, 1],\n      \"block\": " \
                     "[512, 1, 1]%s", i * 5, is_nccl ? 40 : 7, i,
                     is_nccl ? 8 : 512, !is_nccl ? "" : ", \"Collective " \
                     "name\": \"allreduce\", \"In msg nelems\": 2049000, " \
                     "\"Out msg nelems\": 2049000, \"Group size\": 8, " \
                     "\"dtype\": \"Float\""))
        arrow("f", i, 7, ts + 8)
    }
    printf "\n  ],\n  \"baseTimeNanoseconds\": 1711964646000000000\n}\n"
}' >"$scratch/trace.json" || exit 1
"$build/acesim-bench" --trace "$scratch/trace.json"
