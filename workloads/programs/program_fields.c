/* program_fields.c - keys of groups and roles in a program's file */
#include "workloads/programs/program_state.h"

#define DIM_WORDS "0", "1", "2", "3", "4", NULL

static const char *const dims[] = { DIM_WORDS };
static const char *const dims_or_none[] = { "none", DIM_WORDS };

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
    .max = PROGRAM_MAX_IDS - 1,
};

static const ConfigField ids_item = {
    .key = "ids",
    .help = "NPUs, rank 0 first",
    .type = CONFIG_LIST,
    .min = 1,
    .max = PROGRAM_MAX_IDS,
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
      .max = PROGRAM_MAX_IDS,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "not by stride" },
    { .key = "stride",
      .help = "between the ids of neighbours",
      .type = CONFIG_COUNT,
      OFFSET(stride),
      .min = 1,
      .max = PROGRAM_MAX_IDS,
      .fallback = "1",
      .source = "neighbours" },
    { .key = "ranks",
      .help = "the NPUs of each group, all of them equally many",
      .type = CONFIG_LIST,
      OFFSET(ranks),
      .max = PROGRAM_MAX_IDS,
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
      OFFSET(first),
      .max = PROGRAM_MAX_IDS - 1,
      .fallback = "0",
      .source = "the first" },
    { .key = "last",
      .help = "the last such place of a dimension; auto: as `at`",
      .type = CONFIG_COUNT,
      OFFSET(last),
      .min = 1,
      .max = PROGRAM_MAX_IDS - 1,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "one place" },
    { .key = "size",
      .help = "NPUs with id / stride mod size = at; auto: not by stride",
      .type = CONFIG_COUNT,
      OFFSET(size),
      .min = 1,
      .max = PROGRAM_MAX_IDS,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "not by stride" },
    { .key = "stride",
      .help = "consecutive NPUs of one kind",
      .type = CONFIG_COUNT,
      OFFSET(stride),
      .min = 1,
      .max = PROGRAM_MAX_IDS,
      .fallback = "1",
      .source = "each by itself" },
    { .key = "list",
      .help = "these NPUs",
      .type = CONFIG_LIST,
      OFFSET(list),
      .max = PROGRAM_MAX_IDS,
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

#define OFFSET(member) .offset = offsetof(ProgramRecorded, facts.member)

static const ConfigField note_item = {
    .key = "note",
    .help = "what the import inferred or left out",
    .type = CONFIG_NAME,
};

const ConfigField program_recorded_fields[] = {
    { .key = "iteration",
      .help = "how long one took",
      .type = CONFIG_TIME,
      OFFSET(iteration_ps),
      .max = UINT64_C(1000000000000000000),
      .fallback = "0 ns",
      .source = "not known" },
    { .key = "ranks",
      .help = "how many were recorded; 0: not known",
      .type = CONFIG_COUNT,
      OFFSET(n_ranks),
      .max = PROGRAM_MAX_IDS,
      .fallback = "0",
      .source = "not known" },
    { .key = "unsized",
      .help = "communications of unknown payload, which are 1 B each",
      .type = CONFIG_COUNT,
      OFFSET(n_unsized),
      .max = PROGRAM_MAX_IDS,
      .fallback = "0",
      .source = "not known" },
    { .key = "from",
      .help = "what it was made of",
      .type = CONFIG_NAME,
      OFFSET(from),
      .fallback = "a recording",
      .source = "not known" },
    { .key = "notes",
      .help = "what the import inferred or left out; each run says it again",
      .type = CONFIG_LIST,
      .offset = offsetof(ProgramRecorded, notes),
      .max = PROGRAM_MAX_NOTES,
      .item = &note_item,
      .item_size = sizeof(const char *),
      .fallback = "[]",
      .source = "nothing" },
    CONFIG_END,
};
