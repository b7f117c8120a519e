/*
 * lane.h - who lets collectives begin, one after the other
 *
 * Without a lane a collective begins as soon as what it waits for is done, and
 * any number are under way together.  Libraries are stricter: what NCCL or MPI
 * is handed on one communicator goes one after the other, Horovod looks only
 * every few milliseconds and copies what is ready by then into one buffer,
 * ByteScheduler has no more than some bytes under way and takes the most
 * urgent. A lane is that: operations of it (Op.lane) are handed over when they
 * could begin, and begin when it lets them.
 *
 * A lane decides for all NPUs that run an operation at once, in whatever sets
 * they carry it out: one is ready when it is on all of them.  It looks when
 * something is ready, when what it let go is done, and under a cycle only at
 * its multiples, counted from the last look (a look that comes late, since
 * there was no room for anything, counts from then).  At a look it lets go of
 * what is ready in its order, as long as there is room; under a cycle it takes
 * all of it, which goes as there is room, and before that has begun there is no
 * other look, as Horovod performs all that a cycle has found.
 *
 * With fusion_bytes, what follows each other in that order and fits into a
 * buffer together goes as one collective of the sum of their payloads; one
 * that is by itself larger goes alone.  Those of a buffer are of one kind, one
 * group and the same roles.  Which plan such a sum takes is known beforehand:
 * .first_buffer and so on are operations that nobody waits for, of rising
 * payloads; a buffer is carried out as the first that has room for it is
 * planned and cut, with its own bytes.  They are four an octave
 * (op_graph_add_buffers()), so what depends on a payload, the algorithm and the
 * chunk, is chosen for one that is at most 19 % larger.  Where a lane has
 * several such ladders, one for each kind, group and roles, they follow each
 * other.
 *
 * Units    bytes, ps
 * Owner    the graph
 */
#ifndef WORKLOADS_LANE_H
#define WORKLOADS_LANE_H

#include <glib.h>
#include <stdint.h>

#define OP_NO_LANE UINT32_MAX

typedef enum {
    LANE_AS_READY,    /* at one instant: as they stand in the graph */
    LANE_BY_PRIORITY, /* Op.priority, the larger first; then as they stand */
} OpLaneOrder;

typedef struct {
    const char *name; /* owned by the graph */
    OpLaneOrder order;
    uint32_t at_a_time;    /* collectives under way; 0: any number */
    uint64_t credit_bytes; /* under way, but for one alone; 0: any */
    uint64_t fusion_bytes; /* the most in a buffer; 0: nothing is fused */
    uint64_t cycle_ps;     /* between two looks; 0: looks at once */
    uint64_t negotiate_ps; /* from a look that lets go of something until that
                            * begins */
    uint64_t copy_bytes_per_s; /* into a buffer or, of what is packed already
                                * (Op.is_packed), into that, and out of it; 0:
                                * for nothing */
    uint32_t first_buffer, n_buffers; /* operations; see above */
} OpLane;

#endif
