/* message_peers.c - resolves the peers of messages, which are ranks or indices
 * in a group */
#include "workloads/recording/message_peers.h"

/* Interpretations that are impossible for the peers seen so far. */
typedef struct {
    gboolean no_rank, no_place;
} Excluded;

static gboolean group_lists_rank(const OpGroup *group, uint32_t id)
{
    for (uint32_t i = 0; i < group->n_lists * group->size; i++)
        if (group->ids[i] == id)
            return TRUE;
    return FALSE;
}

static const OpGroup *listed_group_of_communication(const Recording *recording,
                                                    const RecordComm *comm)
{
    const OpGroup *group;

    if (!comm->peer_may_be_place || comm->group == RECORD_NONE ||
        comm->peer == RECORD_NONE)
        return NULL;
    group = &g_array_index(recording->groups, OpGroup, comm->group);
    return group->grouped_by == GROUP_LISTS && group->n_lists == 1 ? group
                                                                   : NULL;
}

static void exclude_interpretations(const OpGroup *group,
                                    const RecordRank *rank, uint32_t peer,
                                    Excluded *excluded)
{
    excluded->no_rank |= !group_lists_rank(group, peer) || peer == rank->rank;
    excluded->no_place |= peer >= group->size || group->ids[peer] == rank->rank;
}

void record_resolve_peers(Recording *recording)
{
    Excluded all = { 0 };

    for (guint pass = 0; pass < 2; pass++)
        for (guint r = 0; r < recording->ranks->len; r++) {
            RecordRank *rank = record_rank(recording, r);

            for (guint c = 0; c < rank->comms->len; c++) {
                RecordComm *comm = &g_array_index(rank->comms, RecordComm, c);
                const OpGroup *group =
                    listed_group_of_communication(recording, comm);
                Excluded own = { 0 };

                if (!group)
                    continue;
                exclude_interpretations(group, rank, comm->peer, &own);
                if (pass == 0) {
                    all.no_rank |= own.no_rank && !own.no_place;
                    all.no_place |= own.no_place && !own.no_rank;
                    continue;
                }
                comm->peer_may_be_place = FALSE;
                if (own.no_place ||
                    (all.no_place && !all.no_rank && !own.no_rank))
                    continue;
                comm->peer = group->ids[comm->peer];
            }
        }
}
