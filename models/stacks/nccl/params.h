/*
 * params.h - what may be said of NCCL, and what its constants are
 *
 * Units    bytes, bytes per second, ps
 */
#ifndef MODELS_STACKS_NCCL_PARAMS_H
#define MODELS_STACKS_NCCL_PARAMS_H

#include "models/stacks/params.h"

enum { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_N_PROTOCOLS };

/* Indices into nccl_algorithm_names, and + 1 into nccl_protocol_names. */
enum {
    NCCL_AUTO,
    NCCL_RINGS,
    NCCL_TREES,
    NCCL_NVLS,
    NCCL_NVLS_TREE,
    NCCL_COLLNET,
    NCCL_PAT,
    NCCL_P2P, /* has no name in a file */
    NCCL_N_ALGORITHMS,
};

typedef struct {
    uint64_t launch_ps;
    uint64_t efficiency_ppm; /* payload of what is sent */
    uint64_t near_step_ps, host_step_ps, network_step_ps;
    uint64_t slice_bytes; /* that a channel passes on at a time */
    uint64_t n_posts;     /* of a thread for a message of the network */
} NcclProtocolParams;

/* In the switch, by what a GPU's near links carry together. */
typedef struct {
    uint64_t launch_ps;
    uint64_t reckoned_ps; /* in its choice, instead of that */
    uint64_t efficiency_ppm, fast_efficiency_ppm;
    uint64_t fast_bytes_per_s; /* from which on it is the latter */
    uint64_t slice_bytes;      /* of a channel and a rank */
    uint64_t tree_slice_bytes; /* likewise through several machines */
    uint64_t n_channels, n_fast_channels;
} NcclSwitchParams;

/* In the switches of the network. */
typedef struct {
    uint64_t launch_ps;
    uint64_t nvls_ps; /* instead, on top of that of NVLS in a machine */
    uint64_t direct_step_ps, peer_step_ps, chain_step_ps; /* in a machine */
    uint64_t efficiency_ppm; /* of the network, in its choice */
    /* Of versions before NCCL_COLLNET_APART, along a chain. */
    uint64_t early_launch_ps, early_step_ps;
    uint64_t ll_launch_ps, ll_step_ps, ll_efficiency_ppm;
} NcclCollnetParams;

typedef struct {
    uint64_t step_ps, rank_ps;
    uint64_t efficiency_ppm;
} NcclPatParams;

typedef struct {
    StackCommon common;
    const char *version; /* see version.h */
    int algorithm;       /* NCCL_AUTO ... */
    int protocol;        /* 0: auto; else NCCL_LL + 1 ... */
    uint64_t n_channels, most_channels;
    uint64_t post_ps; /* of a thread, to hand something to a NIC */
    uint64_t n_stripes, stripe_bytes; /* of a message larger than that */
    uint64_t tree_ppm; /* of links, where a tree leads through GPUs */
    uint64_t tree_channel_bytes_per_s; /* see tree_channel_rate */
    NcclProtocolParams protocols[NCCL_N_PROTOCOLS];
    NcclSwitchParams nvls;
    NcclCollnetParams collnet;
    NcclPatParams pat;
} NcclParams;

extern const ConfigField nccl_fields[];
extern const char *const nccl_protocol_names[]; /* from "auto" */

#endif
