/* rank_not_in_group.c - a rank takes part in a collective although it is not in
 * the group, or sends to a rank outside of the group */
#include "workloads/recording/lint_impl.h"

static gboolean group_contains_rank(const OpGroup *group, uint32_t rank)
{
    if (group->grouped_by != GROUP_LISTS)
        return TRUE; /* the sets of such a group contain all ranks */
    for (uint64_t i = 0; i < (uint64_t)group->n_lists * group->size; i++)
        if (group->ids[i] == rank)
            return TRUE;
    return FALSE;
}

static void check_node_group(Lint *lint, guint rank_index, uint32_t i)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    const RecordComm *comm =
        record_node_communication(rank, record_node(rank, i));
    const OpGroup *group;

    if (!comm || comm->group == RECORD_NONE)
        return;
    group = &g_array_index(lint->recording->groups, OpGroup, comm->group);
    if (rank->rank != RECORD_NO_RANK && !group_contains_rank(group, rank->rank))
        lint_add_fault(lint, rank_index, i,
                       "is of group '%s', which has no rank %u",
                       group->name ? group->name : "", rank->rank);
    else if (comm->peer != RECORD_NONE &&
             !group_contains_rank(group, comm->peer))
        lint_add_fault(lint, rank_index, i,
                       "is with rank %u, which group '%s' has not got",
                       comm->peer, group->name ? group->name : "");
}

static void find_rank_not_in_group_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        for (uint32_t i = 0; i < lint_rank(lint, r)->nodes->len; i++)
            check_node_group(lint, r, i);
}

const FaultKind fault_not_in_group = {
    .base = { .name = "not-in-group",
              .summary = "a rank takes part in what its group has no part in" },
    .severity = FAULT_ERROR,
    .import = "lets the ranks take part that have it",
    .find_faults = find_rank_not_in_group_faults,
};
