/*
 * program_state.h - a program while it is read; private to programs/
 *
 * The first part declares the content of a program's file.  The second part
 * declares the items: the operations of all roles, where an operation that
 * several roles share is one item.
 *
 * Owner    params belong to the document
 */
#ifndef WORKLOADS_PROGRAMS_PROGRAM_STATE_H
#define WORKLOADS_PROGRAMS_PROGRAM_STATE_H

#include "workloads/mesh/mesh.h"
#include "workloads/programs/program_ops.h"
#include "workloads/workload.h"

/* ---- as read ------------------------------------------------------------ */

#define PROGRAM_MAX_GROUPS 1000
#define PROGRAM_MAX_OPS    1000000 /* operations in one role */
#define PROGRAM_MAX_TIMES  65536   /* recorded times in one operation */

typedef struct {
    const char *name;
    ConfigList dims; /* of int: dimensions of the platform */
    uint64_t size;   /* CONFIG_AUTO: not by stride */
    uint64_t stride;
    ConfigList ranks; /* of ConfigList of uint64_t */
    const ConfigNode *node;
} ProgramGroup;

typedef struct {
    int dim; /* 0: not by dimension; d + 1: by dimension d of the platform */
    uint64_t first, last;
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
    OpRecorded facts; /* the facts; .notes is NULL here */
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

/* ---- merged ------------------------------------------------------------- */

/* The item waits for the instance of @on that is @back iterations earlier, in
 * these roles. */
typedef struct {
    uint32_t on;
    uint32_t n_iterations_back;
    const RoleSet *roles;
} ProgramDep;

/* An operation of one role, or of several. */
typedef struct {
    const ConfigVariant *op; /* as the first role gives it */
    uint32_t role;           /* the first role */
    const RoleSet *roles;    /* all roles */
    const RoleSet *senders;  /* the roles that send a message */
    uint32_t group;          /* index in the graph */
    uint32_t unit;           /* as Op.unit */
    GArray *deps;            /* owned: of ProgramDep; NULL: none */
} ProgramItem;

static inline guint program_item_n_deps(const ProgramItem *item)
{
    return item->deps ? item->deps->len : 0;
}

/* Returns the items in the order of roles and their lists, or NULL with @error
 * set: roles do not agree on an operation, or a name is unknown.  Sets of roles
 * are added to those of @graph. */
G_GNUC_WARN_UNUSED_RESULT
GArray *program_list_items(const Program *program, OpGraph *graph,
                           const Mesh *mesh, GError **error);
/* Returns an array without items. */
GArray *program_items_new(void);
void program_items_free(GArray *items);

/* Sets *@ret to the group in which @op, a collective or a message, takes place:
 * that of its axis, which is added if need be, or the one that it names. */
G_GNUC_WARN_UNUSED_RESULT
gboolean program_find_group(OpGraph *graph, const Mesh *mesh,
                            const ConfigVariant *op, uint32_t *ret,
                            GError **error);
/* Makes @role wait in @item for instance -@back of item @dependency. */
void program_add_dep(ProgramItem *item, OpGraph *graph, uint32_t dependency,
                     uint32_t back, uint32_t role);

static inline ProgramItem *program_item_at(GArray *items, guint i)
{
    return &g_array_index(items, ProgramItem, i);
}

/* Returns an order in which each item comes after those that it waits for
 * within an iteration.  Kernels of a role and stream keep their order.  Returns
 * NULL with @error set if some items wait for each other.  Owner: the
 * caller. */
G_GNUC_WARN_UNUSED_RESULT
uint32_t *program_sort_items(GArray *items, GError **error);

/* Adds a stage; returns FALSE with @error set if there are too many queues.
 * program_set_times() sets the gaps before operation @op and, if @is_timed, its
 * time on each NPU. */
G_GNUC_WARN_UNUSED_RESULT
gboolean program_add_stage(OpGraph *graph, const ConfigVariant *op,
                           uint32_t layer, uint32_t *ret, GError **error);
void program_set_times(OpGraph *graph, uint32_t op, const ProgramTimes *times,
                       const TrainingConfig *training, gboolean is_timed);
/* Returns one time for all NPUs: `time`, or the mean of `times`. */
uint64_t program_time_ps(const ProgramTimes *times);

/* Add the groups and the roles to the graph. */
G_GNUC_WARN_UNUSED_RESULT
gboolean program_add_groups(const Program *program, OpGraph *graph,
                            GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean program_add_roles(const Program *program, OpGraph *graph,
                           GError **error);

#endif
