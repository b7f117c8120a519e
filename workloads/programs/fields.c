/* fields.c - what a program's file may say of groups, roles and operations */
#include "workloads/programs/program_impl.h"
#include "workloads/programs/program_lanes.h"
#include "workloads/weights.h"

#define MAX_IDS UINT64_C(16777216) /* of NPUs, as topologies have them */

#define DIM_WORDS "0", "1", "2", "3", "4", NULL

static const char *const dims[] = { DIM_WORDS };
static const char *const dims_or_none[] = { "none", DIM_WORDS };
static const char *const stream_names[] = { "main", "side", NULL };

/* ---- groups and roles ------------------------------------------------- */

static const ConfigField dim_item = {
    .key = "dim",
    .help = "of the platform, counted from 0",
    .type = CONFIG_ENUM,
    .names = dims,
};

static const ConfigField id_item = {
    .key = "id",
    .help = "of an NPU",
    .type = CONFIG_COUNT,
    .max = MAX_IDS - 1,
};

static const ConfigField ids_item = {
    .key = "ids",
    .help = "NPUs, rank 0 first",
    .type = CONFIG_LIST,
    .min = 1,
    .max = MAX_IDS,
    .item = &id_item,
    .item_size = sizeof(uint64_t),
};

#define OFFSET(member) .offset = offsetof(ProgramGroup, member)

static const ConfigField group_fields[] = {
    { .key = "name",
      .help = "by which operations name it",
      .type = CONFIG_NAME,
      OFFSET(name) },
    { .key = "dims",
      .help = "NPUs that differ in these dimensions only",
      .type = CONFIG_LIST,
      OFFSET(dims),
      .max = 5,
      .item = &dim_item,
      .item_size = sizeof(int),
      .fallback = "[]",
      .source = "not by dimensions" },
    { .key = "size",
      .help = "NPUs i, i + stride, ..., as many; auto: not by stride",
      .type = CONFIG_COUNT,
      OFFSET(size),
      .min = 1,
      .max = MAX_IDS,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "not by stride" },
    { .key = "stride",
      .help = "between the ids of neighbours",
      .type = CONFIG_COUNT,
      OFFSET(stride),
      .min = 1,
      .max = MAX_IDS,
      .fallback = "1",
      .source = "neighbours" },
    { .key = "ranks",
      .help = "the NPUs of each group, all of them equally many",
      .type = CONFIG_LIST,
      OFFSET(ranks),
      .max = MAX_IDS,
      .item = &ids_item,
      .item_size = sizeof(ConfigList),
      .fallback = "[]",
      .source = "not listed" },
    CONFIG_END,
};

#undef OFFSET

const ConfigField program_group_item = {
    .key = "group",
    .help = "disjoint sets of NPUs",
    .type = CONFIG_SECTION,
    .fields = group_fields,
    .node_offset = offsetof(ProgramGroup, node),
};

#define OFFSET(member) .offset = offsetof(ProgramRanks, member)

static const ConfigField ranks_fields[] = {
    { .key = "dim",
      .help = "NPUs at a place of this dimension of the platform",
      .type = CONFIG_ENUM,
      OFFSET(dim),
      .names = dims_or_none,
      .fallback = "none",
      .source = "not by dimension" },
    { .key = "at",
      .help = "the place in the dimension, or id / stride mod size",
      .type = CONFIG_COUNT,
      OFFSET(at),
      .max = MAX_IDS - 1,
      .fallback = "0",
      .source = "the first" },
    { .key = "last",
      .help = "the last such place of a dimension; auto: as `at`",
      .type = CONFIG_COUNT,
      OFFSET(last),
      .min = 1,
      .max = MAX_IDS - 1,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "one place" },
    { .key = "size",
      .help = "NPUs with id / stride mod size = at; auto: not by stride",
      .type = CONFIG_COUNT,
      OFFSET(size),
      .min = 1,
      .max = MAX_IDS,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "not by stride" },
    { .key = "stride",
      .help = "NPUs that follow each other and are alike",
      .type = CONFIG_COUNT,
      OFFSET(stride),
      .min = 1,
      .max = MAX_IDS,
      .fallback = "1",
      .source = "each by itself" },
    { .key = "list",
      .help = "these NPUs",
      .type = CONFIG_LIST,
      OFFSET(list),
      .max = MAX_IDS,
      .item = &id_item,
      .item_size = sizeof(uint64_t),
      .fallback = "[]",
      .source = "not listed" },
    CONFIG_END,
};

#undef OFFSET

static const ConfigField op_item = {
    .key = "op",
    .help = "one operation",
    .type = CONFIG_KIND,
    .registry = &program_op_registry,
};

static const ConfigField role_fields[] = {
    { .key = "name",
      .help = "what reports call it",
      .type = CONFIG_NAME,
      .offset = offsetof(ProgramRole, name) },
    { .key = "ranks",
      .help = "the NPUs that have it, by dim, by size, or by list; else all",
      .type = CONFIG_SECTION,
      .offset = offsetof(ProgramRole, ranks),
      .fields = ranks_fields,
      .fallback = "{}",
      .source = "all NPUs" },
    { .key = "ops",
      .help = "of one iteration",
      .type = CONFIG_LIST,
      .offset = offsetof(ProgramRole, ops),
      .min = 1,
      .max = PROGRAM_MAX_OPS,
      .item = &op_item,
      .item_size = sizeof(ConfigVariant) },
    CONFIG_END,
};

const ConfigField program_role_item = {
    .key = "role",
    .help = "NPUs with one program",
    .type = CONFIG_SECTION,
    .fields = role_fields,
    .node_offset = offsetof(ProgramRole, node),
};

/* ---- operations ------------------------------------------------------- */

static const ConfigField after_item = {
    .key = "name",
    .help = "of an operation of this role; name@-1: of the iteration before",
    .type = CONFIG_NAME,
};

#define COMMON_FIELDS                                                          \
    { .key = "name",                                                           \
      .help = "by which others of the role wait for it",                       \
      .type = CONFIG_NAME,                                                     \
      .offset = offsetof(ProgramCommon, name) },                               \
        { .key = "after",                                                      \
          .help = "what has to be done before it",                             \
          .type = CONFIG_LIST,                                                 \
          .offset = offsetof(ProgramCommon, after),                            \
          .max = PROGRAM_MAX_AFTER,                                            \
          .item = &after_item,                                                 \
          .item_size = sizeof(const char *),                                   \
          .fallback = "[]",                                                    \
          .source = "nothing" },                                               \
    {                                                                          \
        .key = "pass", .help = "under which reports count it",                 \
        .type = CONFIG_ENUM, .offset = offsetof(ProgramCommon, pass),          \
        .names = op_pass_names, .fallback = "forward",                         \
        .source = "assumed: a name for it"                                     \
    }

#define KERNEL(Type, Key, Help, member, Most, Fallback)                        \
    {                                                                          \
        .key = (Key), .help = (Help), .type = (Type),                          \
        .offset = offsetof(ProgramKernel, member), .max = (Most),              \
        .fallback = (Fallback), .source = "none"                               \
    }

static const ConfigField kernel_fields[] = {
    COMMON_FIELDS,
    KERNEL(CONFIG_COUNT, "flop", "floating-point operations", flop,
           UINT64_MAX >> 1, "0"),
    KERNEL(CONFIG_BYTES, "read", "from HBM", read_bytes, UINT64_MAX >> 2,
           "0 B"),
    KERNEL(CONFIG_BYTES, "write", "to HBM", written_bytes, UINT64_MAX >> 2,
           "0 B"),
    KERNEL(CONFIG_TIME, "time", "measured on the whole NPU; 0 ns: not known",
           time_ps, UINT64_C(1000000000000000), "0 ns"),
    { .key = "stream",
      .help = "kernels of a stream go one after the other",
      .type = CONFIG_ENUM,
      .offset = offsetof(ProgramKernel, stream),
      .names = stream_names,
      .fallback = "main",
      .source = "the training loop" },
    CONFIG_END,
};

#define BYTES_FIELD(Help)                                                      \
    {                                                                          \
        .key = "bytes", .help = (Help), .type = CONFIG_BYTES,                  \
        .offset = offsetof(ProgramShared, bytes), .min = 1,                    \
        .max = UINT64_C(1) << 40                                               \
    }

#define PRIORITY_FIELD                                                         \
    {                                                                          \
        .key = "priority",                                                     \
        .help = "the larger goes first, under `scheduler: priority`",          \
        .type = CONFIG_COUNT, .offset = offsetof(ProgramShared, priority),     \
        .max = UINT32_MAX, .fallback = "0", .source = "none"                   \
    }

#define LANE_FIELD                                                             \
    {                                                                          \
        .key = "lane", .help = "that lets it begin", .type = CONFIG_NAME,      \
        .offset = offsetof(ProgramShared, lane), .fallback = PROGRAM_NO_LANE,  \
        .source = "as soon as it may"                                          \
    }

static const ConfigField collective_fields[] = {
    COMMON_FIELDS,
    { .key = "collective",
      .help = "which one",
      .type = CONFIG_ENUM,
      .offset = offsetof(ProgramShared, collective),
      .names = coll_kind_names },
    BYTES_FIELD("the whole vector of one rank, before a reduce-scatter or "
                "after an all-gather"),
    { .key = "root",
      .help = "a rank of the group: of a broadcast, reduce, gather or scatter",
      .type = CONFIG_COUNT,
      .offset = offsetof(ProgramShared, root),
      .max = MAX_IDS - 1,
      .fallback = "0",
      .source = "the first" },
    WEIGHTS_FIELD(ProgramShared),
    { .key = "group",
      .help = "that carries it out",
      .type = CONFIG_NAME,
      .offset = offsetof(ProgramShared, group),
      .fallback = "all",
      .source = "all NPUs" },
    PRIORITY_FIELD,
    LANE_FIELD,
    CONFIG_END,
};

static const ConfigField message_fields[] = {
    COMMON_FIELDS,
    { .key = "group",
      .help = "in which it goes from rank to rank",
      .type = CONFIG_NAME,
      .offset = offsetof(ProgramShared, group) },
    { .key = "from",
      .help = "the rank that sends",
      .type = CONFIG_COUNT,
      .offset = offsetof(ProgramShared, from),
      .max = MAX_IDS - 1 },
    { .key = "to",
      .help = "the rank that receives",
      .type = CONFIG_COUNT,
      .offset = offsetof(ProgramShared, to),
      .max = MAX_IDS - 1 },
    BYTES_FIELD("that are sent"),
    PRIORITY_FIELD,
    LANE_FIELD,
    CONFIG_END,
};

static const ProgramOpKind kernel_kind = {
    .base = { .name = "kernel",
              .summary = "work of one NPU: FLOP and bytes",
              .fields = kernel_fields,
              .size = sizeof(ProgramKernel) },
    .what = PROGRAM_KERNEL,
};

static const ProgramOpKind collective_kind = {
    .base = { .name = "collective",
              .summary = "of a group, all of whose NPUs take part",
              .fields = collective_fields,
              .size = sizeof(ProgramShared) },
    .what = PROGRAM_COLLECTIVE,
};

static const ProgramOpKind send_kind = {
    .base = { .name = "send",
              .summary = "a message to another rank of a group",
              .fields = message_fields,
              .size = sizeof(ProgramShared) },
    .what = PROGRAM_MESSAGE,
    .sends = TRUE,
};

static const ProgramOpKind receive_kind = {
    .base = { .name = "receive",
              .summary = "a message from another rank of a group",
              .fields = message_fields,
              .size = sizeof(ProgramShared) },
    .what = PROGRAM_MESSAGE,
};

static const ConfigKind *const op_kinds[] = {
    &kernel_kind.base,
    &collective_kind.base,
    &send_kind.base,
    &receive_kind.base,
    NULL,
};

const ConfigRegistry program_op_registry = { .what = "operation",
                                             .kinds = op_kinds };
