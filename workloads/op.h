/*
 * op.h - an operation: what it has to do, who runs it, what it waits for
 *
 * What these mean together, says graph.h.
 *
 * Units    FLOP, bytes of HBM traffic (read and written), ps
 * Owner    the graph; nodes are borrowed from the document
 */
#ifndef WORKLOADS_OP_H
#define WORKLOADS_OP_H

#include "sim/config/config_field.h"
#include "workloads/collective.h"
#include "workloads/lane.h"
#include "workloads/work.h"

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
    OP_STAGE, /* beside the streams: of the input (input/input.h), or as it
               * was recorded */
} OpType;

/* What takes its time, and nothing of the NPU: of a batch, on the host; work of
 * a thread of the host; copies and kernels beside the main stream, of which it
 * is known how long they took beside what else there was. */
typedef enum {
    OP_STAGE_READ,
    OP_STAGE_DECODE,
    OP_STAGE_COPY, /* to the NPU */
    OP_STAGE_HOST,
    OP_STAGE_DEVICE,
    OP_N_STAGES,
} OpStage;

extern const char *const op_stage_names[OP_N_STAGES + 1];

typedef struct {
    OpStage stage;    /* what is done there, one after the other */
    const char *name; /* owned by the graph */
} OpQueue;

typedef enum {
    OP_STREAM_MAIN,
    OP_STREAM_SIDE,
    OP_N_STREAMS,
} OpStream;

typedef struct {
    uint32_t op;
    uint32_t back;  /* 0: of this iteration, 1: of the one before, ... */
    uint64_t roles; /* that wait for it: all of them run it themselves */
} OpDep;

typedef struct {
    OpType type;
    OpPass pass;
    uint32_t layer;         /* index into OpGraph.layers */
    uint64_t roles;         /* bit r stands for role r: those that run it */
    const ConfigNode *node; /* for complaints; NULL: of all NPUs */
    uint32_t n_deps;
    OpDep *deps; /* owned by the graph */
    /* stage */
    OpStage stage;
    uint32_t queue; /* index into OpGraph.queues */
    /* Of a stage, and of a collective that is not simulated: it begins when
     * the last NPU of its set is there, and holds nothing. */
    uint64_t duration_ps; /* whatever else goes on */
    gboolean is_recorded; /* such a collective, or message */
    /* Of kernels and stages, owned by the graph: how long it takes NPU i of
     * its role, by id, as entry i mod n (0: all alike), and how long that does
     * nothing before it. */
    uint32_t n_times, n_gaps;
    uint64_t *times_ps, *gaps_ps;
    /* compute */
    OpStream stream;
    OpWork work;
    /* collective */
    CollKind kind;
    uint64_t payload_bytes;
    uint32_t priority;  /* the larger is served first by `priority` */
    uint32_t group;     /* index into OpGraph.groups */
    uint32_t lane;      /* index into OpGraph.lanes; OP_NO_LANE */
    gboolean is_buffer; /* of that lane: see lane.h */
    gboolean is_packed; /* of several tensors: see OpLane.copy_bytes_per_s */
    /* COLL_SEND: ranks of the group, and those of .roles that send; else both
     * are the root, of a kind that has one */
    uint32_t from, to;
    uint64_t sender_roles;
    gboolean is_star; /* pushed to a server, or pulled from it: straight between
                       * the root and each other, whatever is chosen for its
                       * kind; or a message of that sort */
    /* Of an all-to-allv: the graph's; NULL: all are alike.  And how many were
     * given, 0 where none were. */
    const CollWeights *weights;
    uint32_t n_weights;
} Op;

/* Both may be in one buffer of a lane. */
static inline gboolean op_go_together(const Op *a, const Op *b)
{
    return a->kind == b->kind && a->group == b->group && a->roles == b->roles &&
           a->from == b->from && a->to == b->to && a->is_star == b->is_star &&
           !a->weights && !b->weights && !a->is_recorded && !b->is_recorded;
}

/* Of the NPU that is number @rank of those of its role, that of @all_ps. */
static inline uint64_t op_ps_of(const uint64_t *all_ps, uint32_t n,
                                uint32_t rank)
{
    return n == 1 ? all_ps[0] : all_ps[rank % n];
}

static inline uint64_t op_gap_ps(const Op *op, uint32_t rank)
{
    return op->n_gaps == 0 ? 0 : op_ps_of(op->gaps_ps, op->n_gaps, rank);
}

/* Of a stage. */
static inline uint64_t op_stage_ps(const Op *op, uint32_t rank)
{
    return op->n_times == 0 ? op->duration_ps
                            : op_ps_of(op->times_ps, op->n_times, rank);
}

/* One of several workloads in a graph, see jobs/jobs.h. */
typedef struct {
    const char *name;                    /* owned by the graph */
    uint64_t roles;                      /* its own, nobody else's */
    uint64_t start_ps;                   /* until then its NPUs do nothing */
    uint64_t calibrated_ps[OP_N_PASSES]; /* as of a graph, of its kernels */
} OpJob;

static inline gboolean op_has_role(const Op *op, uint32_t role)
{
    return op->roles >> role & 1;
}

#endif
