/*
 * collective_lane.h - policies that order, limit and fuse collectives
 *
 * Without a collective lane, a collective starts as soon as its dependencies
 * are done, and any number of collectives are in flight. Libraries are
 * stricter. NCCL and MPI run the collectives of one communicator one after the
 * other. Horovod polls every few milliseconds and copies all ready tensors into
 * one buffer. ByteScheduler limits the bytes in flight and starts the most
 * urgent tensor first. A lane models these policies: operations of a lane
 * (Op.lane) are submitted when they are ready, and start when the lane admits
 * them.
 *
 * A collective lane decides for all NPUs that run an operation, in all sets of
 * its group. An operation is ready when it is ready on all of them. The lane
 * polls when an operation becomes ready and when an admitted operation is done.
 * With a cycle, it polls only at multiples of the cycle after the last poll; a
 * poll that is late because there was no free capacity restarts the count. A
 * poll admits ready operations in the order of the lane while there is
 * capacity. With a cycle, a poll selects all ready operations; they start as
 * capacity allows, and the lane does not poll again before all of them have
 * started. Horovod does the same with all tensors that a cycle has found.
 *
 * With fusion_bytes, consecutive operations that fit into one buffer run as one
 * collective of the sum of their payloads. A larger operation runs alone. All
 * operations of a buffer have the same kind, group and roles. The plan of each
 * possible sum is chosen before the run: .first_buffer and the following
 * operations have rising payloads, and no operation depends on them. A buffer
 * uses the plan and the chunk size of the first of these operations with at
 * least its size, but its actual number of bytes. There are four sizes per
 * octave (op_graph_add_buffers()), so the plan is chosen for a payload that is
 * at most 19 % larger. If a collective lane has several such ladders, one for
 * each kind, group and roles, they follow each other.
 *
 * Units    bytes, ps
 * Owner    the graph
 */
#ifndef WORKLOADS_COLLECTIVE_LANE_H
#define WORKLOADS_COLLECTIVE_LANE_H

#include <glib.h>
#include <stdint.h>

#define OP_NO_LANE UINT32_MAX

typedef enum {
    /* Operations that are ready at the same time start in graph order. */
    LANE_AS_READY,
    LANE_BY_PRIORITY, /* a larger Op.priority goes first, then graph order */
} OpLaneOrder;

typedef struct {
    const char *name; /* owned by the graph */
    OpLaneOrder order;
    /* Maximum number of collectives in flight; 0: no limit. */
    uint32_t at_a_time;
    /* Maximum of bytes in flight, but a single collective may be larger; 0: no
     * limit. */
    uint64_t credit_bytes;
    uint64_t fusion_bytes; /* maximum size of a buffer; 0: no fusion */
    uint64_t cycle_ps;     /* time between two polls; 0: polls immediately */
    /* From a poll that admits operations to their start. */
    uint64_t negotiate_ps;
    /* Rate of copies into a fusion buffer and out of it; for packed operations
     * (Op.is_packed), into and out of their own buffer; 0: copies take no
     * time. */
    uint64_t copy_bytes_per_s;
    /* Index of the first fusion buffer in OpGraph.ops, and their number. */
    uint32_t first_buffer, n_buffers;
} OpLane;

#endif
