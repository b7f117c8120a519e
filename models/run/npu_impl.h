/*
 * npu_impl.h - one NPU: its parts and their state
 *
 *   training.c   executes the operation graph: kernels, collectives, waits
 *   scheduler.c  chooses the next chunk among its pending collectives
 *   pipeline.c   moves a chunk through its phases, steps and messages
 *   inbox.c      processes the messages that arrive at one instant, in order
 *
 * Each of them calls those below it in this list, and those above only through
 * NpuCallbacks.
 */
#ifndef MODELS_RUN_NPU_IMPL_H
#define MODELS_RUN_NPU_IMPL_H

#include "models/npu/compute_stream.h"
#include "models/run/instance_impl.h"
#include "sim/core/cache_lines.h"

#define NPU_IDLE    UINT32_MAX
#define INBOX_EMPTY UINT32_MAX

typedef struct Training Training;

/* The functions that are called when something on an NPU ends or begins. */
typedef struct {
    void (*kernel)(Npu *npu, uint32_t op);
    void (*stage)(Npu *npu, uint32_t op, uint64_t iteration);
    void (*chunk)(Npu *npu); /* a chunk ended: there may be room for another */
    /* Called before .chunk with communicators: @chunk ended. */
    void (*chunk_complete)(Npu *npu, const Chunk *chunk);
    /* The NPU takes in its first chunk of @coll, and has finished all of
     * them. */
    void (*first_chunk)(Npu *npu, CollInstance *coll);
    void (*collective)(Npu *npu, CollInstance *coll);
    /* Calls of lanes: @load begins, and ends after it was copied out of its
     * buffer. */
    void (*load_begins)(Npu *npu, const TraceLoad *load);
    void (*load_ends)(Npu *npu, const TraceLoad *load);
} NpuCallbacks;

struct Npu {
    EndpointHost host; /* the endpoint's view of the NPU */
    /* Index among the NPUs of the role; 0 if it does not matter. */
    uint32_t role, rank;
    const NpuCallbacks *done; /* static */
    Hbm *hbm;                 /* owned */
    GPtrArray *pending;       /* of CollInstance, with chunks to start */
    AdmissionRequester asker; /* for decisions on chunks to start */
    /* The fields that every message needs are in one cache line: with thousands
     * of NPUs the cache holds little else. */
    CACHE_LINE_ALIGNED System *system; /* borrowed */
    Endpoint *endpoint;                /* owned */
    /* A function of .endpoint->ops, or NULL. */
    void (*send)(Endpoint *endpoint, uint32_t message);
    /* A function of .endpoint->ops, or NULL. */
    void (*receive)(Endpoint *endpoint, uint32_t message);
    SimTime message_ps; /* of .endpoint */
    uint64_t sent_bytes, received_bytes;
    uint32_t index; /* index among the simulated NPUs; .host.id is its id */
    uint32_t inbox; /* the last message that arrived at this instant, linked to
                       those before; INBOX_EMPTY: none */
    ComputeStream *streams[OP_N_STREAMS]; /* owned */
    gboolean stream_used[OP_N_STREAMS];
    /* Operation on the stream; NPU_IDLE: none. */
    uint32_t kernels[OP_N_STREAMS];
    Training *training; /* owned */
    GQueue decisions;   /* of CollInstance: decisions to follow, see
                           multi_program.c */
    CollInstance
        *favoured;   /* without preemption: the collective that has begun */
    uint32_t n_held; /* communicators whose windows are full */
    uint32_t n_in_flight; /* chunks in flight */
    uint32_t n_reducing;  /* chunks in flight whose plan reduces on the NPU */
    uint64_t n_admitted;  /* chunks admitted so far */
    /* Time in which chunks waited for the window. */
    SimTime window_full_since_ps, window_full_ps;
    gboolean window_is_full;
    uint32_t n_collectives; /* issued and not complete */
    gboolean is_busy; /* chunks are in flight, so the endpoint has its claim */
    gboolean is_reducing;
    SimTime communicates_since_ps, communicated_ps;
    SimTime beside_ps; /* the part of it with a kernel on the main stream */
    SimTime reduces_since_ps, reduced_ps;
    SimTime posted_ps; /* end of the messages that its thread has to post */
};

static inline Npu *npu_of(EndpointHost *host)
{
    return (Npu *)(gpointer)host; /* .host is the first member */
}

/* Initialises the NPU without a program: the caller sets .training and .done.
 * @ops are the functions that its endpoint calls.  Returns FALSE and sets
 * @error if the endpoint refuses @site. */
G_GNUC_WARN_UNUSED_RESULT
gboolean npu_init(Npu *npu, System *system, uint32_t index,
                  const EndpointHostOps *ops, const EndpointSite *site,
                  GError **error);
void npu_clear(Npu *npu);
/* Must be called after chunks began or ended: counts the time of a full window
 * and updates shares. */
void npu_after_intake(Npu *npu);
void npu_collective_begins(Npu *npu);
void npu_collective_ends(Npu *npu);
/* Returns the time until now with a collective in flight. */
SimTime npu_communicated_ps(const Npu *npu);
void npu_start_kernel(Npu *npu, uint32_t op, uint64_t iteration);
/* Returns the resources that the endpoint holds now. */
EndpointClaim npu_claim(const Npu *npu);

#endif
