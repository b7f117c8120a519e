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

#include "sim/core/config.h"
#include "sim/core/time.h"

typedef struct Endpoint Endpoint;

extern const ConfigRegistry endpoint_registry;

/* The first member of each kind's params struct, and its row. */
typedef struct {
    const char *name; /* what tables call this configuration */
} EndpointCommon;

#define ENDPOINT_COMMON_FIELDS(Struct)                                         \
    {                                                                          \
        .key = "name", .help = "what tables call this configuration",          \
        .type = CONFIG_NAME, .offset = offsetof(Struct, common.name),          \
        .fallback = "unnamed", .source = "none needed"                         \
    }

/* What the endpoint takes away from compute. */
typedef struct {
    uint64_t n_sms;
    uint64_t read_bytes_per_s;  /* share under `partitioned` */
    uint64_t write_bytes_per_s; /* likewise; beside it, see hbm.h */
    /* What reads at their share bring with them, under `charge_writes`. */
    uint64_t unpaced_write_bytes_per_s;
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

#endif
