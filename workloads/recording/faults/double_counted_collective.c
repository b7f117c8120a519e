/*
 * double_counted_collective.c - a collective exists as a host call and as a
 * device kernel
 *
 * A sum over all nodes would count it twice.
 */
#include "workloads/recording/lint_impl.h"

static void find_double_counts_of_rank(Lint *lint, guint rank_index)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    uint32_t n_on_device[COLL_N_ALL_KINDS + 1] = { 0 };

    for (uint32_t i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);

        if (node->kind == RECORD_COLLECTIVE && inventory_is_device(node) &&
            node->comm != RECORD_NONE)
            n_on_device[MIN(record_node_communication(rank, node)->kind,
                            COLL_N_ALL_KINDS)]++;
    }
    for (uint32_t i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        CollKind kind;

        if (node->kind != RECORD_COLLECTIVE || inventory_is_device(node) ||
            node->comm == RECORD_NONE)
            continue;
        kind =
            MIN(record_node_communication(rank, node)->kind, COLL_N_ALL_KINDS);
        if (n_on_device[kind] > 0)
            lint_add_fault(lint, rank_index, i,
                           "is the host's side of a collective that "
                           "the device has, too");
    }
}

static void find_double_counted_collective_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        find_double_counts_of_rank(lint, r);
}

const FaultKind fault_counted_twice = {
    .base = { .name = "counted-twice",
              .summary =
                  "a collective is there on the host and on the device" },
    .severity = FAULT_NOTE,
    .import = "takes the device's, and the host's as work of the host",
    .find_faults = find_double_counted_collective_faults,
};
