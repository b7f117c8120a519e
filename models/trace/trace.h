/*
 * trace.h - who listens to a run is told what happens in it, as it happens
 *
 * Listeners are set before the run.  They may not change anything: a run that
 * is listened to gives the same result, bit for bit.  Nothing is told ahead of
 * time then (see network_let_foresee()), so it has more events.
 *
 * Everything that an NPU does at an instant is done in one chain of calls that
 * begins with the end of something: of a kernel, of a job of the endpoint, of
 * a message's way.  So what a call brings about was caused by the end that was
 * told last, and a listener needs no more to know why anything happened when
 * it did.
 *
 * Units    ps; times that are no parameter are those of the call, @now_ps
 * Owner    the caller owns the listeners; what calls are given is borrowed for
 *          their duration
 */
#ifndef MODELS_TRACE_TRACE_H
#define MODELS_TRACE_TRACE_H

#include "models/collectives/plan.h"
#include "models/npu/compute.h"
#include "models/run/system.h"

/* What a chunk or a message is held up by at an endpoint. */
typedef enum {
    TRACE_HBM_SHARE, /* the endpoint's memory_bandwidth */
    TRACE_HBM,       /* what others leave of the HBM, under `shared` */
    TRACE_SMS,       /* that move the endpoint's data */
    TRACE_BUS,
    TRACE_ALUS,
    TRACE_ENGINES, /* that copy */
    TRACE_CYCLES,  /* of the endpoint, before a message goes out */
    TRACE_STEP,    /* likewise, for its step */
    TRACE_LAUNCH,  /* of a collective */
    /* room for one more chunk */
    TRACE_SRAM,
    TRACE_FSMS,
    TRACE_WINDOW,
    TRACE_N_RESOURCES,
} TraceResource;

/* Quantities that change in steps. */
typedef enum {
    TRACE_LEVEL_SMS,       /* held for communication */
    TRACE_LEVEL_HBM_READ,  /* bytes per second of the endpoint */
    TRACE_LEVEL_HBM_WRITE, /* likewise, where it is charged */
    TRACE_LEVEL_SRAM,      /* bytes */
    TRACE_LEVEL_FSM_SLOTS,
    TRACE_N_LEVELS,
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
} TraceChunk;

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
    /* @npu begins. */
    void (*begins)(gpointer self, uint32_t npu, SimTime now_ps);
    void (*kernel_begins)(gpointer self, uint32_t npu, uint32_t op,
                          uint64_t iteration, SimTime now_ps);
    void (*kernel_ran)(gpointer self, uint32_t npu, const TracePiece *piece,
                       SimTime now_ps);
    void (*kernel_ends)(gpointer self, uint32_t npu, uint32_t op,
                        uint64_t iteration, SimTime now_ps);
    void (*collective_begins)(gpointer self, uint32_t npu, uint32_t op,
                              uint64_t iteration, SimTime now_ps);
    /* Its launch is over: chunks may start.  Not told where it takes no time.
     */
    void (*collective_launched)(gpointer self, uint32_t npu, uint32_t op,
                                uint64_t iteration, SimTime now_ps);
    void (*collective_ends)(gpointer self, uint32_t npu, uint32_t op,
                            uint64_t iteration, SimTime now_ps);

    /* Chunks of @npu cannot be taken in for want of @room. */
    void (*intake_waits)(gpointer self, uint32_t npu, TraceResource room,
                         SimTime now_ps);
    void (*chunk_begins)(gpointer self, const TraceChunk *chunk,
                         SimTime now_ps);
    /* It cannot go on to its next phase, or out, for want of @room. */
    void (*chunk_waits)(gpointer self, const TraceChunk *chunk,
                        TraceResource room, SimTime now_ps);
    void (*phase_begins)(gpointer self, const TraceChunk *chunk, uint32_t phase,
                         SimTime now_ps);
    void (*phase_ends)(gpointer self, const TraceChunk *chunk, uint32_t phase,
                       SimTime now_ps);
    void (*chunk_ends)(gpointer self, const TraceChunk *chunk, SimTime now_ps);
    /* To and from HBM, whole: handed to a DMA engine, and through.  @free_ps,
     * here and below: others wanted what @by names until then. */
    void (*chunk_handed)(gpointer self, const TraceChunk *chunk,
                         SimTime now_ps);
    void (*chunk_moved)(gpointer self, const TraceChunk *chunk,
                        TraceResource by, SimTime free_ps, SimTime now_ps);

    /* @message is handed to the endpoint of @npu, to send or to take in; @by
     * has done its part for it; it has come in at @npu. */
    void (*message_handed)(gpointer self, uint32_t npu, uint32_t message,
                           SimTime now_ps);
    void (*message_done)(gpointer self, uint32_t npu, uint32_t message,
                         TraceResource by, SimTime free_ps, SimTime now_ps);
    void (*message_arrives)(gpointer self, uint32_t npu, uint32_t message,
                            SimTime now_ps);
    /* The links of @port of @npu take @message from now on, until @end_ps,
     * which was ready at @ready_ps or, if it passes through, has its tail here
     * then. */
    void (*link)(gpointer self, uint32_t npu, uint32_t port, uint32_t message,
                 SimTime ready_ps, SimTime free_ps, SimTime end_ps,
                 SimTime now_ps);
    /* One of the links of @port works from @from_ps, which may be to come. */
    void (*link_busy)(gpointer self, uint32_t npu, uint32_t port,
                      SimTime from_ps, SimTime until_ps, SimTime now_ps);

    void (*level)(gpointer self, uint32_t npu, TraceLevel what, uint64_t value,
                  SimTime now_ps);
} TraceOps;

/* Between system_new() and system_run(), as often as wanted: the last one is
 * told first.  What of @ops is NULL is not told. */
void system_listen(System *system, const TraceOps *ops, gpointer self);

#endif
