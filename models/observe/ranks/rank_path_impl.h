/* rank_path_impl.h - the records of a run, for the files of rank_path.h */
#ifndef MODELS_OBSERVE_RANKS_RANK_PATH_IMPL_H
#define MODELS_OBSERVE_RANKS_RANK_PATH_IMPL_H

#include "models/observe/ranks/rank_path.h"

#define RANK_NONE UINT32_MAX

/* The operations of a role, in the order of the graph. */
typedef struct {
    uint32_t n;
    uint32_t *ops; /* owned: the operations of the role */
    /* Owned: maps an operation to its index in .ops; RANK_NONE: absent. */
    uint32_t *places;
    /* Owned: for each operation, the index of its predecessor on its stream,
     * which is of the previous iteration if the index is not smaller;
     * RANK_NONE: the operation has no stream. */
    uint32_t *before;
} RankOps;

/* Collectives that a collective lane started together. */
typedef struct {
    uint32_t lane;
    uint32_t first_member, n_members; /* the range of collectives in .members */
    SimTime ready_ps, taken_ps, go_ps, begin_ps, end_ps;
    SimTime most_end_ps; /* largest .end_ps of its collective lane so far */
    uint32_t end_npu;    /* NPU that finished last */
} RankPathLoad;

struct RankPath {
    System *system;                 /* borrowed */
    const OpGraph *graph;           /* borrowed */
    const CollPlacement *placement; /* borrowed */
    uint64_t n_iterations;
    RankOps *roles; /* owned: the operations of each role */
    gsize *first;   /* owned: for each simulated NPU, its first span */
    /* Owned: the spans of operations, by NPU, iteration and index in the
     * role. */
    RankSpan *spans;
    /* Owned: the index in .loads by iteration and operation; NULL: there are no
     * lanes. */
    uint32_t *load_of;
    GArray *loads; /* owned: loads (RankPathLoad) in the order of their start */
    GArray *members; /* owned: the collectives in loads (TraceMember) */
    GArray *parts;   /* owned: the parts of the path (RankPathPart) */
};

/* An instance of an operation on an NPU. */
typedef struct {
    uint32_t npu, op;
    uint64_t iteration;
} RankOpInstance;

/* Returns when the operation instance @instance began and ended. */
static inline RankSpan *
rank_path_span_of_instance(const RankPath *path, const RankOpInstance *instance)
{
    const RankOps *ops =
        &path->roles[coll_placement_role(path->placement, instance->npu)];

    g_assert(ops->places[instance->op] != RANK_NONE &&
             instance->iteration < path->n_iterations);
    return &path->spans[path->first[system_representative_npu(path->system,
                                                              instance->npu)] +
                        instance->iteration * ops->n +
                        ops->places[instance->op]];
}

/* Returns the load of @op, or NULL if it has no lane. */
static inline RankPathLoad *
rank_path_load_of_op(const RankPath *path, uint32_t op, uint64_t iteration)
{
    uint32_t load = RANK_NONE;

    if (path->load_of)
        load = path->load_of[iteration * path->graph->ops->len + op];
    return load == RANK_NONE ? NULL
                             : &g_array_index(path->loads, RankPathLoad, load);
}

/* ---- rank_predecessors.c ------------------------------------------------ */

/* Sets *@ret to the operation that ended last among those that @instance waited
 * for on its NPU.  Returns FALSE if it waited for none. */
gboolean rank_path_find_predecessor(const RankPath *path,
                                    const RankOpInstance *instance,
                                    RankOpInstance *ret);
/* Returns the end of the last operation that @instance waited for on its NPU,
 * or 0 if there is none. */
SimTime rank_path_instance_ready_ps(const RankPath *path,
                                    const RankOpInstance *instance);
/* Returns the instance of the collective @instance on the NPU of its group that
 * began last, but no later than @by_ps.  Returns @instance itself if no other
 * NPU began later. */
RankOpInstance rank_path_find_last_begin(const RankPath *path,
                                         const RankOpInstance *instance,
                                         SimTime by_ps);
/* Returns the member of @load that became ready last on any NPU. */
RankOpInstance rank_path_find_last_ready_member(const RankPath *path,
                                                const RankPathLoad *load);
/* Returns the load of the same collective lane that ended last after @load was
 * ready and before it was started, or NULL if there is none. */
const RankPathLoad *rank_path_find_load_predecessor(const RankPath *path,
                                                    const RankPathLoad *load);

#endif
