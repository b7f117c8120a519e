/*
 * collective_class.h - operations that use the same collective plan and the
 * same ranks
 *
 * Operations share a CollectiveClass if they have one plan and the same roles.
 * Their chunks are counted together, because each next chunk takes the next
 * order of the dimensions.
 *
 * A set is the simulated NPUs that take part together in a collective: the
 * members of one group.  If NPUs are folded, groups whose members represent
 * each other have the same representatives and form one set.
 *
 * Owner    the system owns its classes
 */
#ifndef MODELS_RUN_PREPARE_COLLECTIVE_CLASS_H
#define MODELS_RUN_PREPARE_COLLECTIVE_CLASS_H

#include "models/collectives/plan_cache.h"
#include "models/run/prepare/op_endpoints.h"
#include "models/run/system.h"
#include "models/stacks/stack.h"

#define COLLECTIVE_CLASS_NO_SET UINT32_MAX

typedef struct {
    const Op *op; /* borrowed: the first operation of the class */
    /* Borrowed; a plan without phases if the operations are not simulated. */
    const CollPlanned *planned;
    /* Number of the endpoint of an NPU that carries out the operations. */
    uint32_t endpoint;
    /* Number that all classes of operations with the same roles share. */
    uint32_t audience;
    /* Chunks that the operations have per iteration; see chunking_choice.c. */
    uint64_t n_chunks;
    uint64_t max_chunk_bytes;
    uint32_t n_parts; /* number of simulated NPUs that take part */
    /* Owned: the set of each simulated NPU, and the number of NPUs in each set.
     * NULL if all NPUs have one program and one communicator. */
    uint32_t *set_of, *set_sizes;
    uint32_t n_sets;
    /* Owned: the NPUs that take part, set after set, and for each set the index
     * of its first NPU.  Only for recorded operations and with several
     * communicators, else NULL. */
    uint32_t *set_members, *set_starts;
} CollectiveClass;

/* Returns whether the operations take their recorded time instead of being
 * simulated.  A class of such operations always has sets. */
static inline gboolean
collective_class_is_recorded(const CollectiveClass *coll_class)
{
    return coll_class->op->is_recorded;
}

typedef struct {
    CollPlans plans;    /* owned */
    GPtrArray *classes; /* owned: of owned CollectiveClass */
    /* Owned: a borrowed CollectiveClass per operation; NULL: no collective. */
    CollectiveClass **class_of_op;
    uint32_t n_audiences;
} CollectiveClasses;

/* Plans all collectives of the graph of @placement, as @stack decides, or as
 * @config says if their endpoint in @endpoints does not use the stack.
 * @placement and @stack must outlive @classes.  Returns FALSE and sets @error
 * if the stack or the planner refuses a collective. */
G_GNUC_WARN_UNUSED_RESULT
gboolean collective_classes_init(CollectiveClasses *classes,
                                 const CollectiveConfig *config,
                                 const OpEndpoints *endpoints,
                                 const CollPlacement *placement,
                                 const Topology *topology, Stack *stack,
                                 GError **error);
/* Finds the sets of simulated NPUs, once @fold is known.  @has_sets: lists sets
 * and members of all classes, even if all NPUs have one program. */
void collective_classes_find_sets(CollectiveClasses *classes,
                                  const CollPlacement *placement,
                                  const SymmetryFold *fold, gboolean has_sets);
/* Frees what @classes contains; does nothing if it was never initialised. */
void collective_classes_clear(CollectiveClasses *classes);

static inline const CollectiveClass *
collective_classes_at(const CollectiveClasses *classes, guint i)
{
    return g_ptr_array_index(classes->classes, i);
}

#endif
