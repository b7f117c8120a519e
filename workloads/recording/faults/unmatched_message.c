/* unmatched_message.c - a send without its receive or the reverse, although the
 * other rank was recorded */
#include "workloads/recording/lint_impl.h"

static gboolean rank_is_recorded(const Lint *lint, uint32_t rank)
{
    for (guint i = 0; i < lint->recording->ranks->len; i++)
        if (lint_rank(lint, i)->rank == rank)
            return TRUE;
    return FALSE;
}

static void check_message_ends(Lint *lint, const RecordInstance *instance)
{
    const RecordMember *member = record_member(lint->match, instance, 0);
    const RecordRank *rank = lint_rank(lint, member->rank);
    const RecordNode *node = record_node(rank, member->node);
    uint32_t peer = record_node_communication(rank, node)->peer;

    if (peer == RECORD_NONE || !rank_is_recorded(lint, peer))
        return;
    if (node->kind == RECORD_SEND)
        lint_add_fault(lint, member->rank, member->node,
                       "is sent to rank %u, which does not receive it", peer);
    else
        lint_add_fault(lint, member->rank, member->node,
                       "is received from rank %u, which does not send it",
                       peer);
}

static void find_unmatched_message_faults(Lint *lint)
{
    for (guint i = 0; i < lint->match->instances->len; i++) {
        const RecordInstance *instance = record_instance(lint->match, i);

        if (instance->kind == COLL_SEND && instance->n == 1)
            check_message_ends(lint, instance);
    }
}

const FaultKind fault_lone_message = {
    .base = { .name = "lone-message", .summary = "a message has one end only" },
    .severity = FAULT_ERROR,
    .import = "takes it as work of the device, of its recorded time",
    .find_faults = find_unmatched_message_faults,
};
