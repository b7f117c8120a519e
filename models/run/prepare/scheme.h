/*
 * scheme.h - who takes part in collectives that are alike
 *
 * Operations share a Scheme that have one plan and are of the same roles.
 * Their chunks are counted together: which takes which order of dimensions
 * goes round with all of them.
 *
 * Who takes part in a collective with each other is a set: those of a group
 * that are simulated.  Where NPUs are folded, groups whose members stand for
 * each other are one set, and they have the same representatives.
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
    const Op *op;               /* borrowed: the first of them */
    const CollPlanned *planned; /* borrowed; of no phase, if not simulated */
    uint32_t audience;          /* schemes of the same roles have the same */
    uint64_t n_chunks;          /* of an iteration; see cuts.c */
    uint64_t most_chunk_bytes;
    uint32_t n_parts; /* NPUs that take part, of those simulated */
    /* Owned: the set of each simulated NPU, and how many are in each; NULL
     * where all NPUs have one program and one communicator. */
    uint32_t *set_of, *set_sizes;
    uint32_t n_sets;
    /* Owned, of what is not simulated, and where there are several
     * communicators: all that take part, set after set, and where each begins.
     */
    uint32_t *seats, *first_seats;
} Scheme;

/* Not simulated: there are sets even where all have one program. */
static inline gboolean scheme_is_recorded(const Scheme *scheme)
{
    return scheme->op->is_recorded;
}

typedef struct {
    CollPlans plans; /* owned */
    GPtrArray *all;  /* owned: of owned Scheme */
    Scheme **of;     /* owned: by operation, borrowed; NULL: no collective */
    uint32_t n_audiences;
} Schemes;

/* Plans all collectives of the cast's graph, as @stack decides; it must outlive
 * them. */
G_GNUC_WARN_UNUSED_RESULT
gboolean schemes_init(Schemes *schemes, const CollectiveConfig *config,
                      const CollCast *cast, const Topology *topology,
                      Stack *stack, GError **error);
/* Who takes part, once it is known who is simulated; with @has_sets, sets and
 * seats of all, even where all NPUs have one program. */
void schemes_seat(Schemes *schemes, const CollCast *cast, const Fold *fold,
                  gboolean has_sets);
void schemes_clear(Schemes *schemes);

static inline const Scheme *schemes_at(const Schemes *schemes, guint i)
{
    return g_ptr_array_index(schemes->all, i);
}

#endif
