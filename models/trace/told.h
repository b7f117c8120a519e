/*
 * told.h - what those who listen to a run are told of: see trace.h
 *
 * Units    ps, bytes
 */
#ifndef MODELS_TRACE_TOLD_H
#define MODELS_TRACE_TOLD_H

#include "models/collectives/chunk.h"
#include "models/npu/compute.h"
#include "models/trace/resource.h"
#include "workloads/graph.h"

/* What a chunk or a message is held up by at an endpoint: the number of a
 * resource, see resource.h. */
typedef uint32_t TraceResource;

/* Quantities that change in steps. */
typedef enum {
    TRACE_LEVEL_SMS,       /* held for communication */
    TRACE_LEVEL_HBM_READ,  /* bytes per second of the endpoint */
    TRACE_LEVEL_HBM_WRITE, /* likewise, where it is charged */
    TRACE_LEVEL_OWN,       /* units held of a resource of the endpoint, + its
                              place in the endpoint's table */
    TRACE_N_LEVELS = TRACE_LEVEL_OWN + RESOURCE_MAX_OWN,
} TraceLevel;

/* A chunk on an NPU. */
typedef struct {
    uint32_t npu;
    uint32_t op; /* the collective */
    uint64_t iteration;
    uint32_t index; /* within the collective */
    uint32_t slot;  /* as message_chunk(); free for another when it ends */
    uint64_t bytes;
    const CollPlan *plan; /* borrowed: for what a phase is */
    const Chunk *chunk;   /* borrowed */
} TraceChunk;

/* A step of a chunk on an NPU, in one of its lanes. */
typedef struct {
    const Chunk *chunk; /* borrowed */
    uint32_t npu, phase, lane, step;
} TraceStep;

/* Part of a kernel's time, up to now, on one share of the NPU; of no length
 * when it comes to stand still. */
typedef struct {
    OpStream stream;
    uint32_t op;
    SimTime from_ps, total_ps;   /* of the whole on that share; 0: stood */
    uint64_t n_sms, bytes_per_s; /* that it had, */
    uint64_t most_sms, most_bytes_per_s; /* and without communication */
    ComputeScale scale;
} TracePiece;

typedef struct {
    uint32_t op;
    uint64_t iteration;
} TraceMember;

/* What a lane lets begin as one. */
typedef struct {
    uint32_t slot; /* no other under way has it */
    uint32_t lane; /* index into OpGraph.lanes */
    uint32_t op;   /* that is carried out: its only member, or a buffer's */
    uint64_t iteration; /* of it; how often that buffer has been used before */
    uint64_t bytes;
    uint32_t n_members;
    const TraceMember *members; /* in the order in which they are done */
    SimTime ready_ps;           /* the last of them was ready on all NPUs, */
    SimTime look_ps;            /* the lane took them, */
    SimTime begin_ps;           /* and they begin, room and negotiation there */
} TraceLoad;

static inline gboolean trace_is_fused(const TraceLoad *load)
{
    return load->n_members > 1;
}

/* How a run has come to its end. */
typedef struct {
    gboolean is_done; /* every operation, in each of so many iterations */
    uint64_t n_iterations;
    gboolean is_past_range; /* of time: what is missing may have been to come */
    gboolean is_lost; /* bytes went out that never came, nor wait in a switch */
} TraceEnd;

#endif
