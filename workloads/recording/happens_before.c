/* happens_before.c - decides whether a member of a collective or a message
 * depends on data of another member */
#include "workloads/recording/align.h"

static gboolean is_root(const Recording *recording, const RecordMember *member)
{
    const RecordRank *rank = record_rank(recording, member->rank);
    const RecordComm *comm = record_comm(rank, record_node(rank, member->node));

    return comm && comm->peer != RECORD_NONE && comm->peer == rank->rank;
}

static gboolean is_sender(const Recording *recording,
                          const RecordMember *member)
{
    const RecordRank *rank = record_rank(recording, member->rank);

    return record_node(rank, member->node)->kind == RECORD_SEND;
}

gboolean align_depends_on(const Recording *recording, CollKind kind,
                          const RecordMember *effect, const RecordMember *cause)
{
    const CollContract *promise;

    if (kind == COLL_SEND)
        return is_sender(recording, cause) && !is_sender(recording, effect);
    if (kind >= COLL_N_KINDS)
        return FALSE;
    promise = coll_contract(kind);
    if (!promise->has_root)
        return TRUE;
    if (is_root(recording, cause) && promise->root_has != COLL_NOTHING &&
        promise->others_get != COLL_NOTHING)
        return TRUE;
    return is_root(recording, effect) && promise->root_gets != COLL_NOTHING &&
           promise->others_have != COLL_NOTHING;
}
