/*
 * op.h - one operation of a graph: its work, its roles and its dependencies
 *
 * graph.h says how operations of a graph relate to each other.
 *
 * Units    FLOP, bytes of HBM traffic (read and written), ps
 * Owner    the graph, which also owns the table of its sets of roles; nodes are
 *          borrowed from the document
 */
#ifndef WORKLOADS_OP_H
#define WORKLOADS_OP_H

#include "sim/config/config_field.h"
#include "workloads/collective.h"
#include "workloads/collective_lane.h"
#include "workloads/kernel_work.h"
#include "workloads/role_set.h"

typedef enum {
    OP_FORWARD,
    OP_INPUT_GRADIENT,
    OP_WEIGHT_GRADIENT,
    OP_UPDATE,
    OP_N_PASSES,
} OpPass;

extern const char *const op_pass_names[OP_N_PASSES + 1];

typedef enum {
    OP_COMPUTE,
    OP_COLLECTIVE,
    OP_STAGE, /* a stage, which runs outside the streams: see OpStage */
} OpType;

/* Stages take a known time and use no resource of the NPU. The first three
 * prepare the input of a batch on the host (input/input_stages.h). The last two
 * come from recordings: work of a host thread, and copies and kernels that ran
 * concurrently with the main stream.  Their recorded time already includes
 * contention. */
typedef enum {
    OP_STAGE_READ,
    OP_STAGE_DECODE,
    OP_STAGE_COPY, /* copies the batch to the NPU */
    OP_STAGE_HOST,
    OP_STAGE_DEVICE,
    OP_N_STAGES,
} OpStage;

extern const char *const op_stage_names[OP_N_STAGES + 1];

typedef struct {
    /* Kind of stage; all stages of a queue run one after the other. */
    OpStage stage;
    const char *name; /* owned by the graph */
} OpQueue;

typedef enum {
    OP_STREAM_MAIN,
    OP_STREAM_SIDE,
    OP_N_STREAMS,
} OpStream;

typedef struct {
    uint32_t op;
    uint32_t
        n_iterations_back; /* 0: same iteration, 1: previous iteration, ... */
    const RoleSet *roles;  /* roles that wait; each of them also runs .op */
} OpDep;

/* Members of equal size stand together, since a program has many operations. */
typedef struct {
    OpType type;
    OpPass pass;
    uint32_t layer; /* index into OpGraph.layers */
    uint32_t
        unit; /* 1 + index into OpGraph.units; 0: of no pipeline schedule */
    /* Kind of stage; this and .queue are fields of a stage. */
    OpStage stage;
    uint32_t queue; /* index of the queue in OpGraph.queues */
    /* The stream of a kernel; this and .work are fields of a kernel. */
    OpStream stream;
    /* The kind of collective; this, .payload_bytes and the following fields
     * describe collectives. */
    CollKind kind;
    /* Lanes with LANE_BY_PRIORITY serve larger values first. */
    uint32_t priority;
    uint32_t group; /* index of the group in OpGraph.groups */
    uint32_t lane;  /* index of the lane in OpGraph.lanes, or OP_NO_LANE */
    /* Ranks of the group.  A COLL_SEND goes from .from to .to; .sender_roles
     * are the roles in .roles that send.  For collectives with a root, both are
     * the root. */
    uint32_t from, to;
    uint32_t n_weights;   /* in .weights; 0: none were given */
    gboolean is_recorded; /* a collective or message with a recorded time */
    /* The operation is a fusion buffer of .lane: see collective_lane.h. */
    gboolean is_buffer;
    /* The data is already packed from several tensors: see
     * OpLane.copy_bytes_per_s. */
    gboolean is_packed;
    /* a push to a server or a pull from it: goes directly between the root and
     * each other rank, whatever algorithm is chosen for the kind; or a message
     * of such a transfer. */
    gboolean is_star;
    uint32_t n_deps, n_times, n_gaps;
    OpDep *deps; /* owned by the graph */
    /* Times of kernels and stages, and idle gaps before them; owned by the
     * graph. NPU i of the role, in order of NPU id, uses entry i mod n.  If
     * n_times is 0, all NPUs take the same time; if n_gaps is 0, there is no
     * gap. */
    uint64_t *times_ps, *gaps_ps;
    const RoleSet *roles; /* roles that run the operation */
    const RoleSet *sender_roles;
    /* for error messages; NULL if it runs on all NPUs */
    const ConfigNode *node;
    /* Owned by the graph, one of OpGraph.works.  Never NULL: an operation that
     * is no kernel has a work of nothing. */
    const OpWork *work;
    /* Weights of an all-to-allv, owned by the graph; NULL if all blocks are
     * equal. */
    const CollWeights *weights;
    uint64_t payload_bytes;
    /* Time of a stage, or of a recorded collective that is not simulated.  Such
     * a collective starts when the last NPU of its set is ready, and uses no
     * resource. */
    uint64_t duration_ps; /* the time is independent of all other work */
} Op;

/* Returns whether @a and @b may share one fusion buffer of a lane. */
static inline gboolean op_may_share_buffer(const Op *a, const Op *b)
{
    return a->kind == b->kind && a->group == b->group && a->roles == b->roles &&
           a->from == b->from && a->to == b->to && a->is_star == b->is_star &&
           !a->weights && !b->weights && !a->is_recorded && !b->is_recorded;
}

/* Returns the value for the NPU with index @rank among the NPUs of its role.
 * @all_ps has @n values and repeats. */
static inline uint64_t op_time_value_of_rank(const uint64_t *all_ps, uint32_t n,
                                             uint32_t rank)
{
    return n == 1 ? all_ps[0] : all_ps[rank % n];
}

static inline uint64_t op_gap_of_rank_ps(const Op *op, uint32_t rank)
{
    return op->n_gaps == 0
               ? 0
               : op_time_value_of_rank(op->gaps_ps, op->n_gaps, rank);
}

/* Returns the duration of a stage on the NPU with index @rank in its role. */
static inline uint64_t op_stage_time_of_rank_ps(const Op *op, uint32_t rank)
{
    return op->n_times == 0
               ? op->duration_ps
               : op_time_value_of_rank(op->times_ps, op->n_times, rank);
}

/* A pass of a micro-batch through a chunk of a pipeline stage, or an update. */
typedef struct {
    uint32_t stage, chunk, micro_batch;
    const char *pass; /* static: a name of unit_pass_names, or "update" */
} OpUnit;

/* One of several workloads that share a graph: see jobs/jobs.h. */
typedef struct {
    const char *name;     /* owned by the graph */
    const RoleSet *roles; /* no other job has these roles */
    /* the NPUs of the job are idle until then */
    uint64_t start_ps;
    /* Times like OpGraph.calibrated_ps, for the kernels of this job. */
    uint64_t calibrated_ps[OP_N_PASSES];
} OpJob;

static inline gboolean op_has_role(const Op *op, uint32_t role)
{
    return role_set_has(op->roles, role);
}

#endif
