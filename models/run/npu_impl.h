/*
 * npu_impl.h - one NPU: its parts, and what it is doing
 *
 *   training.c   runs the op graph on it: computes, issues, waits
 *   scheduler.c  chooses the next chunk among its pending collectives
 *   pipeline.c   takes a chunk through its phases, steps and messages
 *   inbox.c      hands over what has arrived at one instant, in order
 *
 * Each of them calls what stands below it in this list, and tells those above
 * by NpuCallbacks alone.
 */
#ifndef MODELS_RUN_NPU_IMPL_H
#define MODELS_RUN_NPU_IMPL_H

#include "models/npu/compute_stream.h"
#include "models/run/instance_impl.h"
#include "sim/core/lines.h"

#define NPU_IDLE    UINT32_MAX
#define INBOX_EMPTY UINT32_MAX

typedef struct Training Training;

/* Who goes on when something on an NPU is done. */
typedef struct {
    void (*kernel)(Npu *npu, uint32_t op);
    void (*stage)(Npu *npu, uint32_t op, uint64_t iteration);
    void (*chunk)(Npu *npu); /* there is room for another */
    /* Before that, where there are communicators. */
    void (*chunk_complete)(Npu *npu, const Chunk *chunk);
    /* The NPU takes in its first chunk; and is done with all of them. */
    void (*first_chunk)(Npu *npu, CollInstance *coll);
    void (*collective)(Npu *npu, CollInstance *coll);
    /* Of lanes: it begins; fused, it is out of its buffer. */
    void (*load_begins)(Npu *npu, const TraceLoad *load);
    void (*load_ends)(Npu *npu, const TraceLoad *load);
} NpuCallbacks;

struct Npu {
    EndpointHost host;   /* what its endpoint sees of all this */
    uint32_t role, rank; /* and which of those that have it, if it matters */
    const NpuCallbacks *done; /* static */
    Hbm *hbm;                 /* owned */
    GPtrArray *pending;       /* of CollInstance, with chunks to start */
    AccordAsker asker;        /* that some may start */
    /* What every message needs is one line of the cache: of thousands of NPUs
     * little else is in it. */
    LINE_ALIGNED System *system;                           /* borrowed */
    Endpoint *endpoint;                                    /* owned */
    void (*send)(Endpoint *endpoint, uint32_t message);    /* its own, */
    void (*receive)(Endpoint *endpoint, uint32_t message); /* likewise */
    SimTime message_ps;                                    /* and that */
    uint64_t sent_bytes, received_bytes;
    uint32_t index; /* its place among those simulated; .host.id is its name */
    uint32_t inbox; /* the last message that arrived just now, linked to those
                     * before; INBOX_EMPTY: none did */
    ComputeStream *streams[OP_N_STREAMS]; /* owned */
    gboolean stream_used[OP_N_STREAMS];
    uint32_t kernels[OP_N_STREAMS]; /* op on the stream; NPU_IDLE: none */
    Training *training;             /* owned */
    GQueue
        decisions; /* of CollInstance: what was decided for it, see turns.c */
    CollInstance *favoured; /* without preemption: the one begun */
    uint32_t n_held;      /* communicators that have no room in their windows */
    uint32_t n_in_flight; /* chunks, */
    uint32_t n_reducing;  /* and those whose plan reduces here */
    uint64_t n_admitted;  /* chunks ever */
    SimTime window_full_since_ps, window_full_ps; /* chunks had to wait */
    gboolean window_is_full;
    uint32_t n_collectives; /* issued and not complete */
    gboolean is_busy; /* has chunks in flight, and the endpoint its claim */
    gboolean is_reducing;
    SimTime communicates_since_ps, communicated_ps;
    SimTime beside_ps; /* of that, with a kernel on the main stream */
    SimTime reduces_since_ps, reduced_ps;
    SimTime posted_ps; /* until then its thread has messages to post */
};

static inline Npu *npu_of(EndpointHost *host)
{
    return (Npu *)(gpointer)host; /* its first member */
}

/* The NPU without a program: .training and .done are for others to set.  @ops
 * is what its endpoint calls. */
G_GNUC_WARN_UNUSED_RESULT
gboolean npu_init(Npu *npu, System *system, uint32_t index,
                  const EndpointHostOps *ops, const EndpointSite *site,
                  GError **error);
void npu_clear(Npu *npu);
/* Shares of SMs and HBM follow from what the NPU is doing. */
void npu_update_shares(Npu *npu);
/* After chunks came or went: what waits, and what the NPU shares. */
void npu_after_intake(Npu *npu);
void npu_collective_begins(Npu *npu);
void npu_collective_ends(Npu *npu);
/* Time until now with a collective under way. */
SimTime npu_communicated_ps(const Npu *npu);
void npu_start_kernel(Npu *npu, uint32_t op, uint64_t iteration);
EndpointClaim npu_claim(const Npu *npu);

#endif
