/*
 * params.h - what parameters of endpoints have in common, whatever the kind
 *
 * Units    ps, NPU cycles
 */
#ifndef MODELS_ENDPOINTS_PARAMS_H
#define MODELS_ENDPOINTS_PARAMS_H

#include "sim/config/config.h"

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
 * and .message_ps of Endpoint.  0 each: nothing. */
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

#endif
