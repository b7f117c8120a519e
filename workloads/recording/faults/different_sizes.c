/*
 * different_sizes.c - the ranks of a collective, or the ends of a message, have
 * different sizes
 *
 * An all-to-all is exempt, as its blocks may differ.
 */
#include "workloads/recording/lint_impl.h"

#include <inttypes.h>

static void check_instance_sizes(Lint *lint, const RecordInstance *instance)
{
    const RecordComm *first = NULL;
    const RecordRank *of = NULL;

    for (uint32_t i = 0; i < instance->n; i++) {
        const RecordMember *member = record_member(lint->match, instance, i);
        const RecordRank *rank = lint_rank(lint, member->rank);
        const RecordComm *comm =
            record_node_communication(rank, record_node(rank, member->node));

        if (!comm->has_bytes)
            continue;
        if (first && first->bytes != comm->bytes) {
            lint_add_fault(lint, member->rank, member->node,
                           "has %" PRIu64 " bytes, and %" PRIu64 " in '%s'",
                           comm->bytes, first->bytes, of->file);
            return;
        }
        first = comm;
        of = rank;
    }
}

static void find_different_sizes_faults(Lint *lint)
{
    for (guint i = 0; i < lint->match->instances->len; i++) {
        const RecordInstance *instance = record_instance(lint->match, i);

        if (!coll_is_any_all_to_all(instance->kind))
            check_instance_sizes(lint, instance);
    }
}

const FaultKind fault_size_differs = {
    .base = { .name = "size-differs",
              .summary = "ranks of one collective have different sizes" },
    .severity = FAULT_ERROR,
    .import = "takes the largest",
    .find_faults = find_different_sizes_faults,
};
