/*
 * trace_records.h - data types of the arguments of trace callbacks: see trace.h
 *
 * Units    ps, bytes
 */
#ifndef MODELS_TRACE_TRACE_RECORDS_H
#define MODELS_TRACE_TRACE_RECORDS_H

#include "models/collectives/chunk.h"
#include "models/npu/kernel_time.h"
#include "models/trace/resource_list.h"
#include "workloads/graph.h"

/* The resource that delays a chunk or a message at an endpoint: an index as
 * defined in resource_list.h. */
typedef uint32_t TraceResource;

/* Quantities that are reported whenever they change. */
typedef enum {
    TRACE_LEVEL_SMS,      /* number of SMs held for communication */
    TRACE_LEVEL_HBM_READ, /* bytes per second that the endpoint reads */
    /* Bytes per second that the endpoint writes, where writes are charged. */
    TRACE_LEVEL_HBM_WRITE,
    /* Held units of a resource of the endpoint; add its index in the endpoint's
     * table. */
    TRACE_LEVEL_OWN,
    TRACE_N_LEVELS = TRACE_LEVEL_OWN + RESOURCE_MAX_OWN,
} TraceLevel;

/* A chunk on one NPU. */
typedef struct {
    uint32_t npu;
    uint32_t op; /* index of the collective in the graph */
    uint64_t iteration;
    uint32_t index; /* index of the chunk within the collective */
    /* Value of message_chunk_slot(); reused after the chunk has ended. */
    uint32_t slot;
    uint64_t bytes;
    const CollPlan *plan; /* borrowed: the plan, which describes each phase */
    const Chunk *chunk;   /* borrowed */
} TraceChunk;

/* A step of a chunk on one NPU, in one parallel lane of the algorithm. */
typedef struct {
    const Chunk *chunk; /* borrowed */
    uint32_t npu, phase, lane, step;
} TraceStep;

/* A part of a kernel's run time, up to now, during which its share of the NPU
 * was constant.  The length is 0 if the kernel stalls. */
typedef struct {
    OpStream stream;
    uint32_t op;
    SimTime from_ps, total_ps; /* run time of the whole kernel at that share; 0:
                                  the kernel stalled */
    /* SMs and HBM bandwidth during this part of the kernel. */
    uint64_t n_sms, bytes_per_s;
    /* SMs and HBM bandwidth that it would have without communication. */
    uint64_t most_sms, most_bytes_per_s;
    ComputeScale scale;
} TracePiece;

typedef struct {
    uint32_t op;
    uint64_t iteration;
} TraceMember;

/* Operations that a collective lane starts together, as one collective. */
typedef struct {
    uint32_t slot; /* number of the load, unique among the active loads */
    uint32_t lane; /* index of the collective lane in OpGraph.lanes */
    uint32_t op; /* the collective that is carried out: the only member, or the
                    operation of a buffer */
    uint64_t iteration; /* iteration of .op; for a buffer, the number of its
                           earlier uses */
    uint64_t bytes;
    uint32_t n_members;
    /* The operations in the order in which they are carried out. */
    const TraceMember *members;
    SimTime ready_ps; /* time at which the last member was ready on all NPUs */
    SimTime taken_ps; /* time at which the collective lane took the members */
    SimTime begin_ps; /* time at which they begin: capacity was free and
                         negotiation was over */
} TraceLoad;

static inline gboolean trace_is_fused(const TraceLoad *load)
{
    return load->n_members > 1;
}

/* How a run ended. */
typedef struct {
    gboolean is_done; /* all operations are done, in each of .n_iterations */
    uint64_t n_iterations;
    gboolean is_past_range; /* the time limit of the simulator was reached:
                               unfinished work may be due later */
    /* Bytes were sent that neither arrived nor wait in a switch. */
    gboolean is_lost;
} TraceEnd;

#endif
