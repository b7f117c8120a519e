/*
 * match.h - who communicates with whom: the same collective on several ranks,
 * a send with its receive
 *
 * By the sequence number that the recording has, else by order: the n-th of a
 * kind in a group is the same on all its ranks.  A message is the n-th from one
 * rank to another with one tag.  What finds no other stays alone and is
 * counted; nothing fails.  A kernel that sends and receives without saying what
 * (RecordComm.is_guess) is matched only if all ranks have it and end it at one
 * time, and stays alone otherwise.
 *
 * A collective takes from the begin of the last rank, as those that are there
 * before wait, to its end.
 *
 * Units    ps since the earliest RecordRank.base_ns
 * Owner    the caller owns the match
 */
#ifndef WORKLOADS_RECORDING_MATCH_H
#define WORKLOADS_RECORDING_MATCH_H

#include "workloads/recording/window.h"

typedef struct {
    uint32_t rank; /* of Recording.ranks */
    uint32_t node;
} RecordMember;

typedef struct {
    CollKind kind;  /* COLL_SEND: a message */
    uint32_t group; /* of Recording.groups; RECORD_NONE: all ranks */
    gboolean by_sequence;
    uint32_t first, n;   /* of .members; a sender before its receiver */
    uint32_t n_expected; /* members that the recording has ranks of */
    int64_t first_begin_ps, last_begin_ps, end_ps; /* RECORD_NO_TIME */
} RecordInstance;

typedef struct {
    GArray *instances; /* of RecordInstance, as the first rank that takes
                        * part has them in time */
    GArray *members;   /* of RecordMember */
    uint32_t **of;     /* by rank and node: instance, or RECORD_NONE */
    guint n_ranks;     /* of .of */
    guint n_by_sequence, n_by_order; /* collectives of several ranks */
    guint n_messages;                /* with both ends */
    guint n_partial;                 /* collectives that not all ranks have */
    guint n_alone;   /* messages of which one end is not there */
    guint n_apart;   /* some rank's ended before the last one's begin */
    guint n_on_host; /* collectives that the host called, beside those that the
                      * device did: not matched */
} RecordMatch;

/* What is in @window; NULL: all. */
RecordMatch *record_match(const Recording *recording,
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

/* What the network needed: the end less the last begin.  RECORD_TIMES_ALONE:
 * the longest of what they say.  0: not known. */
uint64_t record_instance_ps(const Recording *recording,
                            const RecordMatch *match,
                            const RecordInstance *instance);

/* TRUE: the node is a communication that is replayed. */
gboolean record_communicates(const RecordNode *node);

/* Which of the sets of @group rank @id is in, and at which place; FALSE: in
 * none.  @n_world is 0 or how many ranks there are. */
gboolean record_group_place(const OpGroup *group, uint32_t id, uint32_t *set,
                            uint32_t *place);

#endif
