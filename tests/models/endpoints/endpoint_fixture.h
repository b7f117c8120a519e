/* endpoint_fixture.h - runs of one collective on NPUs with a given endpoint */
#ifndef TESTS_MODELS_ENDPOINTS_ENDPOINT_FIXTURE_H
#define TESTS_MODELS_ENDPOINTS_ENDPOINT_FIXTURE_H

#include "tests/system_fixture.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define GB     UINT64_C(1000000000)

#define ACE_NPU                                                                \
    "{sms: 80, clock: 1245 MHz, flops: 120 TFLOPS, hbm: {bandwidth: 900 GB/s}}"
#define FREE "launch_time: 0 ns, step_time: 0 ns"
#define COMM_OPT                                                               \
    "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s, " FREE "}"
#define COMP_OPT                                                               \
    "{kind: baseline, sms: 2, memory_bandwidth: 128 GB/s, " FREE "}"
#define ACE_128 "{kind: ace, memory_bandwidth: 128 GB/s, " FREE "}"

/* Returns platform @i, or NULL after the last one. The number of NPUs and the
 * sizes of all phases divide MIB(n). */
static inline const char *platform_text_at(gsize i)
{
    switch (i) {
    case 0:
        return "{kind: torus, dims: [{size: 8, links: 2, bandwidth: 25 GB/s, "
               "latency: 500 ns}]}";
    case 1:
        return ace_torus_text(4, 2, 2);
    case 2:
        return ace_torus_text(4, 4, 4);
    case 3:
        return "{kind: switch, npus: 16, bandwidth: 100 GB/s, "
               "latency: 500 ns}";
    case 4:
        return "{kind: fully-connected, npus: 8, bandwidth: 25 GB/s, "
               "latency: 500 ns}";
    default:
        return NULL;
    }
}

static inline SystemResult simulate_one_collective(const char *topology,
                                                   const char *endpoint,
                                                   CollKind kind,
                                                   uint64_t payload_bytes)
{
    Setup s = { .topology = topology,
                .npu = ACE_NPU,
                .endpoint = endpoint,
                .workload = single_collective_workload(kind, payload_bytes) };

    return simulate_setup(&s);
}

static inline void assert_hbm_traffic(const SystemResult *result,
                                      uint64_t read_bytes, uint64_t write_bytes)
{
    assert_int_equal(result->hbm_comm_read_bytes, read_bytes);
    assert_int_equal(result->hbm_comm_write_bytes, write_bytes);
    assert_int_equal(result->endpoint.hbm_read_bytes, read_bytes);
    assert_int_equal(result->endpoint.hbm_write_bytes, write_bytes);
}

#endif
