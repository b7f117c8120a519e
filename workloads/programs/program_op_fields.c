/* program_op_fields.c - keys of operations in a program's file, by kind */
#include "workloads/programs/program_collective_lanes.h"
#include "workloads/programs/program_state.h"
#include "workloads/rank_weights.h"

static const char *const stream_names[] = { "main", "side", NULL };

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
          .without_node = TRUE,                                                \
          .item_size = sizeof(const char *),                                   \
          .fallback = "[]",                                                    \
          .source = "nothing" },                                               \
        { .key = "pass",                                                       \
          .help = "under which reports count it",                              \
          .type = CONFIG_ENUM,                                                 \
          .offset = offsetof(ProgramCommon, pass),                             \
          .names = op_pass_names,                                              \
          .fallback = "forward",                                               \
          .source = "assumed: a name for it" },                                \
    {                                                                          \
        .key = "layer",                                                        \
        .help = "by which reports call it, and others of that layer; own: "    \
                "by its name",                                                 \
        .type = CONFIG_NAME, .offset = offsetof(ProgramCommon, layer),         \
        .fallback = PROGRAM_OWN_LAYER, .source = "its name"                    \
    }

#define MAX_PS UINT64_C(1000000000000000)

static const ConfigField time_item = {
    .key = "time",
    .help = "of one NPU",
    .type = CONFIG_TIME,
    .max = MAX_PS,
};

/* Fields of the member .times of the struct @Struct.  @Interned is
 * ConfigField.interned_offset. */
#define TIMED(Struct, Interned, Type, Key, Help, member)                       \
    {                                                                          \
        .key = (Key), .help = (Help), .type = (Type),                          \
        .interned_offset = (Interned),                                         \
        .offset = offsetof(Struct, times.member)

#define TIMED_LIST(Struct, Interned, Key, Help, member)                        \
    TIMED(Struct, Interned, CONFIG_LIST, Key, Help, member),                   \
        .max = PROGRAM_MAX_TIMES, .may_be_one_text = TRUE, .item = &time_item, \
        .without_node = TRUE, .item_size = sizeof(uint64_t), .fallback = "[]", \
        .source = "all alike"                                                  \
    }

#define TIMED_FIELDS(Struct, Interned, Help)                                   \
    TIMED(Struct, Interned, CONFIG_TIME, "time", Help, time_ps),               \
        .max = MAX_PS, .fallback = "0 ns", .source = "none"                    \
    }                                                                          \
    ,                                                                          \
        TIMED_LIST(Struct, Interned, "times",                                  \
                   "that of each NPU of the role, in the order of their "      \
                   "ids, and round again",                                     \
                   times),                                                     \
        TIMED(Struct, Interned, CONFIG_TIME, "gap",                            \
              "idle time before it, not caused by a dependency", gap_ps),      \
        .max = MAX_PS, .fallback = "0 ns", .source = "none"                    \
    }                                                                          \
    , TIMED_LIST(Struct, Interned, "gaps", "that of each NPU, as `times`", gaps)

#define OF_WORK .interned_offset = offsetof(ProgramKernel, work)

#define KERNEL(Type, Key, Help, member, Most, Fallback)                        \
    {                                                                          \
        .key = (Key), .help = (Help), .type = (Type), OF_WORK,                 \
        .offset = offsetof(ProgramKernelWork, member), .max = (Most),          \
        .fallback = (Fallback), .source = "none"                               \
    }

#define PRODUCT(Key, member, Help, Fallback)                                   \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_COUNT,                    \
        .offset = offsetof(ProgramProduct, member),                            \
        .max = UINT64_C(1000000000), .fallback = (Fallback),                   \
        .source = "no product"                                                 \
    }

static const ConfigField product_fields[] = {
    PRODUCT("m", m, "rows of the result; 0: the kernel is no product", "0"),
    PRODUCT("n", n, "columns of the result", "0"),
    PRODUCT("k", k, "terms of each sum", "0"),
    PRODUCT("count", count, "independent products of this shape", "1"),
    { .key = "splits_sum",
      .help = "whether the library may split the sums, as for weight gradients",
      .type = CONFIG_BOOL,
      .offset = offsetof(ProgramProduct, splits_sum),
      .fallback = "false",
      .source = "few results are long sums only in weight gradients" },
    CONFIG_END,
};

static const char *const kernel_class_names[] = {
    "other", "attention", "attention-gradient", "elementwise", NULL,
};

static const ConfigField kernel_fields[] = {
    COMMON_FIELDS,
    KERNEL(CONFIG_COUNT, "flop", "floating-point operations", flop,
           UINT64_MAX >> 1, "0"),
    KERNEL(CONFIG_BYTES, "read", "from HBM", read_bytes, UINT64_MAX >> 2,
           "0 B"),
    KERNEL(CONFIG_BYTES, "write", "to HBM", written_bytes, UINT64_MAX >> 2,
           "0 B"),
    { .key = "products",
      .help = "matrix products, whose FLOP and bytes are derived",
      .type = CONFIG_SECTION,
      OF_WORK,
      .offset = offsetof(ProgramKernelWork, product),
      .fields = product_fields,
      .fallback = "{}",
      .source = "none" },
    { .key = "precision",
      .help = "of its values",
      .type = CONFIG_ENUM,
      OF_WORK,
      .offset = offsetof(ProgramKernelWork, precision),
      .names = product_precision_names,
      .fallback = "training",
      .source = "that of `training`" },
    { .key = "class",
      .help = "of kernels of language models, whose shares of the peak and of "
              "the bandwidth the NPU's section `language` has",
      .type = CONFIG_ENUM,
      OF_WORK,
      .offset = offsetof(ProgramKernelWork, class),
      .names = kernel_class_names,
      .fallback = "other",
      .source = "the roofline" },
    TIMED_FIELDS(ProgramKernelWork, offsetof(ProgramKernel, work),
                 "measured on the whole NPU; 0 ns: not known"),
    { .key = "stream",
      .help = "kernels of a stream go one after the other",
      .type = CONFIG_ENUM,
      OF_WORK,
      .offset = offsetof(ProgramKernelWork, stream),
      .names = stream_names,
      .fallback = "main",
      .source = "the training loop" },
    CONFIG_END,
};

static const ConfigField stage_fields[] = {
    COMMON_FIELDS,
    TIMED_FIELDS(ProgramStage, 0, "that it takes, regardless of other work"),
    { .key = "queue",
      .help = "operations of one stream run one after the other",
      .type = CONFIG_NAME,
      .offset = offsetof(ProgramStage, queue),
      .fallback = "0",
      .source = "all in one" },
    CONFIG_END,
};

#define AXIS_FIELD                                                             \
    {                                                                          \
        .key = "axis",                                                         \
        .help = "of the mesh, or several such as dp+cp: ranks that differ in " \
                "it, in place of a group",                                     \
        .type = CONFIG_NAME, .offset = offsetof(ProgramShared, axis),          \
        .fallback = PROGRAM_NO_AXIS, .source = "the group's"                   \
    }

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

#define RECORDED_FIELD                                                         \
    {                                                                          \
        .key = "time",                                                         \
        .help = "as recorded, from the last NPU's begin to the end, for "      \
                "`training.communication: recorded`; 0 ns: not known",         \
        .type = CONFIG_TIME, .offset = offsetof(ProgramShared, time_ps),       \
        .max = MAX_PS, .fallback = "0 ns", .source = "none"                    \
    }

#define STAR_FIELD                                                             \
    {                                                                          \
        .key = "star",                                                         \
        .help = "to or from a server: straight between the root and each "     \
                "other, in a stream of its own",                               \
        .type = CONFIG_BOOL, .offset = offsetof(ProgramShared, is_star),       \
        .fallback = "false", .source = "as is chosen for its kind"             \
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
      .max = PROGRAM_MAX_IDS - 1,
      .fallback = "0",
      .source = "the first" },
    WEIGHTS_FIELD(ProgramShared),
    { .key = "group",
      .help = "that carries it out",
      .type = CONFIG_NAME,
      .offset = offsetof(ProgramShared, group),
      .fallback = "all",
      .source = "all NPUs" },
    AXIS_FIELD,
    PRIORITY_FIELD,
    LANE_FIELD,
    STAR_FIELD,
    RECORDED_FIELD,
    CONFIG_END,
};

static const ConfigField message_fields[] = {
    COMMON_FIELDS,
    { .key = "group",
      .help = "in which it goes from rank to rank",
      .type = CONFIG_NAME,
      .offset = offsetof(ProgramShared, group),
      .fallback = "all",
      .source = "all NPUs" },
    AXIS_FIELD,
    { .key = "from",
      .help = "the rank that sends",
      .type = CONFIG_COUNT,
      .offset = offsetof(ProgramShared, from),
      .max = PROGRAM_MAX_IDS - 1 },
    { .key = "to",
      .help = "the rank that receives",
      .type = CONFIG_COUNT,
      .offset = offsetof(ProgramShared, to),
      .max = PROGRAM_MAX_IDS - 1 },
    BYTES_FIELD("that are sent"),
    PRIORITY_FIELD,
    LANE_FIELD,
    STAR_FIELD,
    RECORDED_FIELD,
    CONFIG_END,
};

static const ProgramOpKind kernel_kind = {
    .base = { .name = "kernel",
              .summary = "work of one NPU: FLOP and bytes",
              .fields = kernel_fields,
              .size = sizeof(ProgramKernel),
              .interned_size = sizeof(ProgramKernelWork),
              .interned_offset = offsetof(ProgramKernel, work) },
    .type = PROGRAM_KERNEL,
};

static const ProgramOpKind host_kind = {
    .base = { .name = "host",
              .summary = "work of a thread of the host, of a known time",
              .fields = stage_fields,
              .size = sizeof(ProgramStage) },
    .type = PROGRAM_STAGE,
    .stage = OP_STAGE_HOST,
};

static const ProgramOpKind device_kind = {
    .base = { .name = "device",
              .summary = "a copy or a kernel in parallel with the streams, of "
                         "a given time that includes sharing",
              .fields = stage_fields,
              .size = sizeof(ProgramStage) },
    .type = PROGRAM_STAGE,
    .stage = OP_STAGE_DEVICE,
};

static const ProgramOpKind collective_kind = {
    .base = { .name = "collective",
              .summary = "of a group, all of whose NPUs take part",
              .fields = collective_fields,
              .size = sizeof(ProgramShared) },
    .type = PROGRAM_COLLECTIVE,
};

static const ProgramOpKind send_kind = {
    .base = { .name = "send",
              .summary = "a message to another rank of a group",
              .fields = message_fields,
              .size = sizeof(ProgramShared) },
    .type = PROGRAM_MESSAGE,
    .sends = TRUE,
};

static const ProgramOpKind receive_kind = {
    .base = { .name = "receive",
              .summary = "a message from another rank of a group",
              .fields = message_fields,
              .size = sizeof(ProgramShared) },
    .type = PROGRAM_MESSAGE,
};

static const ConfigKind *const op_kinds[] = {
    &kernel_kind.base,
    &host_kind.base,
    &device_kind.base,
    &collective_kind.base,
    &send_kind.base,
    &receive_kind.base,
    NULL,
};

const ConfigRegistry program_op_registry = { .noun = "operation",
                                             .kinds = op_kinds };
