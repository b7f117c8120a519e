/*
 * endpoint.h - who carries out the steps of collectives on an NPU
 *
 * The pipeline (pipeline.c) knows what has to be sent, received and reduced;
 * an endpoint decides when each of these is done and what it costs: HBM
 * traffic, SMs, engines, room.  Each kind is a file in endpoints/ and a line
 * in endpoint.c.
 *
 * Units    bytes, bytes per second, ps
 * Errors   endpoint_new() sets CONFIG_ERROR at the node that is wrong
 * Owner    the NPU owns its endpoint
 */
#ifndef MODELS_ENDPOINTS_ENDPOINT_H
#define MODELS_ENDPOINTS_ENDPOINT_H

#include "models/npu/compute.h"
#include "models/trace/resource.h"
#include "sim/config/config.h"
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

/* What it takes to get going, whoever moves the data; see .launch_ps, .step_ps
 * and .message_ps in endpoint_impl.h.  0 each: nothing. */
typedef struct {
    uint64_t launch_ps, step_ps;
    uint64_t message_cycles;
} EndpointCosts;

/* The rows of EndpointCosts for a kind's field table; @Struct.costs is it.
 * Each of Launch and Step is a fallback and its source. */
#define ENDPOINT_COST_FIELDS(Struct, Launch, LaunchSource, Step, StepSource)   \
    { .key = "launch_time",                                                    \
      .help =                                                                  \
          "from the issue of a collective until its first chunk may start; "   \
          "0 ns: none",                                                        \
      .type = CONFIG_TIME,                                                     \
      .offset = offsetof(Struct, costs.launch_ps),                             \
      .max = UINT64_C(1000000000000),                                          \
      .fallback = (Launch),                                                    \
      .source = (LaunchSource) },                                              \
        { .key = "step_time",                                                  \
          .help = "before the messages of a step go out, for its "             \
                  "synchronisation; 0 ns: none",                               \
          .type = CONFIG_TIME,                                                 \
          .offset = offsetof(Struct, costs.step_ps),                           \
          .max = UINT64_C(1000000000000),                                      \
          .fallback = (Step),                                                  \
          .source = (StepSource) },                                            \
    {                                                                          \
        .key = "message_cycles",                                               \
        .help = "NPU cycles before a message goes out", .type = CONFIG_COUNT,  \
        .offset = offsetof(Struct, costs.message_cycles), .max = 1000000,      \
        .fallback = "1",                                                       \
        .source = "ISCA21 recalled for ideal; assumed for the others"          \
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
    /* What reads at their share bring with them, under `charge_writes`. */
    uint64_t unpaced_write_bytes_per_s;
    gboolean only_while_communicating;
    gboolean sms_only_while_reducing; /* chunks that an NPU adds to */
} EndpointClaim;

/* Counted over a run, for one NPU; what a kind has not stays 0. */
typedef struct {
    uint64_t hbm_read_bytes, hbm_write_bytes;
    SimTime hbm_busy_ps; /* of the engine that reads */
    SimTime bus_busy_ps; /* of its outward direction */
} EndpointStats;

/* The resources that are @kind's own, which a name of NULL ends; NULL: none. */
const ResourceKind *endpoint_resources(const ConfigKind *kind);

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
