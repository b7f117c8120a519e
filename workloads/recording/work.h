/*
 * work.h - what a node of a recording communicates, or computes
 *
 * Units    bytes, FLOP
 * Owner    the recording
 */
#ifndef WORKLOADS_RECORDING_WORK_H
#define WORKLOADS_RECORDING_WORK_H

#include "workloads/op.h"

#define RECORD_NONE UINT32_MAX /* no node, communication, stream, group */

/* What a node communicates. */
typedef struct {
    CollKind kind; /* COLL_SEND, too; COLL_N_ALL_KINDS: not known */
    gboolean has_bytes, has_sequence;
    gboolean is_share; /* .bytes are 1/n of it, n ranks, which are not known */
    uint64_t bytes, sequence; /* .sequence: one on all ranks of a collective */
    uint64_t asked_by;      /* id of the framework's operation; 0: not known */
    uint32_t group;         /* of Recording.groups; RECORD_NONE: not known */
    const char *group_name; /* Recording.texts; NULL: it has none */
    uint32_t group_size;    /* 0: not known */
    uint32_t peer; /* rank of the world: root, other end; RECORD_NONE */
    gboolean peer_may_be_place; /* .peer is a rank of the world or a place in
                                 * .group: peers.h tells */
    gboolean is_guess; /* a kernel that sends and receives, of which nothing
                        * says what and to which ranks */
    uint32_t tag;
    uint32_t n_blocks;            /* SMs that its kernel holds; 0: not known */
    GArray *in_split, *out_split; /* uint64_t bytes by rank; NULL: even */
    uint32_t priority;
    gboolean is_star; /* see Op.is_star */
} RecordComm;

/* Of a kernel. */
typedef struct {
    uint64_t flop, read_bytes, written_bytes;
} RecordWork;

#endif
