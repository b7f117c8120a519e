/*
 * nccl_params.h - parameters of the stack `nccl`: pinned choices and constants
 * of NCCL
 *
 * Units    bytes, bytes per second, ps
 */
#ifndef MODELS_STACKS_NCCL_NCCL_PARAMS_H
#define MODELS_STACKS_NCCL_NCCL_PARAMS_H

#include "models/stacks/stack_params.h"

enum { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_N_PROTOCOLS };

/* Algorithms; indices into the names of the key `algorithm`. */
enum {
    NCCL_AUTO,
    NCCL_RINGS,
    NCCL_TREES,
    NCCL_NVLS,
    NCCL_NVLS_TREE,
    NCCL_COLLNET,
    NCCL_PAT,
    NCCL_P2P, /* sends and receives, which the configuration cannot choose */
    NCCL_N_ALGORITHMS,
};

typedef struct {
    uint64_t launch_ps;
    uint64_t efficiency_ppm; /* payload divided by bytes sent */
    uint64_t near_step_ps, host_step_ps, network_step_ps;
    uint64_t slice_bytes; /* bytes that a channel forwards at a time */
    uint64_t n_posts; /* requests that a thread posts for one network message */
} NcclProtocolParams;

/* Constants of NVLS.  The "fast" values apply to GPUs with fast near links. */
typedef struct {
    uint64_t launch_ps;
    /* The launch time that NCCL's cost model assumes instead of .launch_ps;
     * CONFIG_AUTO: see nccl_nvls_model_launch_ps(). */
    uint64_t model_launch_ps;
    uint64_t efficiency_ppm, fast_efficiency_ppm;
    /* The "fast" constants apply if the near links of a GPU together have at
     * least this rate. */
    uint64_t fast_bytes_per_s;
    uint64_t slice_bytes; /* slice for each channel and rank */
    /* The slice for each channel and rank of NVLSTree, which connects several
     * machines. */
    uint64_t tree_slice_bytes;
    uint64_t n_channels, n_fast_channels;
} NcclSwitchParams;

/* Constants of CollNet (SHARP). */
typedef struct {
    uint64_t launch_ps;
    /* added to the launch time of NVLS, instead of .launch_ps, if it is used */
    uint64_t nvls_ps;
    uint64_t direct_step_ps, peer_step_ps, chain_step_ps; /* inside a machine */
    uint64_t efficiency_ppm; /* of the network, in NCCL's cost model */
    /* Constants of the chain of versions before NCCL_COLLNET_SIMPLE_ONLY. */
    uint64_t early_launch_ps, early_step_ps;
    uint64_t ll_launch_ps, ll_step_ps, ll_efficiency_ppm;
} NcclCollnetParams;

/* Constants of PAT: time of a network step, and launch time for each rank. */
typedef struct {
    uint64_t step_ps, rank_ps;
    uint64_t efficiency_ppm;
} NcclPatParams;

typedef struct {
    StackCommon common;
    const char *version; /* NCCL release, see release_version.h */
    int algorithm;       /* NCCL_AUTO or an algorithm */
    int protocol;        /* 0 for auto, otherwise NCCL_LL + 1 and so on */
    uint64_t n_channels, most_channels;
    uint64_t post_ps; /* time in which a thread posts a request to a NIC */
    /* Messages larger than .stripe_bytes use .n_stripes requests. */
    uint64_t n_stripes, stripe_bytes;
    /* The fraction of the link rate that trees reach if GPUs forward data. */
    uint64_t tree_ppm;
    uint64_t tree_channel_bytes_per_s; /* see the key tree_channel_rate */
    NcclProtocolParams protocols[NCCL_N_PROTOCOLS];
    NcclSwitchParams nvls;
    NcclCollnetParams collnet;
    NcclPatParams pat;
} NcclParams;

extern const ConfigField nccl_fields[];
/* The names of the choices of the key `protocol`, of which "auto" is first. */
extern const char *const nccl_protocol_names[];

#endif
