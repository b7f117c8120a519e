/*
 * collective_order.c - ranks call the collectives of a group in different
 * orders
 *
 * The program would hang.  Collectives are numbered in the order of the first
 * rank that takes part, so within a group the numbers must ascend on every
 * rank.
 */
#include "workloads/recording/lint_impl.h"

#include <inttypes.h>

typedef struct {
    int64_t at_ps;
    uint32_t node;
} Call;

static int compare_calls_by_time(gconstpointer a, gconstpointer b)
{
    const Call *one = a, *other = b;

    if (one->at_ps != other->at_ps)
        return one->at_ps < other->at_ps ? -1 : 1;
    return (one->node > other->node) - (one->node < other->node);
}

static GArray *collective_calls_of_rank(const Lint *lint, guint rank_index)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    GArray *calls = g_array_new(FALSE, FALSE, sizeof(Call));

    for (uint32_t i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        uint32_t of = lint->match->instance_of_node[rank_index][i];
        Call call = { node->begin_ps, i };

        if (of == RECORD_NONE ||
            record_instance(lint->match, of)->kind == COLL_SEND)
            continue;
        if (node->launch != RECORD_NONE)
            call.at_ps = record_node(rank, node->launch)->begin_ps;
        g_array_append_val(calls, call);
    }
    g_array_sort(calls, compare_calls_by_time);
    return calls;
}

static void find_order_faults_of_rank(Lint *lint, guint rank_index)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    /* The last entry is for collectives without a group. */
    guint n_groups = lint->recording->groups->len + 1;
    g_autofree uint32_t *last = g_new0(uint32_t, n_groups);
    g_autoptr(GArray) calls = collective_calls_of_rank(lint, rank_index);

    for (guint i = 0; i < calls->len; i++) {
        uint32_t node = g_array_index(calls, Call, i).node;
        uint32_t of =
            /* Number of the collective from 1; 0: none yet. */
            lint->match->instance_of_node[rank_index][node] + 1;
        uint32_t group =
            MIN(record_node_communication(rank, record_node(rank, node))->group,
                n_groups - 1);

        if (of < last[group])
            lint_add_fault(
                lint, rank_index, node,
                "comes after a collective of its group that comes after "
                "it on '%s'",
                lint_rank(lint,
                          record_member(lint->match,
                                        record_instance(lint->match, of - 1), 0)
                              ->rank)
                    ->file);
        last[group] = MAX(last[group], of);
    }
}

static void find_collective_order_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        find_order_faults_of_rank(lint, r);
}

const FaultKind fault_collective_order = {
    .base = { .name = "collective-order",
              .summary = "ranks call the collectives of a group in different "
                         "orders" },
    .severity = FAULT_ERROR,
    .import = "matches the n-th of a kind with the n-th; a run refuses what "
              "then waits for itself",
    .find_faults = find_collective_order_faults,
};
