/*
 * endpoint.h - who carries out the steps of collectives on an NPU
 *
 * The pipeline (pipeline.c) knows what has to be sent, received and reduced;
 * an endpoint decides when each of these is done and what it costs: HBM
 * traffic, SMs, SRAM, engines.  Each kind is a file in endpoints/ and a line
 * in endpoint.c.
 *
 * Units    bytes, bytes per second, ps
 * Errors   endpoint_new() sets CONFIG_ERROR at the node that is wrong
 * Owner    the NPU owns its endpoint
 */
#ifndef MODELS_ENDPOINT_H
#define MODELS_ENDPOINT_H

#include "models/compute.h"
#include "sim/core/config.h"
#include "sim/core/time.h"

typedef struct Endpoint Endpoint;

extern const ConfigRegistry endpoint_registry;

/* The first member of each kind's params struct, and its row. */
typedef struct {
    const char *name; /* what tables call this configuration */
    uint64_t n_tried; /* runs by which what was `auto` was chosen; 0: none */
} EndpointCommon;

#define ENDPOINT_COMMON_FIELDS(Struct)                                         \
    {                                                                          \
        .key = "name", .help = "what tables call this configuration",          \
        .type = CONFIG_NAME, .offset = offsetof(Struct, common.name),          \
        .fallback = "unnamed", .source = "none needed"                         \
    }

/* The row of a member that a kind has which can let go of @what it holds. */
#define ENDPOINT_RELEASE_FIELD(Struct, what)                                   \
    {                                                                          \
        .key = "only_while_communicating",                                     \
        .help = "give " what " back while no collective is under way",         \
        .type = CONFIG_BOOL,                                                   \
        .offset = offsetof(Struct, only_while_communicating),                  \
        .fallback = "false", .source = "ISCA21 recalled: a fixed partition"    \
    }

/* What the endpoint takes away from compute. */
typedef struct {
    uint64_t n_sms;
    uint64_t read_bytes_per_s;  /* share under `partitioned` */
    uint64_t write_bytes_per_s; /* likewise; beside it, see hbm.h */
    gboolean only_while_communicating;
} EndpointClaim;

/* Counted over a run, for one NPU; what a kind has not stays 0. */
typedef struct {
    uint64_t hbm_read_bytes, hbm_write_bytes;
    SimTime hbm_busy_ps; /* of the engine that reads */
    SimTime bus_busy_ps; /* of its outward direction */
    SimTime alu_busy_ps; /* summed over ALUs */
    SimTime fsm_busy_ps; /* summed over FSMs' chunk slots */
    uint64_t n_alus, n_fsm_slots;
    uint64_t sram_peak_bytes, sram_bytes;
    uint64_t sram_byte_us; /* occupancy over time */
} EndpointStats;

const char *endpoint_name(const ConfigVariant *config);
uint64_t endpoint_n_tried(const ConfigVariant *config);
EndpointClaim endpoint_claim(const ConfigVariant *config);

/*
 * What is `auto` is chosen by who runs a system, on a ladder: each step gives
 * communication more and compute less.  On a step, the last of its parts is
 * all that the step's SMs can use; the others give a part of what the step has
 * more than the one below it.
 */
#define ENDPOINT_N_PARTS 16

/* 0: nothing is `auto`. */
guint endpoint_n_steps(const ConfigVariant *config, const NpuConfig *npu);

/* Why @times as much of what binds would not be of use by itself, as a sentence
 * without its end; NULL: it would.  Owner: the caller. */
char *endpoint_cap(const ConfigVariant *config, const NpuConfig *npu,
                   guint times);

/* Sets what is `auto` in @params, a copy of @config's, to @part, 1 to
 * ENDPOINT_N_PARTS, of @step, from 0. */
void endpoint_take_step(const ConfigVariant *config, const NpuConfig *npu,
                        guint step, guint part, gpointer params);

#endif
