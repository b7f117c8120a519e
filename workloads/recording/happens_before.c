/* happens_before.c - decides whether a member of a collective or a message
 * depends on data of another member */
#include "workloads/recording/clock_alignment.h"

static gboolean member_is_root(const Recording *recording,
                               const RecordMember *member)
{
    const RecordRank *rank = record_rank(recording, member->rank);
    const RecordComm *comm =
        record_node_communication(rank, record_node(rank, member->node));

    return comm && comm->peer != RECORD_NONE && comm->peer == rank->rank;
}

static gboolean member_is_sender(const Recording *recording,
                                 const RecordMember *member)
{
    const RecordRank *rank = record_rank(recording, member->rank);

    return record_node(rank, member->node)->kind == RECORD_SEND;
}

gboolean align_effect_needs_cause(const Recording *recording, CollKind kind,
                                  const RecordMember *effect,
                                  const RecordMember *cause)
{
    const CollContract *promise;

    if (kind == COLL_SEND)
        return member_is_sender(recording, cause) &&
               !member_is_sender(recording, effect);
    if (kind >= COLL_N_KINDS)
        return FALSE;
    promise = coll_contract(kind);
    if (!promise->collective_has_root)
        return TRUE;
    if (member_is_root(recording, cause) && promise->root_has != COLL_NOTHING &&
        promise->others_get != COLL_NOTHING)
        return TRUE;
    return member_is_root(recording, effect) &&
           promise->root_gets != COLL_NOTHING &&
           promise->others_have != COLL_NOTHING;
}
