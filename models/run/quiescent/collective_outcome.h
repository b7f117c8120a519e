/*
 * collective_outcome.h - the effect of an undisturbed collective on its NPUs
 * and links
 *
 * The key of an outcome is all that such a collective depends on: the plan of
 * each chunk, the bytes, and the state of each NPU of the set at the begin,
 * with times relative to it.  The outcome is all that the collective changes
 * up to its end.
 *
 * Owner    the caller
 */
#ifndef MODELS_RUN_QUIESCENT_COLLECTIVE_OUTCOME_H
#define MODELS_RUN_QUIESCENT_COLLECTIVE_OUTCOME_H

#include "models/run/collective_instance_impl.h"
#include "models/run/npu_impl.h"

/* The end of a chunk on an NPU. */
typedef struct {
    uint32_t member; /* index among the members of the set */
    uint32_t chunk;
} ChunkEnd;

/* The growth of the counters of a link by the messages of a collective. */
typedef struct {
    uint32_t link;
    NetPortStats increase;
} LinkGrowth;

typedef struct {
    StateWords key;
    /* FALSE: collectives of this key are simulated, because their NPUs do not
     * end together, or not at rest. */
    gboolean is_usable;
    SimTime takes_ps;
    GArray *ends;   /* owned, of ChunkEnd: in the order in which chunks end */
    GArray *links;  /* owned, of LinkGrowth, by link */
    GArray *growth; /* owned, of SimWide: of the counters of all members */
    /* State of the members at their end, with exact times relative to the
     * begin. */
    StateWords state;
} CollOutcome;

CollOutcome *coll_outcome_new(void);
void coll_outcome_free(gpointer outcome);
guint coll_outcome_hash(gconstpointer outcome);
gboolean coll_outcome_keys_are_equal(gconstpointer a, gconstpointer b);
/* Returns whether two outcomes of one key are the same.  Chunks of different
 * NPUs may end in a different order. */
gboolean coll_outcomes_are_same(const CollOutcome *a, const CollOutcome *b);

/* Writes the key of the set @set of @coll, which would begin now, to @key.
 * Returns FALSE if some endpoint of the set is not at rest. */
gboolean coll_outcome_write_key(const CollInstance *coll, uint32_t set,
                                StateWords *key);
/* Appends the counters of NPU @npu, which is at rest, to @counts (of SimWide),
 * and the other state that an outcome keeps of it to @state, with times
 * relative to @from_ps. Returns FALSE if its endpoint is not at rest. */
gboolean coll_outcome_record_npu(Npu *npu, SimTime from_ps, StateWords *state,
                                 GArray *counts);
/* Gives the NPUs and links of set @set of @coll, which began at @from_ps, the
 * state and the counters that they have at its end. */
void coll_outcome_apply(const CollOutcome *outcome, const CollInstance *coll,
                        uint32_t set, SimTime from_ps);

/* Returns simulated NPU number @member of @set, of .set_sizes members. */
static inline Npu *coll_set_member(const CollInstance *coll, uint32_t set,
                                   uint32_t member)
{
    const CollectiveClass *coll_class = coll->coll_class;

    return &coll->system->state.npus
                [coll_class->set_members[coll_class->set_starts[set] + member]];
}

#endif
