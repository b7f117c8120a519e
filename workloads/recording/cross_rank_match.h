/*
 * cross_rank_match.h - matches the same collective on several ranks, and sends
 * with receives
 *
 * Collectives are matched by their sequence number if the recording has it.
 * Otherwise they are matched by order: the n-th collective of a kind in a group
 * is the same on all its ranks.  Messages are matched by order for each sender,
 * receiver and tag.  Unmatched nodes are counted and are no error.  A kernel
 * that sends and receives unspecified data (RecordComm.is_guess) is matched
 * only if all ranks have it and it ends on all ranks at the same time.
 *
 * The duration of a collective is from the begin of the last rank, for which
 * the other ranks wait, to its end.
 *
 * Units    ps since the earliest RecordRank.base_ns
 * Owner    the caller owns the match
 */
#ifndef WORKLOADS_RECORDING_CROSS_RANK_MATCH_H
#define WORKLOADS_RECORDING_CROSS_RANK_MATCH_H

#include "workloads/recording/iteration_window.h"

typedef struct {
    uint32_t rank; /* index of the rank in Recording.ranks */
    uint32_t node;
} RecordMember;

typedef struct {
    CollKind kind; /* kind of the instance; COLL_SEND: a message */
    /* Index of the group in Recording.groups; RECORD_NONE: all ranks. */
    uint32_t group;
    gboolean by_sequence;
    /* Range in RecordMatch.members; a sender precedes its receiver. */
    uint32_t first, n;
    uint32_t n_expected; /* number of recorded ranks that should take part */
    /* Times of the instance over its members, or RECORD_NO_TIME. */
    int64_t first_begin_ps, last_begin_ps, end_ps;
} RecordInstance;

typedef struct {
    /* Instances in the time order of the first rank that takes part; the
     * elements are RecordInstance. */
    GArray *instances;
    /* Members of all instances; the elements are RecordMember. */
    GArray *members;
    /* Owned: for each rank and node the index of its instance, or
     * RECORD_NONE. */
    uint32_t **instance_of_node;
    guint n_ranks; /* number of arrays in .instance_of_node */
    /* Number of collectives that were matched on several ranks. */
    guint n_by_sequence, n_by_order;
    guint n_messages; /* number of messages with both ends */
    /* Number of collectives that some rank lacks. */
    guint n_partial;
    guint n_alone; /* number of messages with one end only */
    /* Number of instances in which a rank ended before the last one began. */
    guint n_apart;
    /* Number of collectives on the host that the device has as well: not
     * matched. */
    guint n_on_host;
} RecordMatch;

/* Matches the nodes in @window, or all nodes if @window is NULL. */
RecordMatch *record_match_ranks(const Recording *recording,
                                const RecordWindow *window);
void record_match_free(RecordMatch *match);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordMatch, record_match_free)

static inline RecordInstance *record_instance(const RecordMatch *match, guint i)
{
    return &g_array_index(match->instances, RecordInstance, i);
}

static inline const RecordMember *
record_member(const RecordMatch *match, const RecordInstance *instance, guint i)
{
    return &g_array_index(match->members, RecordMember, instance->first + i);
}

/* Returns the time that the network needed: from the last begin to the end.  If
 * durations are those of isolated runs (RECORD_ISOLATED_TIME), returns the
 * longest. Returns 0 if the time is unknown. */
uint64_t record_instance_ps(const Recording *recording,
                            const RecordMatch *match,
                            const RecordInstance *instance);

/* Sets @set to the set of @group that rank @id is in, and @place to its index
 * there.  Returns FALSE if the rank is in none. */
gboolean record_find_rank_in_group(const OpGroup *group, uint32_t id,
                                   uint32_t *set, uint32_t *place);

#endif
