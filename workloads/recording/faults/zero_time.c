/*
 * zero_time.c - kernels and copies without a duration
 *
 * Formats of whole microseconds round shorter durations to 0.
 */
#include "workloads/recording/lint_impl.h"

static void find_zero_time_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const RecordRank *rank = lint_rank(lint, r);

        for (uint32_t i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);

            if (inventory_is_device(node) && !inventory_is_comm(node) &&
                node->duration_ps == 0 && !record_is_roofline(node) &&
                !(node->flags & (RECORD_NO_OP | RECORD_UNTIMED)))
                lint_add_fault(lint, r, i, "takes no time");
        }
    }
}

const FaultKind fault_zero_time = {
    .base = { .name = "zero-time",
              .summary = "a kernel or copy takes no time" },
    .severity = FAULT_NOTE,
    .import = "lets them take none, which is too little in all",
    .find_faults = find_zero_time_faults,
};
