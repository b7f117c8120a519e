/*
 * script.h - a take as a program: roles, groups and what roles share
 *
 * Ranks whose operations are alike but for their times are one role.  Groups
 * that are made alike and are disjoint are one group of the program, and what
 * alike ranks do at the same place of their lists is one operation.
 *
 * A world of which some ranks were recorded has NPUs for all of its ranks.  A
 * rank that was not recorded does what one of the recorded ranks does, in
 * groups of its own (missing.c).
 *
 * A program is for any multiple of the ranks that were recorded where roles and
 * groups can be said by size and stride.
 *
 * Errors   CONFIG_ERROR: there are more roles than OP_MAX_ROLES
 * Owner    the caller owns the script, which borrows the take
 */
#ifndef WORKLOADS_RECORDING_TAKE_SCRIPT_H
#define WORKLOADS_RECORDING_TAKE_SCRIPT_H

#include "workloads/recording/take/take.h"

typedef struct {
    GArray *ranks; /* of uint32_t: of the recording, by id */
    GArray *npus;  /* of uint32_t: the NPUs that have the role, ascending */
    OpRanksBy by;  /* RANKS_ALL, RANKS_STRIDE or RANKS_LIST */
    uint32_t size, stride, at;
} TakeRole;

/* Of the program.  The first is that of all. */
typedef struct {
    OpGroupBy by;
    uint32_t size, stride, dims_mask;
    GArray *ids; /* of uint32_t: lists of .size one after the other */
    char *name;  /* owned */
} TakeGroup;

/* A collective or a message, of all roles and instances that are one. */
typedef struct {
    char *name;        /* owned */
    uint32_t instance; /* the first */
    uint32_t n;        /* instances */
    uint32_t group;    /* of .groups */
    uint32_t from, to; /* places in the group; from is a root, too */
    uint64_t bytes;    /* 0: not known */
    uint64_t time_ps;  /* mean; 0: not known */
    uint64_t wait_ps;  /* of the first rank for the last, the longest */
    GArray *weights;   /* of uint64_t; NULL */
    uint32_t priority;
    gboolean is_star;
} TakeShared;

typedef struct {
    Take *take;
    uint32_t n_ranks; /* NPUs that the program is of, or a multiple of them */
    gboolean has_missing; /* several ranks were recorded of a larger world: NPUs
                           * are ranks of the world */
    GArray *roles;        /* of TakeRole */
    GArray *groups;       /* of TakeGroup */
    GArray *shared;       /* of TakeShared, by their first place in a list */
    uint32_t *shared_of;  /* by instance */
    uint32_t *place_of;   /* by rank of the recording: which NPU it is */
    uint32_t *likes;      /* by NPU: the rank of the recording whose
                           * operations it has */
    uint32_t *group_of;   /* by instance */
    uint32_t *component;  /* by rank: of ranks that send to each other */
    uint32_t *component_place; /* by rank: in it */
} Script;

/* @n_ranks 0: as many as the recording says there were.  Of several ranks of a
 * larger world, @n_ranks may be how many were recorded: a program of them
 * alone. */
G_GNUC_WARN_UNUSED_RESULT
Script *script_new(Take *take, uint32_t n_ranks, GError **error);
void script_free(Script *script);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Script, script_free)

static inline TakeRole *script_role(const Script *script, guint i)
{
    return &g_array_index(script->roles, TakeRole, i);
}

static inline TakeGroup *script_group(const Script *script, guint i)
{
    return &g_array_index(script->groups, TakeGroup, i);
}

static inline TakeShared *script_shared(const Script *script, const TakeOp *op)
{
    return &g_array_index(script->shared, TakeShared,
                          script->shared_of[op->instance]);
}

/* Of the first rank that takes part. */
static inline const RecordNode *script_node(const Script *script,
                                            const TakeShared *shared)
{
    const RecordMatch *match = script->take->match;
    const RecordMember *one =
        record_member(match, record_instance(match, shared->instance), 0);

    return record_node(record_rank(script->take->recording, one->rank),
                       one->node);
}

/* @node is a pass of a layer, and named by that: of a plan of layers. */
static inline gboolean script_is_layer(const Script *script,
                                       const RecordNode *node)
{
    return script->take->is_plan && node->pass < OP_N_PASSES;
}

/* The rank whose list is that of @role. */
static inline const TakeRank *script_like(const Script *script,
                                          const TakeRole *role)
{
    return take_rank(script->take, g_array_index(role->ranks, uint32_t, 0));
}

/* ---- for take/ only --------------------------------------------------- */

/* groups.c: .groups and .group_of, of each instance. */
void script_find_groups(Script *script);
/* missing.c: .likes, once .role of each recorded rank is known. */
void script_find_likes(Script *script);
/* Adds to groups that are listed the sets of ranks that were not recorded.
 * FALSE: some NPU then has an operation in a group that it is not part of, or
 * is part of a group without having its operations. */
G_GNUC_WARN_UNUSED_RESULT
gboolean script_complete_groups(Script *script);
/* roles.c: .roles and .likes; FALSE: too many. */
G_GNUC_WARN_UNUSED_RESULT
gboolean script_find_roles(Script *script, GError **error);
/* shared.c: what is one operation. */
void script_find_shared(Script *script);
/* names.c: short, of letters that YAML and globs take as they are; several
 * may be the same.  Owner: the caller. */
char *script_short_name(const char *name);

/* The place of NPU @npu in its set of @group; @npu: it is in none. */
uint32_t script_place(const Script *script, uint32_t group, uint32_t npu);
/* The NPU that rank @id of the world is; UINT32_MAX: none. */
uint32_t script_npu_of(const Script *script, uint32_t id);

#endif
