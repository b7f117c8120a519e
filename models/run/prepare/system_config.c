/* system_config.c - the keys of a run file, with their defaults and checks */
#include "models/collectives/dimension_orders.h"
#include "models/endpoints/endpoint.h"
#include "models/endpoints/resource_shares.h"
#include "models/run/system.h"

G_DEFINE_QUARK(system - error - quark, system_error)

/* Completes the configuration after reading: takes the notes on rounded values,
 * and resolves sizes that are given as shares of the NPU. */
static void resolve_shares_and_notes(const ConfigDoc *doc, gpointer base)
{
    SystemConfig *config = base;

    config->rounded = config_doc_notes(doc);
    endpoint_resolve_shares(&config->endpoint, &config->platform.npu);
}

static const char *const scheduler_names[] = { "fair", "lifo", "fifo",
                                               "priority", NULL };

static const char *const fidelity_names[] = { "message", "packet", NULL };

const ConfigField platform_fields[] = {
    { .key = "name",
      .help = "what tables call the platform",
      .type = CONFIG_NAME,
      .offset = offsetof(PlatformConfig, name),
      .fallback = "unnamed",
      .source = "none needed" },
    { .key = "topology",
      .help = "how NPUs are joined",
      .type = CONFIG_KIND,
      .offset = offsetof(PlatformConfig, topology),
      .registry = &topology_registry },
    { .key = "npu",
      .help = "the accelerator",
      .type = CONFIG_SECTION,
      .offset = offsetof(PlatformConfig, npu),
      .node_offset = offsetof(PlatformConfig, npu_node),
      .fields = npu_fields },
    CONFIG_END,
};

const ConfigField collective_fields[] = {
    { .key = "chunk",
      .help = "the unit that is pipelined through the phases",
      .type = CONFIG_BYTES,
      .offset = offsetof(CollectiveConfig, chunk_bytes),
      .min = 64,
      .max = UINT64_C(1) << 40,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "derived: collectives/chunking.h; ISCA21 has 64 KiB" },
    { .key = "message",
      .help = "the most that one message carries",
      .type = CONFIG_BYTES,
      .offset = offsetof(CollectiveConfig, message_bytes),
      .min = 64,
      .max = UINT64_C(1) << 40,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "derived: collectives/chunking.h; ISCA21 has 8 KiB" },
    { .key = "packet",
      .help = "what a node must have before it forwards",
      .type = CONFIG_BYTES,
      .offset = offsetof(CollectiveConfig, packet_bytes),
      .min = 1,
      .max = UINT64_C(1) << 40,
      .fallback = "256 B",
      .source = "ISCA21 recalled" },
    { .key = "fidelity",
      .help = "message: trains of packets; packet: each of them, slow",
      .type = CONFIG_ENUM,
      .offset = offsetof(CollectiveConfig, fidelity),
      .names = fidelity_names,
      .fallback = "message",
      .source = "how far off: validate/README.md" },
    { .key = "buffer",
      .help = "at a link's far end, under `packet`",
      .type = CONFIG_BYTES,
      .offset = offsetof(CollectiveConfig, buffer_bytes),
      .min = 1,
      .max = UINT64_C(1) << 40,
      .fallback = "64 KiB",
      .source = "assumed: 4.6 times rate x latency of a 25 GB/s, 402 ns link" },
    { .key = "window",
      .help = "chunks in flight on an NPU",
      .type = CONFIG_COUNT,
      .offset = offsetof(CollectiveConfig, window),
      .min = 1,
      .max = 1000000,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "derived: collectives/chunking.h" },
    { .key = "scheduler",
      .help = "which pending collective goes first: fair: each group of the "
              "workload is a communicator, works its collectives and messages "
              "off in order and shares NPUs and links evenly with others; "
              "lifo, fifo, priority: one order for all",
      .type = CONFIG_ENUM,
      .offset = offsetof(CollectiveConfig, scheduler),
      .names = scheduler_names,
      .fallback = "fair",
      .source = "each communicator of NCCL has its own stream and queue "
                "pairs; ISCA21 is `lifo`" },
    { .key = "preempt",
      .help = "choose anew for every chunk",
      .type = CONFIG_BOOL,
      .offset = offsetof(CollectiveConfig, preempt),
      .fallback = "true",
      .source = "assumed; the public code does not" },
    { .key = "algorithm",
      .help = "auto: by dimension on a torus, hierarchical on other "
              "dimensions, direct if fully connected, an all-reduce in-switch "
              "where that adds, else halving-doubling or ring; all-to-all "
              "direct, barrier bruck, gather and scatter linear, broadcast and "
              "reduce chain on rings, elsewhere double-binary-tree; a named "
              "algorithm that has no all-reduce, reduce-scatter or all-gather "
              "is refused for it, and leaves other kinds to auto",
      .type = CONFIG_ENUM,
      .offset = offsetof(CollectiveConfig, algorithm),
      .names = coll_algorithm_names,
      .fallback = "auto",
      .source = "ISCA21" },
    { .key = "levels",
      .help = "of `hierarchical`: what each dimension of the platform takes, "
              "inmost first; those not given take `auto`; with `auto`, what "
              "has levels goes by them",
      .type = CONFIG_LIST,
      .offset = offsetof(CollectiveConfig, levels),
      .max = COLL_MAX_DIMS,
      .item = &coll_level_item,
      .item_size = sizeof(int),
      .fallback = "[]",
      .source = "assumed: by the shape of each" },
    { .key = "choices",
      .help = "rows before `algorithm`: the first that fits a collective's "
              "kind, ranks and bytes chooses for it",
      .type = CONFIG_LIST,
      .offset = offsetof(CollectiveConfig, choices),
      .max = 1000,
      .item = &coll_choice_item,
      .item_size = sizeof(CollChoice),
      .fallback = "[]",
      .source = "assumed: one algorithm for all" },
    { .key = "order",
      .help = "order of the dimensions of a torus: fixed: the platform's; "
              "rotated: chunks begin with each dimension in turn; auto: "
              "fixed, unless short simulations show that another is faster",
      .type = CONFIG_ENUM,
      .offset = offsetof(CollectiveConfig, order),
      .names = coll_order_names,
      .fallback = "auto",
      .source = "ISCA21 is `fixed`; assumed: no library is so simple" },
    CONFIG_END,
};

const ConfigField system_fields[] = {
    { .key = "platform",
      .help = "NPUs and what joins them",
      .type = CONFIG_SECTION,
      .offset = offsetof(SystemConfig, platform),
      .fields = platform_fields },
    { .key = "endpoint",
      .help = "what carries out collectives; `endpoints` of several: a map "
              "from axes of parallelism to endpoints",
      .type = CONFIG_KIND,
      .offset = offsetof(SystemConfig, endpoint),
      .settle = resolve_shares_and_notes,
      .registry = &endpoint_registry,
      .without_kind = "by-axis",
      .alias = "endpoints" },
    { .key = "stack",
      .help = "the library that decides how collectives are done",
      .type = CONFIG_KIND,
      .offset = offsetof(SystemConfig, stack),
      .registry = &stack_registry,
      .fallback = "{kind: none}",
      .source = "ISCA21 has none" },
    { .key = "workload",
      .help = "what is trained",
      .type = CONFIG_KIND,
      .offset = offsetof(SystemConfig, workload),
      .registry = &workload_registry },
    { .key = "training",
      .help = "how the training loop goes",
      .type = CONFIG_SECTION,
      .offset = offsetof(SystemConfig, training),
      .node_offset = offsetof(SystemConfig, training.node),
      .fields = training_fields,
      .fallback = "{}" },
    { .key = "collectives",
      .help = "how collectives are cut and scheduled",
      .type = CONFIG_SECTION,
      .offset = offsetof(SystemConfig, collectives),
      .node_offset = offsetof(SystemConfig, collectives.node),
      .fields = collective_fields,
      .fallback = "{}" },
    { .key = "perturb",
      .help = "stragglers, slow links, jitter",
      .type = CONFIG_SECTION,
      .offset = offsetof(SystemConfig, perturb),
      .fields = perturb_fields,
      .fallback = "{}" },
    CONFIG_END,
};
