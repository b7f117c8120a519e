/*
 * node_work.h - the communication or the computation of a recorded node
 *
 * Units    bytes, FLOP
 * Owner    the recording
 */
#ifndef WORKLOADS_RECORDING_NODE_WORK_H
#define WORKLOADS_RECORDING_NODE_WORK_H

#include "workloads/op.h"

/* Index that means no node, communication, stream or group. */
#define RECORD_NONE UINT32_MAX

/* The communication of a node. */
typedef struct {
    /* Kind of collective; may be COLL_SEND; COLL_N_ALL_KINDS: unknown. */
    CollKind kind;
    gboolean has_bytes, has_sequence;
    /* .bytes is the payload divided by the unknown number of ranks. */
    gboolean is_share;
    /* Payload; and a number that is equal on all ranks of a collective. */
    uint64_t bytes, sequence;
    /* Id of the operation in the framework; 0: unknown. */
    uint64_t framework_id;
    /* Index of the group in Recording.groups; RECORD_NONE: unknown. */
    uint32_t group;
    /* Name of the group, owned by Recording.texts; NULL: no name. */
    const char *group_name;
    uint32_t group_size; /* number of ranks in the group; 0: unknown */
    /* Rank of the root or of the other end, in the world; RECORD_NONE:
     * unknown. */
    uint32_t peer;
    /* .peer is a rank of the world or an index in .group, to be resolved by
     * message_peers.h. */
    gboolean peer_may_be_place;
    gboolean is_guess; /* the kernel sends and receives unspecified data */
    uint32_t tag;
    uint32_t n_blocks; /* SMs that the kernel occupies; 0: unknown */
    /* Owned: bytes per rank; NULL: even.  The elements are uint64_t. */
    GArray *in_split, *out_split;
    uint32_t priority;
    /* The communication is a push to a server or a pull: see Op.is_star. */
    gboolean is_star;
} RecordComm;

/* The work of a kernel. */
typedef struct {
    uint64_t flop, read_bytes, written_bytes;
} RecordWork;

#endif
