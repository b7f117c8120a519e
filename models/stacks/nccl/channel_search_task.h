/*
 * channel_search_task.h - input of NCCL's search, and the shapes of channels
 *
 * Units    bytes per second
 */
#ifndef MODELS_STACKS_NCCL_CHANNEL_SEARCH_TASK_H
#define MODELS_STACKS_NCCL_CHANNEL_SEARCH_TASK_H

#include "network/topology.h"

/* How channels enter and leave a machine. */
typedef enum {
    /* enters at the first GPU, leaves at the second; the chain closes */
    NCCL_SPLIT_TREE_LOOP,
    /* A channel enters at the first GPU and leaves at the second; the chain is
     * open. */
    NCCL_SPLIT_TREE,
    NCCL_TREE, /* a channel enters and leaves at the first GPU */
    /* A channel enters at the first GPU and leaves at the last. */
    NCCL_RING,
} NcclPattern;

typedef struct {
    uint32_t n_npus;
    const uint32_t *npus; /* borrowed: NPUs of one machine; rank i is npus[i] */
    gboolean is_tree;
    gboolean has_network; /* channels enter and leave through NICs */
    uint32_t most_channels;
    /* The rates of one link, by distance, that the search assumes.  0 means the
     * rate of the topology, rounded to one of NCCL's speeds. */
    uint64_t planned_bytes_per_s[TOPOLOGY_N_REACHES];
} NcclSearchTask;

#endif
