/* graph_fields.c - the configuration fields of a graph */
#include "network/topologies/graph_fields.h"

static const char *const equal_cost_names[] = { "hash", "first", NULL };

static const ConfigField node_fields[] = {
    { .key = "name",
      .help = "by which links name it",
      .type = CONFIG_NAME,
      .offset = offsetof(GraphNode, name) },
    { .key = "kind",
      .help = "npu; nic, where `nested` joins it to others; pcie and cpu, of "
              "the host; any other word for what else passes messages on",
      .type = CONFIG_NAME,
      .offset = offsetof(GraphNode, kind) },
    CONFIG_END,
};

static const ConfigField link_fields[] = {
    { .key = "from",
      .help = "the name of a node",
      .type = CONFIG_NAME,
      .offset = offsetof(GraphLink, from) },
    { .key = "to",
      .help = "the name of another",
      .type = CONFIG_NAME,
      .offset = offsetof(GraphLink, to) },
    TOPOLOGY_LINK_FIELDS(GraphLink, "in parallel, each way"),
    { .key = "both_ways",
      .help = "as much back",
      .type = CONFIG_BOOL,
      .offset = offsetof(GraphLink, both_ways),
      .fallback = "true",
      .source = "assumed: cables are full-duplex" },
    CONFIG_END,
};

static const ConfigField name_item = {
    .key = "name",
    .help = "of a node: from, to",
    .type = CONFIG_NAME,
};

static const ConfigField pair_item = {
    .key = "link",
    .help = "one direction of a link",
    .type = CONFIG_LIST,
    .min = 2,
    .max = 2,
    .item = &name_item,
    .item_size = sizeof(const char *),
};

static const ConfigField limit_fields[] = {
    { .key = "name",
      .help = "for messages",
      .type = CONFIG_NAME,
      .offset = offsetof(GraphLimit, name) },
    { .key = "bandwidth",
      .help = "of payload, for all of the links together",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(GraphLimit, bytes_per_s),
      .usual_min = TOPOLOGY_USUAL_MIN_BYTES_PER_S,
      .min = UINT64_C(1000),
      .max = UINT64_C(1000000000000000) },
    { .key = "links",
      .help = "pairs of names: from, to",
      .type = CONFIG_LIST,
      .offset = offsetof(GraphLimit, links),
      .min = 1,
      .max = GRAPH_MAX_LINKS,
      .item = &pair_item,
      .item_size = sizeof(ConfigList) },
    CONFIG_END,
};

static const ConfigField node_item = { .key = "node",
                                       .help = "one node",
                                       .type = CONFIG_SECTION,
                                       .fields = node_fields };

static const ConfigField link_item = { .key = "link",
                                       .help = "one link, or one each way",
                                       .type = CONFIG_SECTION,
                                       .fields = link_fields };

static const ConfigField limit_item = { .key = "limit",
                                        .help = "one limit",
                                        .type = CONFIG_SECTION,
                                        .fields = limit_fields };

static const ConfigField npu_item = { .key = "npu",
                                      .help = "its number in the file",
                                      .type = CONFIG_COUNT,
                                      .max = GRAPH_MAX_NODES - 1 };

const ConfigField graph_fields[] = {
    { .key = "nodes",
      .help = "NPU ids are in the order of those that are NPUs",
      .type = CONFIG_LIST,
      .offset = offsetof(GraphParams, nodes),
      .min = 1,
      .max = GRAPH_MAX_NODES,
      .item = &node_item,
      .item_size = sizeof(GraphNode) },
    { .key = "links",
      .help = "what joins them",
      .type = CONFIG_LIST,
      .offset = offsetof(GraphParams, links),
      .max = GRAPH_MAX_LINKS / 2,
      .item = &link_item,
      .item_size = sizeof(GraphLink) },
    { .key = "limits",
      .help = "what several links can carry together",
      .type = CONFIG_LIST,
      .offset = offsetof(GraphParams, limits),
      .max = GRAPH_MAX_LIMITS,
      .item = &limit_item,
      .item_size = sizeof(GraphLimit),
      .fallback = "[]",
      .source = "every link for itself" },
    { .key = "npus_forward",
      .help = "NPUs pass on messages for others",
      .type = CONFIG_BOOL,
      .offset = offsetof(GraphParams, npus_forward),
      .fallback = "true",
      .source = "assumed: as on a torus; GPUs do not" },
    { .key = "allocate",
      .help = "the NPUs of a job, in this order, by number in the file; the "
              "others are removed; []: all",
      .type = CONFIG_LIST,
      .offset = offsetof(GraphParams, allocate),
      .max = GRAPH_MAX_NPUS,
      .item = &npu_item,
      .item_size = sizeof(uint64_t),
      .fallback = "[]",
      .source = "the whole machine" },
    { .key = "equal_cost",
      .help =
          "which of several ways of fewest hops: by a hash of node, destination "
          "and turn, or the first that is given",
      .type = CONFIG_ENUM,
      .offset = offsetof(GraphParams, equal_cost),
      .names = equal_cost_names,
      .fallback = "hash",
      .source = "assumed: as ECMP does" },
    { .key = "seed",
      .help = "of that hash",
      .type = CONFIG_COUNT,
      .offset = offsetof(GraphParams, seed),
      .max = UINT64_MAX,
      .fallback = "1",
      .source = "any" },
    CONFIG_END,
};
