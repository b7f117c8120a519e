/*
 * endpoint_params.h - parameters that all kinds of endpoints have
 *
 * Units    ps, NPU cycles
 */
#ifndef MODELS_ENDPOINTS_ENDPOINT_PARAMS_H
#define MODELS_ENDPOINTS_ENDPOINT_PARAMS_H

#include "models/collectives/collective_request.h"
#include "sim/config/config.h"

/* The words of EndpointCommon.algorithm, in the order of CollSwitches. */
extern const char *const endpoint_algorithm_names[];

/* The parameters of all kinds of endpoints: the first member of the parameter
 * struct of each kind. */
typedef struct {
    const char *name; /* name of this configuration in tables */
    /* The stack of the run decides the collectives that the endpoint carries
     * out, and charges its own launch and step times.  FALSE: the section
     * `collectives` decides, and the times of the endpoint apply. */
    gboolean uses_stack;
    int algorithm; /* CollSwitches: what the stack has to take */
    /* Limits of the chunks of its collectives: bytes of one, and number in
     * flight on an NPU; 0: no limit. */
    uint64_t most_chunk_bytes, most_chunks;
    uint64_t n_tried; /* runs that were needed to choose `auto` keys; 0: none */
} EndpointCommon;

#define ENDPOINT_NAME_FIELD(Struct)                                            \
    {                                                                          \
        .key = "name", .help = "what tables call this configuration",          \
        .type = CONFIG_NAME, .offset = offsetof(Struct, common.name),          \
        .fallback = "unnamed", .source = "none needed"                         \
    }

/* The rows of EndpointCommon in the field table of a kind. */
#define ENDPOINT_COMMON_FIELDS(Struct)                                         \
    ENDPOINT_NAME_FIELD(Struct),                                               \
        { .key = "uses_stack",                                                 \
          .help = "the run's `stack` decides the collectives and charges its " \
                  "costs; false: `collectives` decides, and the times here "   \
                  "apply, as for an engine that no library drives",            \
          .type = CONFIG_BOOL,                                                 \
          .offset = offsetof(Struct, common.uses_stack),                       \
          .fallback = "true",                                                  \
          .source = "a library drives SMs and copy engines" },                 \
        { .key = "algorithm",                                                  \
          .help = "what the stack has to take: nvls: the switches of a "       \
                  "machine add and multicast; sharp: those between machines "  \
                  "add; auto: the stack chooses",                              \
          .type = CONFIG_ENUM,                                                 \
          .offset = offsetof(Struct, common.algorithm),                        \
          .names = endpoint_algorithm_names,                                   \
          .fallback = "auto",                                                  \
          .source = "the stack chooses" },                                     \
        { .key = "most_chunk",                                                 \
          .help = "largest chunk of its collectives; 0 B: no limit",           \
          .type = CONFIG_BYTES,                                                \
          .offset = offsetof(Struct, common.most_chunk_bytes),                 \
          .max = UINT64_C(1) << 40,                                            \
          .fallback = "0 B",                                                   \
          .source = "no limit" },                                              \
    {                                                                          \
        .key = "most_chunks",                                                  \
        .help = "chunks of its collectives in flight on an NPU, such as the "  \
                "flows of a switch that adds; 0: no limit",                    \
        .type = CONFIG_COUNT, .offset = offsetof(Struct, common.most_chunks),  \
        .max = 1000000, .fallback = "0", .source = "no limit"                  \
    }

/* Fixed costs, which do not depend on the component that moves the data: see
 * .launch_ps, .step_ps and .message_ps of Endpoint.  0 means no cost. */
typedef struct {
    uint64_t launch_ps, step_ps;
    uint64_t message_cycles;
} EndpointCosts;

/* The longest of such times that endpoints usually have (assumed: a thousand
 * launches of a kernel); longer ones are probably slips of the unit. */
#define ENDPOINT_USUAL_MAX_PS UINT64_C(5000000000)

/* The rows of EndpointCosts in the field table of a kind; the member is
 * @Struct.costs.  Launch and Step are defaults, each followed by its source. */
#define ENDPOINT_COST_FIELDS(Struct, Launch, LaunchSource, Step, StepSource)   \
    { .key = "launch_time",                                                    \
      .help =                                                                  \
          "from the issue of a collective until its first chunk may start; "   \
          "0 ns: none",                                                        \
      .type = CONFIG_TIME,                                                     \
      .offset = offsetof(Struct, costs.launch_ps),                             \
      .usual_max = ENDPOINT_USUAL_MAX_PS,                                      \
      .max = UINT64_C(1000000000000),                                          \
      .fallback = (Launch),                                                    \
      .source = (LaunchSource) },                                              \
        { .key = "step_time",                                                  \
          .help = "before the messages of a step go out, for its "             \
                  "synchronisation; 0 ns: none",                               \
          .type = CONFIG_TIME,                                                 \
          .offset = offsetof(Struct, costs.step_ps),                           \
          .usual_max = ENDPOINT_USUAL_MAX_PS,                                  \
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

/* The row of the member .only_while_communicating, for a kind that can release
 * @what it holds. */
#define ENDPOINT_RELEASE_FIELD(Struct, what)                                   \
    {                                                                          \
        .key = "only_while_communicating",                                     \
        .help = "give " what " back while no collective is in flight",         \
        .type = CONFIG_BOOL,                                                   \
        .offset = offsetof(Struct, only_while_communicating),                  \
        .fallback = "false", .source = "ISCA21 recalled: a fixed partition"    \
    }

#endif
