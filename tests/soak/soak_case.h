/*
 * soak_case.h - a random system as a struct of numbers that tests can change
 *
 * A seed determines a case.  Each number is drawn from a random stream of its
 * own name (sim/core/rng.h), so a new number does not change the others, and
 * the order of drawing does not matter.
 *
 * Units: MB/s, KiB or ns if the name says so; otherwise as in
 * YAML. */
#ifndef TESTS_SOAK_SOAK_CASE_H
#define TESTS_SOAK_SOAK_CASE_H

#include "models/run/system.h"

#define SOAK_MAX_LAYERS  5
#define SOAK_N_SHARDINGS 4

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
    /* The sizes of the inputs and outputs, or the number of weights. */
    uint64_t a, b;
    uint64_t time_ns[3];
} SoakLayer;

typedef struct {
    uint64_t seed;
    gboolean defaults; /* TRUE if soak_case_make_default() has made the case. */
    SoakTopology topology;
    /* The number of dimensions; 1 for topologies without dimensions. */
    uint64_t n_dims;
    SoakDim dims[3];
    /* The fields of the section `npu`. */
    uint64_t n_sms, clock_mhz, gflops, launch_ns, bus_mb_per_s, hbm_mb_per_s;
    uint64_t side_mb_per_s, turnaround_percent, comm_weight, tile;
    gboolean shared;
    /* The fields of the section `endpoint`. */
    SoakEndpoint endpoint;
    uint64_t message_cycles, share_mb_per_s, endpoint_sms;
    uint64_t sram_bytes, n_fsms, chunks_per_fsm, n_alus, alu_bytes;
    uint64_t sram_split, fsm_split;
    gboolean only_while_communicating;
    /* The fields of the sections `workload` and `training`. */
    SoakWork work;
    /* 0: whole gradients; else zero-1, zero-2, fsdp */
    uint64_t sharding;
    CollKind kind;
    uint64_t payload_bytes, repeat, batch;
    uint64_t n_layers, n_iterations;
    SoakLayer layers[SOAK_MAX_LAYERS];
    gboolean overlap, optimised, drain;
    /* The fields of the section `collectives`. */
    /* The sizes may be CONFIG_AUTO. */
    uint64_t chunk_bytes, message_bytes, window;
    /* The window that the run of the unchanged case has chosen. */
    uint64_t chosen_window;
    uint64_t packet_bytes;
    uint64_t scheduler, algorithm, order;
    gboolean preempt, packet_fidelity;
    /* The fields of the section `perturb`. */
    gboolean perturbed;
    uint64_t jitter_percent, distribution, slow_npu_percent, slow_link_percent;
} SoakCase;

void soak_case_init(SoakCase *c, uint64_t seed);

/* Changes @c so that no NPU ever chooses between messages: one collective at a
 * time, one chunk at a time, one message per step. */
void soak_case_make_chain(SoakCase *c);

/* Changes @c so that soak_exact_time_ps() applies: no choices, as in
 * soak_case_make_chain(), one chunk, an idle network, and blocks that divide
 * the payload evenly. */
void soak_case_make_exact(SoakCase *c);

/* The exceptions to default settings. */
typedef enum {
    SOAK_NOTHING,
    /* The chunks have 64 KiB, the messages 8 KiB, and the window is 64. */
    SOAK_SIZES_GIVEN,
    /* The sizes chosen for the unchanged case are kept in improved ones. */
    SOAK_SIZES_KEPT,
    SOAK_SPLIT_BY_LATENCY, /* The SRAM and FSMs of ACE are split by latency. */
} SoakVariant;

/* Changes @c to default settings, except for @variant, on a platform with one
 * link in each direction and with payloads that fill chunks and windows. */
void soak_case_make_default(SoakCase *c, SoakVariant variant);

/* Returns the run file of @c, which the caller frees. */
char *soak_case_text(const SoakCase *c);

uint32_t soak_case_n_npus(const SoakCase *c);

/* Returns TRUE if perturbations can only slow the run: factors of NPUs are
 * above 1, those of links below 1, and there is no jitter. */
gboolean soak_case_only_slows(const SoakCase *c);

/* Returns TRUE if ACE divides its SRAM or FSMs by the speed of links and DMA,
 * so that faster links change the division. */
gboolean soak_case_is_split_by_rates(const SoakCase *c);

#endif
