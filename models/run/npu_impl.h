/*
 * npu_impl.h - one NPU: its parts and their state
 *
 *   training.c   executes the operation graph: kernels, collectives, waits
 *   chunk_scheduler.c  chooses the next chunk among its pending collectives
 *   chunk_progress.c   moves a chunk through its phases, steps and messages
 *   message_inbox.c      processes the messages that arrive at one instant, in
 * order
 *
 * Each of them calls those below it in this list, and those above only through
 * NpuCallbacks.
 */
#ifndef MODELS_RUN_NPU_IMPL_H
#define MODELS_RUN_NPU_IMPL_H

#include "models/npu/compute_stream.h"
#include "models/run/collective_instance_impl.h"
#include "sim/core/cache_lines.h"

#define NPU_IDLE    UINT32_MAX
#define INBOX_EMPTY UINT32_MAX

typedef struct Training Training;

/* The functions that are called when an operation or a chunk on an NPU begins
 * or ends. */
typedef struct {
    void (*kernel)(Npu *npu, uint32_t op);
    void (*stage)(Npu *npu, uint32_t op, uint64_t iteration);
    /* A chunk ended, so there may be room for another one. */
    void (*chunk)(Npu *npu);
    /* Chunk @chunk ended.  Called before .chunk, only with communicators. */
    void (*chunk_complete)(Npu *npu, const Chunk *chunk);
    /* The NPU starts its first chunk of @coll; and it has finished all of
     * them. */
    void (*first_chunk)(Npu *npu, CollInstance *coll);
    void (*collective)(Npu *npu, CollInstance *coll);
    /* Callbacks of lanes: @load begins; and @load ends, after it was copied out
     * of its buffer. */
    void (*load_begins)(Npu *npu, const TraceLoad *load);
    void (*load_ends)(Npu *npu, const TraceLoad *load);
} NpuCallbacks;

/* The activity of one endpoint of an NPU.  It decides which SMs and which
 * bandwidth the endpoint holds. */
typedef struct {
    uint32_t n_in_flight; /* chunks of the endpoint in flight */
    /* Number of chunks in flight whose plan reduces on the NPU. */
    uint32_t n_reducing;
    gboolean is_busy;     /* .n_in_flight > 0, so it holds its share */
    gboolean is_reducing; /* .n_reducing > 0 */
    SimTime changed_ps;   /* last change of .is_busy or .is_reducing */
    /* Time in which the endpoint was busy, or reducing, before .changed_ps. */
    SimTime busy_ps, reduced_ps;
} EndpointUse;

struct Npu {
    EndpointHost host; /* the endpoint's view of the NPU */
    /* Number of the role, and index of the NPU within its role; 0 if it does
     * not matter. */
    uint32_t role, rank;
    const NpuCallbacks *callbacks; /* static */
    Hbm *hbm;                      /* owned */
    /* Collectives that have chunks to start, unless communicators admit them;
     * the elements are CollInstance. */
    GPtrArray *pending;
    AdmissionRequester asker; /* takes part in decisions on chunks to start */
    EndpointUse only_use;     /* the use of the only endpoint, see .uses */
    /* The fields that every message needs share one cache line: with thousands
     * of NPUs the cache holds little else. */
    CACHE_LINE_ALIGNED System *system; /* borrowed */
    Endpoint *endpoint;                /* owned */
    /* The send function of .endpoint->ops, or NULL. */
    void (*send)(Endpoint *endpoint, uint32_t message);
    /* The receive function of .endpoint->ops, or NULL. */
    void (*receive)(Endpoint *endpoint, uint32_t message);
    SimTime message_ps; /* latency that .endpoint adds to each message */
    uint64_t sent_bytes, received_bytes;
    /* Index of the NPU among the simulated ones; its id is .host.id. */
    uint32_t index;
    uint32_t inbox; /* the last message that arrived at this instant, linked to
                       those before; INBOX_EMPTY: none */
    ComputeStream *streams[OP_N_STREAMS]; /* owned */
    gboolean stream_used[OP_N_STREAMS];
    /* Operation whose kernel runs on each stream; NPU_IDLE: none. */
    uint32_t kernels[OP_N_STREAMS];
    Training *training; /* owned */
    /* Collectives whose chunks the NPU starts next, as
     * multi_program_scheduler.c decided; the elements are CollInstance. */
    GQueue decisions;
    /* Without preemption: the collective that has begun and is finished
     * first. */
    CollInstance *favoured;
    uint32_t n_held;      /* number of communicators whose windows are full */
    uint32_t n_in_flight; /* number of chunks in flight */
    /* Owned: the use of each endpoint, in the order of OpEndpoints.members;
     * or .only_use. */
    EndpointUse *uses;
    uint64_t n_admitted; /* chunks admitted so far */
    /* Time in which chunks waited only because the window was full. */
    SimTime window_full_since_ps, window_full_ps;
    gboolean window_is_full;
    uint32_t n_collectives; /* collectives that are issued and not complete */
    SimTime communicates_since_ps, communicated_ps;
    /* The part of the communication time in which the main stream runs a
     * kernel. */
    SimTime beside_ps;
    /* Time at which the NPU's thread has posted all its network messages. */
    SimTime posted_ps;
    /* Borrowed: the recorded or replayed collective that the NPU is in; NULL:
     * none. */
    QuiescentCollective *quiescent;
};

static inline Npu *npu_of_endpoint_host(EndpointHost *host)
{
    /* The cast is valid because .host is the first member of Npu. */
    return (Npu *)(gpointer)host;
}

/* Initialises the NPU without a program; the caller sets .training and .done.
 * The endpoint calls the functions in @ops.  Returns FALSE and sets @error if
 * the endpoint refuses @site. */
G_GNUC_WARN_UNUSED_RESULT
gboolean npu_init(Npu *npu, System *system, uint32_t index,
                  const EndpointHostOps *ops, const EndpointSite *site,
                  GError **error);
void npu_clear(Npu *npu);
/* Must be called after chunks began or ended: counts the time of a full window
 * and updates shares. */
void npu_update_after_chunks(Npu *npu);
void npu_collective_begins(Npu *npu);
void npu_collective_ends(Npu *npu);
/* Returns the time up to now in which a collective was in flight on the NPU. */
SimTime npu_communication_time_ps(const Npu *npu);
void npu_start_kernel(Npu *npu, uint32_t op, uint64_t iteration);
/* Returns the SMs and the bandwidth that all endpoints hold now. */
EndpointClaim npu_endpoint_claim(const Npu *npu);

/* Returns the endpoint that carries out operation @op on @npu, and its use. */
static inline Endpoint *npu_endpoint_of_op(const Npu *npu, uint32_t op)
{
    return endpoint_of_op(npu->endpoint, op);
}

static inline EndpointUse *npu_endpoint_use_of_op(const Npu *npu, uint32_t op)
{
    return &npu->uses[op_endpoints_number(&npu->system->plan.endpoints, op)];
}

/* Returns whether the endpoint of @coll has room for its next chunk on @npu. */
static inline gboolean
npu_endpoint_has_room(const Npu *npu, const CollInstance *coll, uint64_t bytes)
{
    Endpoint *endpoint = npu_endpoint_of_op(npu, coll->op);

    return endpoint->ops->may_start(endpoint, bytes);
}

/* Returns the resource that is lacking if the endpoint of @coll has no room. */
static inline TraceResource npu_intake_resource(const Npu *npu,
                                                const CollInstance *coll)
{
    const Endpoint *endpoint = npu_endpoint_of_op(npu, coll->op);

    return endpoint->first_resource + endpoint->ops->intake;
}

#endif
