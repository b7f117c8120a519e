/* rank_path_impl.h - what was recorded, for who walks back through it */
#ifndef MODELS_OBSERVE_RANKS_RANK_PATH_IMPL_H
#define MODELS_OBSERVE_RANKS_RANK_PATH_IMPL_H

#include "models/observe/ranks/rank_path.h"

#define RANK_NONE UINT32_MAX

/* The operations of a role, in the order of the graph. */
typedef struct {
    uint32_t n;
    uint32_t *ops;    /* owned */
    uint32_t *places; /* owned: by operation its place in .ops; RANK_NONE */
    uint32_t *before; /* owned: of each the place of what its stream did before
                       * it: in the iteration before, where that is no smaller;
                       * RANK_NONE: it has no stream */
} RankOps;

/* What a lane let begin as one. */
typedef struct {
    uint32_t lane, first_member, n_members; /* of .members */
    SimTime ready_ps, look_ps, go_ps, begin_ps, end_ps;
    SimTime most_end_ps; /* of it and those of its lane before it */
    uint32_t end_npu;    /* that was done last */
} RankLoad;

struct RankPath {
    System *system;       /* borrowed */
    const OpGraph *graph; /* borrowed */
    const CollCast *cast; /* borrowed */
    uint64_t n_iterations;
    RankOps *roles;    /* owned: one a role */
    gsize *first;      /* owned: by simulated NPU, of .spans */
    RankSpan *spans;   /* owned: by NPU, iteration, place in its role */
    uint32_t *load_of; /* owned: by iteration and operation, of .loads;
                        * NULL: there are no lanes */
    GArray *loads;     /* owned: of RankLoad, as they were let go */
    GArray *members;   /* owned: of TraceMember */
    GArray *parts;     /* owned: of RankPathPart */
};

/* An operation on an NPU. */
typedef struct {
    uint32_t npu, op;
    uint64_t iteration;
} RankAt;

static inline RankSpan *rank_span(const RankPath *path, const RankAt *at)
{
    const RankOps *ops = &path->roles[coll_cast_role(path->cast, at->npu)];

    g_assert(ops->places[at->op] != RANK_NONE &&
             at->iteration < path->n_iterations);
    return &path->spans[path->first[system_place(path->system, at->npu)] +
                        at->iteration * ops->n + ops->places[at->op]];
}

/* NULL: @op has no lane. */
static inline RankLoad *rank_load(const RankPath *path, uint32_t op,
                                  uint64_t iteration)
{
    uint32_t load = RANK_NONE;

    if (path->load_of)
        load = path->load_of[iteration * path->graph->ops->len + op];
    return load == RANK_NONE ? NULL
                             : &g_array_index(path->loads, RankLoad, load);
}

/* ---- rank_before.c ----------------------------------------------------- */

/* What ended last of what @at waited for on its own NPU; FALSE: it waited for
 * nothing. */
gboolean rank_before(const RankPath *path, const RankAt *at, RankAt *ret);
/* When that was; 0: nothing. */
SimTime rank_ready_ps(const RankPath *path, const RankAt *at);
/* Of those that carry the collective @at out together the one that began last,
 * but no later than @by_ps; itself, if no other did. */
RankAt rank_last_begin(const RankPath *path, const RankAt *at, SimTime by_ps);
/* Of the members of @load on all NPUs the one that was ready last. */
RankAt rank_last_ready(const RankPath *path, const RankLoad *load);
/* What lane of @load ended last before @load was let go and since that was
 * ready; NULL: nothing. */
const RankLoad *rank_load_before(const RankPath *path, const RankLoad *load);

#endif
