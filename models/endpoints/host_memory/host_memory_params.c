/* host_memory_params.c - configuration keys and resources of the
 * host endpoint */
#include "models/endpoints/host_memory/host_memory_params.h"

#define MOST_PS          UINT64_C(1000000000000)
#define MOST_BYTES_PER_S UINT64_C(1000000000000000)

#define RATE_FIELD(Key, Help, Member)                                          \
    {                                                                          \
        .key = Key, .help = Help "; 0 B/s: that takes no time",                \
        .type = CONFIG_BANDWIDTH,                                              \
        .offset = offsetof(HostMemoryParams, Member), .max = MOST_BYTES_PER_S, \
        .fallback = "0 B/s", .source = "assumed: none"                         \
    }

const ConfigField host_memory_fields[] = {
    ENDPOINT_COMMON_FIELDS(HostMemoryParams),
    RATE_FIELD("staging_bandwidth",
               "of copies between NPU and host, each way: out before a chunk's "
               "first step, back after its last",
               staging_bytes_per_s),
    { .key = "staging_launch",
      .help = "before each of these copies",
      .type = CONFIG_TIME,
      .offset = offsetof(HostMemoryParams, staging_launch_ps),
      .usual_max = ENDPOINT_USUAL_MAX_PS,
      .max = MOST_PS,
      .fallback = "0 ns",
      .source = "assumed: nothing" },
    { .key = "copies_back",
      .help = "of what has come, one after the other: to each GPU of a node "
              "that is one rank",
      .type = CONFIG_COUNT,
      .offset = offsetof(HostMemoryParams, n_copies_back),
      .min = 1,
      .max = 64,
      .fallback = "1",
      .source = "assumed: a rank a GPU" },
    RATE_FIELD("buffer_bandwidth",
               "rate at which cores copy a chunk from the send to the receive "
               "buffer, before its first step",
               buffer_bytes_per_s),
    RATE_FIELD("reduce_bandwidth", "at which cores add what a message brings",
               reduce_bytes_per_s),
    RATE_FIELD("scale_bandwidth",
               "at which a core divides the sum by the ranks, before it goes "
               "back",
               scale_bytes_per_s),
    RATE_FIELD(
        "message_bandwidth",
        "at which a thread of the process gives messages to the network, "
        "and another takes them from it",
        message_bytes_per_s),
    ENDPOINT_COST_FIELDS(HostMemoryParams, "0 ns",
                         "the stack has it, if there is one", "0 ns",
                         "the stack has it, if there is one"),
    CONFIG_END,
};

const ResourceKind host_memory_resources[HOST_N_OWN + 1] = {
    [HOST_CORES] = { .name = "host_cores",
                     .name_in_sentence = "the host's cores",
                     .title = "host cores",
                     .doubles = "endpoint.reduce_bandwidth",
                     .help = "messages that are added, and copies and scaling "
                             "in host memory" },
    [HOST_STAGING] = { .name = "staging",
                       .name_in_sentence = "copies between NPU and host",
                       .title = "copies to and from the host",
                       .doubles = "endpoint.staging_bandwidth",
                       .halves = "endpoint.staging_launch",
                       .help = "chunks before their first step, and after "
                               "their last" },
    [HOST_MESSAGES] = { .name = "host_messages",
                        .name_in_sentence = "the threads that pass messages",
                        .title = "passing of messages",
                        .doubles = "endpoint.message_bandwidth",
                        .help = "messages that leave, and messages that have "
                                "come" },
};
