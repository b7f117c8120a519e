/*
 * split_mismatch.c - in an all-to-all, a rank sends another amount than its
 * peer receives
 *
 * .in_split is the amount that a rank sends to each member of its group,
 * .out_split the amount that it receives.
 */
#include "workloads/recording/lint_impl.h"

#include <inttypes.h>

typedef struct {
    const RecordMember *member;
    const RecordComm *comm;
    const RecordRank *rank;
    uint32_t place; /* index of the rank in its group */
} MemberSplit;

static gboolean find_member_splits(const Lint *lint,
                                   const RecordInstance *instance, uint32_t i,
                                   MemberSplit *ret)
{
    uint32_t set;

    ret->member = record_member(lint->match, instance, i);
    ret->rank = lint_rank(lint, ret->member->rank);
    ret->comm = record_node_communication(
        ret->rank, record_node(ret->rank, ret->member->node));
    ret->place = ret->rank->rank;
    if (ret->rank->rank == RECORD_NO_RANK)
        return FALSE;
    if (instance->group == RECORD_NONE)
        return TRUE;
    return record_find_rank_in_group(
        &g_array_index(lint->recording->groups, OpGroup, instance->group),
        ret->rank->rank, &set, &ret->place);
}

/* Sets *@ret to the entry of @split for the rank at index @place. */
static gboolean find_split_entry(const GArray *split, uint32_t place,
                                 uint64_t *ret)
{
    if (!split || place >= split->len)
        return FALSE;
    *ret = g_array_index(split, uint64_t, place);
    return TRUE;
}

static void check_splits_of_pair(Lint *lint, const MemberSplit *from,
                                 const MemberSplit *to)
{
    uint64_t sent, gotten;

    if (!find_split_entry(from->comm->in_split, to->place, &sent) ||
        !find_split_entry(to->comm->out_split, from->place, &gotten) ||
        sent == gotten)
        return;
    lint_add_fault(lint, from->member->rank, from->member->node,
                   "sends %" PRIu64
                   " bytes to rank %u, which receives %" PRIu64,
                   sent, to->rank->rank, gotten);
}

static void find_split_mismatch_faults(Lint *lint)
{
    for (guint n = 0; n < lint->match->instances->len; n++) {
        const RecordInstance *instance = record_instance(lint->match, n);
        MemberSplit from, to;

        if (!coll_is_any_all_to_all(instance->kind))
            continue;
        for (uint32_t i = 0; i < instance->n; i++)
            for (uint32_t k = 0; k < instance->n; k++)
                if (find_member_splits(lint, instance, i, &from) &&
                    find_member_splits(lint, instance, k, &to))
                    check_splits_of_pair(lint, &from, &to);
    }
}

const FaultKind fault_split_mismatch = {
    .base = { .name = "split-mismatch",
              .summary = "what a rank sends is not what the other receives" },
    .severity = FAULT_ERROR,
    .import = "takes the size of the sender",
    .find_faults = find_split_mismatch_faults,
};
