/*
 * steps_impl.h - for this folder only: runs of moves get numbers of steps
 *
 * A run is what one message carries of consecutive chunks, all of which are
 * added or all stored.
 */
#ifndef MODELS_STACKS_MSCCL_STEPS_IMPL_H
#define MODELS_STACKS_MSCCL_STEPS_IMPL_H

#include "models/stacks/msccl/moves_impl.h"

/* Run @run has a step at least so much later. */
typedef struct {
    uint32_t run, n_apart;
} MscclEdge;

typedef struct {
    uint32_t first, n; /* moves */
    uint32_t from, to;
    gboolean is_added;
    uint32_t step; /* its number, among those of its part */
    GArray *then;  /* owned: MscclEdge */
} MscclRun;

/* All runs, with what keeps them in order.  NULL: a rank has more to do with a
 * chunk than there can be steps. */
G_GNUC_WARN_UNUSED_RESULT
GArray *msccl_runs(const Msccl *msccl, const GArray *moves, GError **error);
void msccl_runs_free(GArray *runs);

/* Numbers the steps of the @n runs @part, which are in the order in which they
 * can be sent: *@ret_n_added that reduce, then the others, *@ret_n_steps in
 * all. A run that cannot be done so; -1: all can. */
int64_t msccl_number(GArray *runs, const uint32_t *part, uint32_t n,
                     uint32_t n_gpus, uint32_t *ret_n_added,
                     uint32_t *ret_n_steps);

#endif
