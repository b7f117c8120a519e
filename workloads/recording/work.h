/*
 * work.h - the communication or the computation of a recorded node
 *
 * Units    bytes, FLOP
 * Owner    the recording
 */
#ifndef WORKLOADS_RECORDING_WORK_H
#define WORKLOADS_RECORDING_WORK_H

#include "workloads/op.h"

#define RECORD_NONE UINT32_MAX /* no node, communication, stream or group */

/* The communication of a node. */
typedef struct {
    CollKind kind; /* may be COLL_SEND; COLL_N_ALL_KINDS: unknown */
    gboolean has_bytes, has_sequence;
    /* .bytes is the payload divided by the unknown number of ranks. */
    gboolean is_share;
    /* .sequence is equal on all ranks of a collective. */
    uint64_t bytes, sequence;
    /* Id of the operation in the framework; 0: unknown. */
    uint64_t framework_id;
    /* Index of Recording.groups; RECORD_NONE: unknown. */
    uint32_t group;
    const char *group_name; /* owned by Recording.texts; NULL: no name */
    uint32_t group_size;    /* 0: unknown */
    /* Rank in the world: the root, or the other end; RECORD_NONE. */
    uint32_t peer;
    /* .peer is a rank of the world or an index in .group, to be resolved by
     * peers.h. */
    gboolean peer_may_be_place;
    gboolean is_guess; /* a kernel that sends and receives unspecified data */
    uint32_t tag;
    uint32_t n_blocks; /* SMs that its kernel occupies; 0: unknown */
    /* Owned: uint64_t bytes per rank; NULL: even. */
    GArray *in_split, *out_split;
    uint32_t priority;
    gboolean is_star; /* see Op.is_star */
} RecordComm;

/* The work of a kernel. */
typedef struct {
    uint64_t flop, read_bytes, written_bytes;
} RecordWork;

#endif
