/*
 * scheme.h - operations that use the same collective plan and the same ranks
 *
 * Operations share a Scheme if they have one plan and the same roles.  Their
 * chunks are counted together, because each next chunk takes the next order of
 * the dimensions.
 *
 * A set is the simulated NPUs that take part together in a collective: the
 * members of one group.  If NPUs are folded, groups whose members represent
 * each other have the same representatives and form one set.
 *
 * Owner    the system owns its schemes
 */
#ifndef MODELS_RUN_PREPARE_SCHEME_H
#define MODELS_RUN_PREPARE_SCHEME_H

#include "models/collectives/plans.h"
#include "models/run/system.h"
#include "models/stacks/stack.h"

#define SCHEME_NO_SET UINT32_MAX

typedef struct {
    const Op *op;               /* borrowed: the first of the operations */
    const CollPlanned *planned; /* borrowed; without phases if not simulated */
    uint32_t audience; /* a number that schemes of the same roles share */
    uint64_t n_chunks; /* chunks per iteration; see cuts.c */
    uint64_t most_chunk_bytes;
    uint32_t n_parts; /* simulated NPUs that take part */
    /* Owned: the set of each simulated NPU, and the number of NPUs in each set.
     * NULL if all NPUs have one program and one communicator. */
    uint32_t *set_of, *set_sizes;
    uint32_t n_sets;
    /* Owned: the NPUs that take part, set after set, and the index of each
     * set's first.  Only for recorded operations and with several
     * communicators, else NULL. */
    uint32_t *seats, *first_seats;
} Scheme;

/* Returns whether the operations take their recorded time instead of being
 * simulated.  Such a scheme always has sets. */
static inline gboolean scheme_is_recorded(const Scheme *scheme)
{
    return scheme->op->is_recorded;
}

typedef struct {
    CollPlans plans; /* owned */
    GPtrArray *all;  /* owned: of owned Scheme */
    /* Owned: one borrowed Scheme per operation; NULL: no collective. */
    Scheme **of;
    uint32_t n_audiences;
} Schemes;

/* Plans all collectives of the graph of @cast, as @stack decides.  @cast and
 * @stack must outlive @schemes.  Returns FALSE and sets @error if the stack or
 * the planner refuses a collective. */
G_GNUC_WARN_UNUSED_RESULT
gboolean schemes_init(Schemes *schemes, const CollectiveConfig *config,
                      const CollCast *cast, const Topology *topology,
                      Stack *stack, GError **error);
/* Finds the sets of simulated NPUs, once @fold is known.  @has_sets: lists sets
 * and members of all schemes, even if all NPUs have one program. */
void schemes_seat(Schemes *schemes, const CollCast *cast, const Fold *fold,
                  gboolean has_sets);
/* Frees what @schemes contains; does nothing if it was never initialised. */
void schemes_clear(Schemes *schemes);

static inline const Scheme *schemes_at(const Schemes *schemes, guint i)
{
    return g_ptr_array_index(schemes->all, i);
}

#endif
