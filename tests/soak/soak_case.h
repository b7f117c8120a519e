/*
 * soak_case.h - a random system, in numbers that can be changed
 *
 * A seed names a case: every number of it is drawn from the stream of its own
 * name (sim/core/rng.h), so that a new one leaves the others what they are,
 * and no order of drawing matters.
 *
 * Units    MB/s, KiB, ns, where the name says so; else as in YAML
 */
#ifndef TESTS_SOAK_SOAK_CASE_H
#define TESTS_SOAK_SOAK_CASE_H

#include "models/run/system.h"

#define SOAK_MAX_LAYERS 5

typedef enum { SOAK_TORUS, SOAK_SWITCH, SOAK_FULL } SoakTopology;
typedef enum { SOAK_IDEAL, SOAK_ACE, SOAK_BASELINE } SoakEndpoint;
typedef enum {
    SOAK_COLLECTIVE,
    SOAK_MEASURED,
    SOAK_LINEAR,
    SOAK_DLRM
} SoakWork;

typedef struct {
    uint64_t size, n_links, mb_per_s, latency_ns, efficiency_percent;
    gboolean one_way;
} SoakDim;

typedef struct {
    uint64_t a, b; /* in and out; or weights */
    uint64_t time_ns[3];
} SoakLayer;

typedef struct {
    uint64_t seed;
    gboolean defaults; /* see soak_case_make_default() */
    SoakTopology topology;
    uint64_t n_dims; /* 1 where there are none */
    SoakDim dims[3];
    /* npu */
    uint64_t n_sms, clock_mhz, gflops, launch_ns, bus_mb_per_s, hbm_mb_per_s;
    uint64_t side_mb_per_s, turnaround_percent, comm_weight, tile;
    gboolean shared;
    /* endpoint */
    SoakEndpoint endpoint;
    uint64_t message_cycles, share_mb_per_s, endpoint_sms;
    uint64_t sram_bytes, n_fsms, chunks_per_fsm, n_alus, alu_bytes;
    uint64_t sram_split, fsm_split;
    gboolean only_while_communicating;
    /* workload and training */
    SoakWork work;
    CollKind kind;
    uint64_t payload_bytes, repeat, batch;
    uint64_t n_layers, n_iterations;
    SoakLayer layers[SOAK_MAX_LAYERS];
    gboolean overlap, optimised, drain;
    /* collectives */
    uint64_t chunk_bytes, message_bytes, window; /* or CONFIG_AUTO */
    uint64_t chosen_window; /* what that was in the run of this case */
    uint64_t packet_bytes;
    uint64_t scheduler, algorithm, order;
    gboolean preempt, packet_fidelity;
    /* perturb */
    gboolean perturbed;
    uint64_t jitter_percent, distribution, slow_npu_percent, slow_link_percent;
} SoakCase;

void soak_case_init(SoakCase *c, uint64_t seed);

/* Changes @c so that no NPU ever has two messages to choose from: one
 * collective at a time, a chunk at a time, a message a step. */
void soak_case_make_chain(SoakCase *c);

/* So that it has a closed form, see soak_bounds.h: likewise, and all in one
 * chunk, over an idle network, in blocks that divide. */
void soak_case_make_exact(SoakCase *c);

/* What is not left as it is by default. */
typedef enum {
    SOAK_NOTHING,
    SOAK_SIZES_GIVEN,      /* chunks of 64 KiB, messages of 8, a window of 64 */
    SOAK_SIZES_KEPT,       /* what helps, helps with the sizes that were chosen
                            * for the largest collective without */
    SOAK_SPLIT_BY_LATENCY, /* of ACE */
} SoakVariant;

/* So that all that has a default has it, on a platform that is drawn as it is
 * with one link each way, under loads that fill chunks and windows. */
void soak_case_make_default(SoakCase *c, SoakVariant variant);

/* The run file of @c.  The caller frees it. */
char *soak_case_text(const SoakCase *c);

uint32_t soak_case_n_npus(const SoakCase *c);

/* Nothing in it can be faster than what it stands for: factors of NPUs are
 * above 1, of links below, and nothing is random. */
gboolean soak_case_only_slows(const SoakCase *c);

/* ACE's SRAM or FSMs are divided by how fast links and DMA are, so that faster
 * ones divide them anew. */
gboolean soak_case_is_split_by_rates(const SoakCase *c);

#endif
