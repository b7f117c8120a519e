/* training_fixture.h - small training runs */
#ifndef TESTS_MODELS_RUN_TRAINING_FIXTURE_H
#define TESTS_MODELS_RUN_TRAINING_FIXTURE_H

#include "tests/system_fixture.h"

#define SMALL_DP                                                               \
    "{kind: data-parallel, name: small, batch: 32, layers: ["                  \
    "{kind: linear, name: a, in: 512, out: 512}, "                             \
    "{kind: linear, name: b, in: 512, out: 1024}, "                            \
    "{kind: linear, name: c, in: 1024, out: 256}]}"
#define SMALL_DLRM                                                             \
    "{kind: dlrm, name: small, batch: 64, "                                    \
    "embedding: {tables: 8, dimension: 64, lookups: 4}, "                      \
    "bottom: [{name: b1, in: 256, out: 256}, {name: b2, in: 256, out: 64}], "  \
    "top: [{name: t1, in: 576, out: 256}, {name: t2, in: 256, out: 1}]}"
#define ACE      "{kind: ace}"
#define IDEAL    "{kind: ideal}"
#define COMM_OPT "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s}"
#define COMP_OPT "{kind: baseline, sms: 2, memory_bandwidth: 128 GB/s}"
#define ALL_THEN_ALL                                                           \
    "{kind: baseline, sms: 80, memory_bandwidth: 900 GB/s, "                   \
    "only_while_communicating: true}"

static const char *const endpoints[] = { IDEAL, ACE, COMM_OPT, COMP_OPT,
                                         ALL_THEN_ALL };
static const char *const workloads[] = { SMALL_DP, SMALL_DLRM };

static inline SystemResult run_on_ace_platform(const char *endpoint,
                                               const char *workload,
                                               const char *training,
                                               const char *collectives)
{
    Setup s = { .topology = ace_torus_text(4, 2, 2),
                .endpoint = endpoint,
                .workload = workload,
                .training = training,
                .collectives = collectives };

    return simulate_setup(&s);
}

#endif
