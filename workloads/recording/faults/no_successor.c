/*
 * no_successor.c - no node depends on device nodes, in a file with dependencies
 *
 * PyTorch's converter to Chakra makes kernels depend on the host, but makes no
 * node depend on kernels.  Without a repair, all collectives would begin
 * simultaneously.
 */
#include "workloads/recording/lint_impl.h"

/* Returns whether @node has a data dependency on a device node. */
static gboolean node_depends_on_device(const Lint *lint, guint rank_index,
                                       const RecordNode *node)
{
    const RecordRank *rank = lint_rank(lint, rank_index);

    for (uint32_t d = 0; d < node->n_deps - node->n_control; d++) {
        uint32_t on = lint_find_node(
            lint, rank_index,
            g_array_index(rank->deps, uint64_t, node->first_dep + d));

        if (on != RECORD_NONE && inventory_is_device(record_node(rank, on)))
            return TRUE;
    }
    return FALSE;
}

static void find_missing_successors_of_rank(Lint *lint, guint rank_index)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    uint32_t n_on_device = 0;

    for (uint32_t i = 0; i < rank->nodes->len; i++)
        n_on_device += inventory_is_device(record_node(rank, i)) ? 1 : 0;
    /* A rank with a single device node needs no successor. */
    if (rank->deps->len == 0 || n_on_device < 2)
        return;
    for (uint32_t i = 0; i < rank->nodes->len; i++)
        if (node_depends_on_device(lint, rank_index, record_node(rank, i)))
            return;
    lint_add_fault(lint, rank_index, RECORD_NONE,
                   "nothing waits for any of the %u nodes of its device",
                   n_on_device);
}

static void find_no_successor_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        find_missing_successors_of_rank(lint, r);
}

const FaultKind fault_no_successor = {
    .base = { .name = "no-successor",
              .summary = "nothing waits for the device, though there are "
                         "dependencies" },
    .severity = FAULT_WARNING,
    .import = "chains the nodes of a stream of the device as they began",
    .find_faults = find_no_successor_faults,
};
