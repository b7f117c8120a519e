/*
 * list_schedule_impl.h - private to this folder: assigns step numbers to runs
 * of moves
 *
 * A run is a sequence of consecutive chunks of one message that are all added
 * or all stored.
 */
#ifndef MODELS_STACKS_MSCCL_LIST_SCHEDULE_IMPL_H
#define MODELS_STACKS_MSCCL_LIST_SCHEDULE_IMPL_H

#include "models/stacks/msccl/replay_chunk_moves_impl.h"

/* An edge of the order of runs of moves: the step number of run .run is at
 * least .n_apart larger than that of the run that owns the edge. */
typedef struct {
    uint32_t run, n_apart;
} MscclEdge;

typedef struct {
    uint32_t first, n; /* first move, and number of moves */
    uint32_t from, to;
    gboolean is_added;
    uint32_t step;      /* step number in its independent part */
    GArray *successors; /* owned: MscclEdge, runs that come after it */
} MscclRun;

/* Returns all runs of moves with the order between them. Returns NULL and sets
 * @error if a rank sends or receives a chunk more often than there can be
 * steps. */
G_GNUC_WARN_UNUSED_RESULT
GArray *msccl_group_moves_to_runs(const MscclSchedule *msccl,
                                  const GArray *moves, GError **error);
void msccl_runs_free(GArray *runs);

/* Assigns step numbers to the @n runs of moves in @part, which are sorted by
 * the order in which they can be sent.  The first *@ret_n_added steps reduce;
 * there are *@ret_n_steps in total.  Returns -1, or the index of a run of moves
 * that fits into no step. */
int64_t msccl_assign_run_steps(GArray *runs, const uint32_t *part, uint32_t n,
                               uint32_t n_gpus, uint32_t *ret_n_added,
                               uint32_t *ret_n_steps);

#endif
