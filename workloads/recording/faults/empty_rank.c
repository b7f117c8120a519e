/*
 * empty_rank.c - a rank without nodes that take time on its device
 *
 * Either the device was not recorded, or the process did not use one.
 */
#include "workloads/recording/lint_impl.h"

static void find_empty_rank_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);
        gboolean is_empty = TRUE;

        for (uint32_t i = 0; i < rank->nodes->len && is_empty; i++)
            is_empty = !inventory_is_device(record_node(rank, i)) &&
                       !inventory_is_comm(record_node(rank, i));
        if (is_empty)
            lint_add_fault(lint, r, RECORD_NONE,
                           "has nothing on a device, of %u nodes",
                           rank->nodes->len);
    }
}

const FaultKind fault_empty_rank = {
    .base = { .name = "empty-rank",
              .summary = "a rank has nothing on its device" },
    .severity = FAULT_WARNING,
    .import = "makes a rank of it that only waits for the others",
    .find_faults = find_empty_rank_faults,
};
