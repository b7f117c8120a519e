/* nccl_params.c - configuration keys of the stack `nccl`, with the sources of
 * defaults */
#include "models/stacks/nccl/nccl_params.h"

static const char *const algorithm_names[] = { "auto", "ring",      "tree",
                                               "nvls", "nvls-tree", "collnet",
                                               "pat",  NULL };

const char *const nccl_protocol_names[] = { "auto", "LL", "LL128", "Simple",
                                            NULL };

#define MOST_PS UINT64_C(1000000000000)

/* The configuration row of one step time of a protocol.  One set of constants
 * applies to all systems. */
#define STEP_FIELD(Key, Member, Reach, Fallback)                               \
    {                                                                          \
        .key = Key,                                                            \
        .help = "from having data to the peer's having it, " Reach             \
                ", the latency of links there included",                       \
        .type = CONFIG_TIME, .offset = offsetof(NcclProtocolParams, Member),   \
        .max = MOST_PS, .fallback = (Fallback), .source = "NCCLTUNING"         \
    }

#define PROTOCOL_FIELDS(Launch, Efficiency, EfficiencySource, Near, Host, Net, \
                        Slice, Posts)                                          \
    { .key = "launch_time",                                                    \
      .help = "of its kernel, until its first step",                           \
      .type = CONFIG_TIME,                                                     \
      .offset = offsetof(NcclProtocolParams, launch_ps),                       \
      .max = MOST_PS,                                                          \
      .fallback = (Launch),                                                    \
      .source = "NCCLTUNING" },                                                \
        { .key = "efficiency",                                                 \
          .help = "payload of what is sent; the rest are flags and what they " \
                  "cost",                                                      \
          .type = CONFIG_FRACTION,                                             \
          .offset = offsetof(NcclProtocolParams, efficiency_ppm),              \
          .min = 10000,                                                        \
          .max = 1000000,                                                      \
          .fallback = (Efficiency),                                            \
          .source = (EfficiencySource) },                                      \
        STEP_FIELD("near_step", near_step_ps, "over near links", Near),        \
        STEP_FIELD("host_step", host_step_ps, "through the host", Host),       \
        { .key = "network_step",                                               \
          .help = "likewise over the network, whose latency comes on top",     \
          .type = CONFIG_TIME,                                                 \
          .offset = offsetof(NcclProtocolParams, network_step_ps),             \
          .max = MOST_PS,                                                      \
          .fallback = (Net),                                                   \
          .source = "NCCLTUNING" },                                            \
        { .key = "slice",                                                      \
          .help = "what a channel passes on at a time",                        \
          .type = CONFIG_BYTES,                                                \
          .offset = offsetof(NcclProtocolParams, slice_bytes),                 \
          .min = 256,                                                          \
          .max = UINT64_C(1) << 30,                                            \
          .fallback = (Slice),                                                 \
          .source = "NCCLTUNING" },                                            \
    {                                                                          \
        .key = "posts",                                                        \
        .help = "of `post_time` for a message into the network; one less of "  \
                "Simple where no flush is needed: from 2.19.1 on, with GPUs "  \
                "whose switch adds",                                           \
        .type = CONFIG_COUNT, .offset = offsetof(NcclProtocolParams, n_posts), \
        .max = 100, .fallback = (Posts), .source = "NCCLTUNING"                \
    }

static const ConfigField ll_fields[] = {
    PROTOCOL_FIELDS(
        "6.6 us", "37.5 %",
        "fitted: 2 x L40S and 8 x A100, with 4 x L40S held out; the format alone says 50 %: flags are polled",
        "600 ns", "1 us", "2.7 us", "16 KiB", "1"),
    CONFIG_END,
};

static const ConfigField ll128_fields[] = {
    PROTOCOL_FIELDS("14 us", "62.5 %",
                    "fitted, as that of LL; the format alone says 120 of 128",
                    "1.25 us", "1.9 us", "4 us", "64 KiB", "1"),
    CONFIG_END,
};

static const ConfigField simple_fields[] = {
    PROTOCOL_FIELDS("8.4 us", "100 %", "NCCLTUNING: no flags among the data",
                    "3.4 us", "5.7 us", "14 us", "256 KiB", "3"),
    CONFIG_END,
};

static const ConfigField nvls_fields[] = {
    { .key = "launch_time",
      .help = "of its kernel, and the one step that it takes",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclSwitchParams, launch_ps),
      .max = MOST_PS,
      .fallback = "31.4 us",
      .source = "NCCLTUNING: 8.4 and 23 us" },
    { .key = "reckoned_time",
      .help = "the part of launch_time with which NCCL estimates NVLS when it "
              "chooses; auto: 23 us before 2.20.3, 25 us from there on",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclSwitchParams, model_launch_ps),
      .min = 1,
      .max = MOST_PS,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "NCCLTUNING: without the launch, 23 us in the sources of 2.19 "
                "and 25 us in those of 2.28; assumed: changed in 2.20.3" },
    { .key = "efficiency",
      .help = "of near links, which it reckons with when it chooses; what "
              "NVLS takes is the `reduce_rate` of the platform's switch",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NcclSwitchParams, efficiency_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "70.8333 %",
      .source = "NCCLTUNING: .85 x 5/6 on Hopper" },
    { .key = "fast_efficiency",
      .help = "likewise, where near links are fast",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NcclSwitchParams, fast_efficiency_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "61.6667 %",
      .source = "NCCLTUNING: .74 x 5/6 on Blackwell" },
    { .key = "fast_from",
      .help = "near links of a GPU, all together, that are fast",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(NcclSwitchParams, fast_bytes_per_s),
      .min = 1,
      .max = UINT64_C(1000000000000000),
      .fallback = "500 GB/s",
      .source = "assumed: between Hopper and Blackwell" },
    { .key = "slice",
      .help =
          "of a channel and a rank, that goes up at a time; down to an eighth of "
          "it where the payload is small",
      .type = CONFIG_BYTES,
      .offset = offsetof(NcclSwitchParams, slice_bytes),
      .min = 256,
      .max = UINT64_C(1) << 30,
      .fallback = "128 KiB",
      .source = "NCCLTUNING: NCCL_NVLS_CHUNKSIZE" },
    { .key = "tree_slice",
      .help =
          "likewise through several machines; auto: 512 KiB before 2.20.3, from "
          "there on `slice`; 64 KiB of four machines from 2.19.3 on; and less "
          "where the payload is small",
      .type = CONFIG_BYTES,
      .offset = offsetof(NcclSwitchParams, tree_slice_bytes),
      .min = 256,
      .max = UINT64_C(1) << 30,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "NCCLTUNING: NCCL_NVLSTREE_MAX_CHUNKSIZE" },
    { .key = "channels",
      .help = "blocks, each on a separate SM",
      .type = CONFIG_COUNT,
      .offset = offsetof(NcclSwitchParams, n_channels),
      .min = 1,
      .max = 64,
      .fallback = "16",
      .source = "NCCLTUNING: of Hopper" },
    { .key = "fast_channels",
      .help = "likewise, where near links are fast",
      .type = CONFIG_COUNT,
      .offset = offsetof(NcclSwitchParams, n_fast_channels),
      .min = 1,
      .max = 1000,
      .fallback = "32",
      .source = "NCCLTUNING: of Blackwell" },
    CONFIG_END,
};

static const ConfigField collnet_fields[] = {
    { .key = "launch_time",
      .help = "of its kernel, and its step over the network",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclCollnetParams, launch_ps),
      .max = MOST_PS,
      .fallback = "31 us",
      .source = "NCCLTUNING: nothing on top of the step" },
    { .key = "nvls_time",
      .help = "likewise on top of NVLS's, where switches of machines add",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclCollnetParams, nvls_ps),
      .max = MOST_PS,
      .fallback = "18 us",
      .source = "NCCLTUNING" },
    { .key = "direct_step",
      .help = "each way in a machine with a switch between its GPUs",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclCollnetParams, direct_step_ps),
      .max = MOST_PS,
      .fallback = "3.7 us",
      .source = "NCCLTUNING" },
    { .key = "peer_step",
      .help = "and for each other GPU there",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclCollnetParams, peer_step_ps),
      .max = MOST_PS,
      .fallback = "400 ns",
      .source = "NCCLTUNING" },
    { .key = "chain_step",
      .help = "from GPU to GPU in a machine without",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclCollnetParams, chain_step_ps),
      .max = MOST_PS,
      .fallback = "2.8 us",
      .source = "NCCLTUNING" },
    { .key = "efficiency",
      .help = "of the network, which it reckons with when it chooses; what "
              "it takes is the `reduce_rate` of the platform's outer switch",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NcclCollnetParams, efficiency_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "50 %",
      .source = "NCCLTUNING: its ratio" },
    { .key = "early_launch_time",
      .help = "instead of `launch_time` before 2.14.3",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclCollnetParams, early_launch_ps),
      .max = MOST_PS,
      .fallback = "10.7 us",
      .source = "NCCLTUNING: of 2.8" },
    { .key = "early_step",
      .help = "from GPU to GPU in a machine, likewise",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclCollnetParams, early_step_ps),
      .max = MOST_PS,
      .fallback = "4 us",
      .source = "NCCLTUNING: of 2.8" },
    { .key = "ll_launch_time",
      .help = "of LL, which there is likewise",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclCollnetParams, ll_launch_ps),
      .max = MOST_PS,
      .fallback = "9.4 us",
      .source = "NCCLTUNING: 4.4 and 5 us of 2.8" },
    { .key = "ll_step",
      .help = "of LL, likewise",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclCollnetParams, ll_step_ps),
      .max = MOST_PS,
      .fallback = "900 ns",
      .source = "NCCLTUNING: 1.8 times 500 ns of 2.8" },
    { .key = "ll_efficiency",
      .help = "of LL's links, likewise",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NcclCollnetParams, ll_efficiency_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "16.6667 %",
      .source = "NCCLTUNING: a sixth, of 2.8" },
    CONFIG_END,
};

static const ConfigField pat_fields[] = {
    { .key = "step_time",
      .help = "of each of its steps over the network, whose latency comes on "
              "top",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclPatParams, step_ps),
      .max = MOST_PS,
      .fallback = "4 us",
      .source = "NCCLTUNING: 14 us of 3.5, later versions" },
    { .key = "rank_time",
      .help = "for each rank, once",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclPatParams, rank_ps),
      .max = MOST_PS,
      .fallback = "2.8 us",
      .source = "NCCLTUNING: later versions" },
    { .key = "efficiency",
      .help = "of the network",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NcclPatParams, efficiency_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "75 %",
      .source = "NCCLTUNING: later versions" },
    CONFIG_END,
};

#define SECTION(Key, Help, Member, Fields)                                     \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_SECTION,                  \
        .offset = offsetof(NcclParams, Member), .fields = (Fields),            \
        .fallback = "{}"                                                       \
    }

const ConfigField nccl_fields[] = {
    STACK_COMMON_FIELDS(NcclParams),
    { .key = "version",
      .help = "release of NCCL, such as 2.18.5, or latest: what later ones "
              "brought is not there",
      .type = CONFIG_NAME,
      .offset = offsetof(NcclParams, version),
      .fallback = "latest",
      .source = "NCCLNOTES" },
    { .key = "algorithm",
      .help = "as NCCL_ALGO pins it; auto: the least time by its own model",
      .type = CONFIG_ENUM,
      .offset = offsetof(NcclParams, algorithm),
      .names = algorithm_names,
      .fallback = "auto",
      .source = "NCCLTUNING" },
    { .key = "protocol",
      .help = "as NCCL_PROTO pins it; auto: likewise",
      .type = CONFIG_ENUM,
      .offset = offsetof(NcclParams, protocol),
      .names = nccl_protocol_names,
      .fallback = "auto",
      .source = "NCCLTUNING" },
    { .key = "channels",
      .help = "as NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS pin them; auto: "
              "twice as many as a GPU has near links, and 2 at least",
      .type = CONFIG_COUNT,
      .offset = offsetof(NcclParams, n_channels),
      .min = 1,
      .max = 64,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "NCCLTUNING" },
    { .key = "most_channels",
      .help = "where they are `auto`",
      .type = CONFIG_COUNT,
      .offset = offsetof(NcclParams, most_channels),
      .min = 1,
      .max = 1000,
      .fallback = "24",
      .source = "assumed: what 8 x A100 and H100 take" },
    { .key = "post_time",
      .help = "of a GPU's thread on the host to hand a request to a NIC, one "
              "after the other",
      .type = CONFIG_TIME,
      .offset = offsetof(NcclParams, post_ps),
      .max = MOST_PS,
      .fallback = "1 us",
      .source = "NCCLTUNING: with CPUs of AMD 2 us" },
    { .key = "stripes",
      .help = "requests for each large message, one a card",
      .type = CONFIG_COUNT,
      .offset = offsetof(NcclParams, n_stripes),
      .min = 1,
      .max = 64,
      .fallback = "1",
      .source = "assumed: a plugin's for several cards a GPU may make more" },
    { .key = "stripe_above",
      .help = "messages that are large for that",
      .type = CONFIG_BYTES,
      .offset = offsetof(NcclParams, stripe_bytes),
      .max = UINT64_C(1) << 40,
      .fallback = "256 KiB",
      .source = "AWSOFI: 8 KiB before 1.7.4" },
    { .key = "tree_efficiency",
      .help = "of links, in a machine and between machines, where GPUs pass on "
              "what a tree brings: from three GPUs on",
      .type = CONFIG_FRACTION,
      .offset = offsetof(NcclParams, tree_ppm),
      .min = 10000,
      .max = 1000000,
      .fallback = "92 %",
      .source = "NCCLTUNING" },
    { .key = "tree_channel_rate",
      .help = "with which NCCL reckons at most for each channel of a tree "
              "through several machines; auto: its figure for the GPU's "
              "generation, told by its near links, and two or more machines",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(NcclParams, tree_channel_bytes_per_s),
      .min = 1,
      .max = UINT64_C(1000000000000000),
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "NCCLTUNING: perChMaxTreeBws" },
    SECTION("LL", "8 bytes of data with 8 of flags: short steps",
            protocols[NCCL_LL], ll_fields),
    SECTION("LL128", "120 bytes of data with 8 of flags", protocols[NCCL_LL128],
            ll128_fields),
    SECTION("Simple", "data alone, a fence for each slice",
            protocols[NCCL_SIMPLE], simple_fields),
    SECTION("nvls", "added in the switch", nvls, nvls_fields),
    SECTION("collnet", "added in switches between machines: SHARP", collnet,
            collnet_fields),
    SECTION("pat", "all-gather and reduce-scatter, one GPU a machine", pat,
            pat_fields),
    CONFIG_END,
};
