/*
 * imported_program.h - a Replay as a program: roles, groups and shared
 * operations
 *
 * Ranks with equal operations, apart from times, share one role.  Sets of ranks
 * of the same kind that are disjoint form one group of the program.  A
 * collective or message that ranks of a role have at the same position of their
 * lists is one shared operation.
 *
 * If only some ranks of the world were recorded, the program has NPUs for all
 * ranks. A rank that was not recorded copies a recorded rank, in its own groups
 * (missing_ranks.c).
 *
 * A program is valid for any multiple of its ranks if size and stride describe
 * all its roles and groups.
 *
 * Errors   CONFIG_ERROR if there are more roles than IMPORTED_MAX_ROLES
 * Owner    the caller owns the ImportedProgram, which borrows the Replay
 */
#ifndef WORKLOADS_RECORDING_TRACE_TO_PROGRAM_IMPORTED_PROGRAM_H
#define WORKLOADS_RECORDING_TRACE_TO_PROGRAM_IMPORTED_PROGRAM_H

#include "workloads/recording/trace_to_program/replay.h"

/* If ranks differ in more ways than this, differences between their
 * dependencies count as noise of the recording: roles are then made by
 * operations only.  The number is assumed. */
#define IMPORTED_MAX_ROLES 64

typedef struct {
    /* Owned; the elements are uint32_t: ranks of the recording, by id. */
    GArray *ranks;
    /* Owned; the elements are uint32_t: NPUs with the role, ascending. */
    GArray *npus;
    /* How the NPUs are described: RANKS_ALL, RANKS_STRIDE or RANKS_LIST. */
    OpRanksBy ranks_by;
    uint32_t size, stride, remainder;
} ImportedRole;

/* A group of the program.  The first one contains all ranks. */
typedef struct {
    OpGroupBy grouped_by;
    uint32_t size, stride, dims_mask;
    /* Owned: lists of .size ranks, one after the other; the elements are
     * uint32_t. */
    GArray *ids;
    char *name; /* owned: name of the group */
} ImportedGroup;

/* A shared operation: a collective or a message, for all its roles and
 * instances. */
typedef struct {
    char *name;        /* owned: name of the operation */
    uint32_t instance; /* its first instance in the match of the recording */
    uint32_t n;        /* number of instances of the operation */
    uint32_t group;    /* index of the group in .groups */
    /* Indices in the group of sender and receiver; .from is also the root. */
    uint32_t from, to;
    uint64_t bytes;   /* payload in bytes; 0: unknown */
    uint64_t time_ps; /* mean duration over the instances; 0: unknown */
    /* Maximum over the instances of the wait of the first rank for the last. */
    uint64_t wait_ps;
    /* Owned: weights of an all-to-allv; NULL: even.  The elements are
     * uint64_t. */
    GArray *weights;
    uint32_t priority;
    gboolean is_star;
} SharedOp;

typedef struct {
    Replay *replay;
    uint32_t n_ranks; /* number of NPUs; multiples of it may be valid as well */
    /* Several ranks of a larger world were recorded; NPU ids are ranks of the
     * world. */
    gboolean has_missing;
    /* Owned: roles of the program; the elements are ImportedRole. */
    GArray *roles;
    /* Owned: groups of the program; the elements are ImportedGroup. */
    GArray *groups;
    /* Owned: shared operations by first position in a list; the elements are
     * SharedOp. */
    GArray *shared;
    /* Owned: for each instance, the index of its operation in .shared. */
    uint32_t *shared_of;
    uint32_t *npu_of; /* owned: for each rank of the recording, its NPU */
    /* Owned: for each NPU, the rank of the recording whose operations it has:
     * its own rank, or the one that it copies. */
    uint32_t *source_of_npu;
    /* Owned: for each instance, the index of its group in .groups. */
    uint32_t *group_of;
    /* Owned: for each rank, a rank that represents its component.  Ranks that
     * exchange messages, also via other ranks, are one component. */
    uint32_t *component;
    /* Owned: for each rank, its index in its component. */
    uint32_t *index_in_component;
} ImportedProgram;

/* Creates the program of @replay for @n_ranks ranks; 0 means the number in the
 * recording.  If several ranks of a larger world were recorded, @n_ranks may be
 * their number: the program then consists of these ranks only. */
G_GNUC_WARN_UNUSED_RESULT
ImportedProgram *imported_program_new(Replay *replay, uint32_t n_ranks,
                                      GError **error);
void imported_program_free(ImportedProgram *imported);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImportedProgram, imported_program_free)

static inline ImportedRole *imported_role(const ImportedProgram *imported,
                                          guint i)
{
    return &g_array_index(imported->roles, ImportedRole, i);
}

static inline ImportedGroup *imported_group(const ImportedProgram *imported,
                                            guint i)
{
    return &g_array_index(imported->groups, ImportedGroup, i);
}

static inline SharedOp *
imported_shared_op_of_node(const ImportedProgram *imported, const ReplayOp *op)
{
    return &g_array_index(imported->shared, SharedOp,
                          imported->shared_of[op->instance]);
}

/* Returns the node of the first rank that takes part in @shared. */
static inline const RecordNode *
imported_first_node_of_op(const ImportedProgram *imported,
                          const SharedOp *shared)
{
    const RecordMatch *match = imported->replay->match;
    const RecordMember *one =
        record_member(match, record_instance(match, shared->instance), 0);

    return record_node(record_rank(imported->replay->recording, one->rank),
                       one->node);
}

/* Returns whether @node is a pass of a layer in a plan.  The name of the layer
 * is then a part of the name of the operation. */
static inline gboolean imported_op_is_layer(const ImportedProgram *imported,
                                            const RecordNode *node)
{
    return imported->replay->is_plan && node->pass < OP_N_PASSES;
}

/* Returns the rank whose list of operations is that of @role. */
static inline const ReplayRank *
imported_first_rank_of_role(const ImportedProgram *imported,
                            const ImportedRole *role)
{
    return replay_rank(imported->replay,
                       g_array_index(role->ranks, uint32_t, 0));
}

/* ---- private to this folder --------------------------------------------- */

/* Sets .groups, and .group_of for each instance; in program_groups.c. */
void imported_find_groups(ImportedProgram *imported);
/* Sets .source_of_npu after .role of each recorded rank is known; in
 * missing_ranks.c. */
void imported_find_copied_ranks(ImportedProgram *imported);
/* Adds the sets of ranks that were not recorded to listed groups.  Returns
 * FALSE if an NPU would have an operation in a group without it, or be in a
 * group without having its operations. */
G_GNUC_WARN_UNUSED_RESULT
gboolean imported_complete_groups(ImportedProgram *imported);
/* Sets .roles and .source_of_npu; in program_roles.c.  Returns FALSE and sets
 * @error if there are too many roles. */
G_GNUC_WARN_UNUSED_RESULT
gboolean imported_find_roles(ImportedProgram *imported, GError **error);
/* Sets .shared and .shared_of; in shared_ops.c. */
void imported_find_shared_ops(ImportedProgram *imported);
/* Returns a short form of @name, with only characters that need no quotes in
 * YAML and globs; in short_kernel_name.c.  Different names may have the same
 * short name.  The caller frees it. */
char *imported_short_name(const char *name);

/* Returns the index of NPU @npu in its set of @group, or @npu if it is in
 * none. */
uint32_t imported_group_index(const ImportedProgram *imported, uint32_t group,
                              uint32_t npu);
/* Returns the NPU of rank @id of the world, or UINT32_MAX if it has none. */
uint32_t imported_npu_of_rank(const ImportedProgram *imported, uint32_t id);

#endif
