/* rank_outside_world.c - the number of a rank, a root or a peer is not below
 * the size of the world */
#include "workloads/recording/lint_impl.h"

static void find_outside_ranks_of_rank(Lint *lint, guint rank_index,
                                       uint32_t n_world)
{
    const RecordRank *rank = lint_rank(lint, rank_index);

    if (rank->rank != RECORD_NO_RANK && rank->rank >= n_world)
        lint_add_fault(lint, rank_index, RECORD_NONE,
                       "is rank %u in a world of %u", rank->rank, n_world);
    for (uint32_t i = 0; i < rank->nodes->len; i++) {
        const RecordComm *comm =
            record_node_communication(rank, record_node(rank, i));

        if (comm && comm->peer != RECORD_NONE && comm->peer >= n_world)
            lint_add_fault(lint, rank_index, i,
                           "is with rank %u in a world of %u", comm->peer,
                           n_world);
    }
}

static void find_rank_outside_world_faults(Lint *lint)
{
    uint32_t n_world = lint->recording->n_world;

    for (guint r = 0; r < lint->recording->ranks->len && n_world > 0; r++)
        find_outside_ranks_of_rank(lint, r, n_world);
}

const FaultKind fault_outside_world = {
    .base = { .name = "outside-world",
              .summary = "a rank is named that the world does not have" },
    .severity = FAULT_ERROR,
    .import = "takes files as ranks, in the order of their numbers",
    .find_faults = find_rank_outside_world_faults,
};
