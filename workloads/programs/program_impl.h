/*
 * program_impl.h - for programs/ only
 *
 * What a program's file says, as it is read; and the operations that roles
 * share, put together.
 *
 * Owner    params belong to the document
 */
#ifndef WORKLOADS_PROGRAMS_PROGRAM_IMPL_H
#define WORKLOADS_PROGRAMS_PROGRAM_IMPL_H

#include "workloads/programs/program_ops.h"
#include "workloads/workload.h"

/* ---- as it is read ---------------------------------------------------- */

#define PROGRAM_MAX_GROUPS 1000
#define PROGRAM_MAX_OPS    1000000 /* of a role */
#define PROGRAM_MAX_TIMES  65536   /* of an operation */

typedef struct {
    const char *name;
    ConfigList dims; /* of int: index into program_dim_names */
    uint64_t size;   /* CONFIG_AUTO: not by stride */
    uint64_t stride;
    ConfigList ranks; /* of ConfigList of uint64_t */
    const ConfigNode *node;
} ProgramGroup;

typedef struct {
    int dim; /* index into program_dim_names, whose first is none */
    uint64_t at, last;
    uint64_t size, stride; /* CONFIG_AUTO: not by stride */
    ConfigList list;       /* of uint64_t */
} ProgramRanks;

typedef struct {
    const char *name;
    ProgramRanks ranks;
    ConfigList ops; /* of ConfigVariant */
    const ConfigNode *node;
} ProgramRole;

#define PROGRAM_MAX_NOTES UINT64_C(64)

typedef struct {
    OpRecorded is;    /* .notes is NULL */
    ConfigList notes; /* of const char * */
} ProgramRecorded;

typedef struct {
    ConfigList groups; /* of ProgramGroup */
    ConfigList roles;  /* of ProgramRole */
    ConfigList lanes;  /* of ProgramLane */
    ProgramRecorded recorded;
} Program;

extern const ConfigField program_group_item, program_role_item;
extern const ConfigField program_recorded_fields[];

/* ---- put together ----------------------------------------------------- */

/* @item waits for instance -@back of @on, in these roles. */
typedef struct {
    uint32_t on;
    uint32_t back;
    uint64_t roles;
} ProgramDep;

/* An operation, whether one role has it or several. */
typedef struct {
    const ConfigVariant *op; /* as the first role has it */
    uint32_t role;           /* that is the first */
    uint64_t roles;          /* all that have it; of a message, */
    uint64_t senders;        /* those that send */
    uint32_t group;          /* in the graph */
    GArray *deps;            /* owned: of ProgramDep */
} ProgramItem;

/* Items in the order of roles and their lists.  NULL: they do not agree, or
 * names are unknown. */
G_GNUC_WARN_UNUSED_RESULT
GArray *program_items(const Program *program, const OpGraph *graph,
                      GError **error);
void program_items_free(GArray *items);

static inline ProgramItem *program_item(GArray *items, guint i)
{
    return &g_array_index(items, ProgramItem, i);
}

/* An order in which none comes before what it waits for within an iteration;
 * kernels of a role and stream keep theirs.  NULL: some wait for each other.
 * Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
uint32_t *program_order(GArray *items, GError **error);

/* A stage, FALSE: queues are too many; and of what goes by times, if it is one
 * that does, those of each NPU, and the gaps before it. */
G_GNUC_WARN_UNUSED_RESULT
gboolean program_add_stage(OpGraph *graph, const ConfigVariant *op,
                           uint32_t layer, uint32_t *ret, GError **error);
void program_set_times(OpGraph *graph, uint32_t op, const ProgramTimes *times,
                       const TrainingConfig *training, gboolean is_timed);
/* For all NPUs: `time`, or else the mean of `times`. */
uint64_t program_time_ps(const ProgramTimes *times);

/* Adds groups and roles to the graph. */
G_GNUC_WARN_UNUSED_RESULT
gboolean program_add_groups(const Program *program, OpGraph *graph,
                            GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean program_add_roles(const Program *program, OpGraph *graph,
                           GError **error);

#endif
