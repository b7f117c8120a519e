/*
 * task.h - what NCCL's search is asked for, and what a channel may be
 *
 * Units    bytes per second
 */
#ifndef MODELS_STACKS_NCCL_TASK_H
#define MODELS_STACKS_NCCL_TASK_H

#include "network/topology.h"

/* How the trees of several machines enter and leave one. */
typedef enum {
    NCCL_SPLIT_TREE_LOOP, /* in at the first GPU, out at the second, and the
                           * chain closes to a ring */
    NCCL_SPLIT_TREE,      /* it does not close */
    NCCL_TREE,            /* in and out at the first */
    NCCL_RING,
} NcclPattern;

typedef struct {
    uint32_t n_npus;
    const uint32_t *npus; /* borrowed: of one machine; rank i is npus[i] */
    gboolean is_tree;
    gboolean has_network; /* channels lead out through NICs */
    uint32_t most_channels;
    /* Of one link, by reach, as the search assumes it; 0: as it is. */
    uint64_t planned_bytes_per_s[TOPOLOGY_N_REACHES];
} NcclTask;

#endif
