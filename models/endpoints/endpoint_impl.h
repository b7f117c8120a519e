/* endpoint_impl.h - for models/ and models/endpoints/ only */
#ifndef MODELS_ENDPOINTS_ENDPOINT_IMPL_H
#define MODELS_ENDPOINTS_ENDPOINT_IMPL_H

#include "models/endpoints/endpoint.h"
#include "models/run/npu_impl.h"

typedef struct EndpointOps {
    ConfigKind base;
    Endpoint *(*new)(const ConfigVariant *config, Npu *npu, GError **error);
    void (*free)(Endpoint *endpoint);
    /* What is its own and can be waited for; NULL: nothing.  @uses() fills an
     * entry for each, which is zeroed before. */
    const ResourceKind *resources;
    void (*uses)(const Endpoint *endpoint, ResourceUse *ret);
    guint intake; /* place in .resources of what may_start() finds too little
                     of */
    void (*claim)(gconstpointer params, EndpointClaim *ret);
    /* What it adds to a chunk on its way, for cut.h; FALSE: it cannot take
     * such a chunk.  NULL: only what .costs say. */
    gboolean (*pace)(gconstpointer params, const System *system,
                     const CollPlan *plan, uint64_t chunk_bytes, CutPace *ret);
    /* endpoint_n_steps() and endpoint_take_step(); NULL: nothing may be
     * `auto`.  endpoint_cap(); NULL: there is none. */
    guint (*n_steps)(gconstpointer params, const NpuConfig *npu);
    void (*take_step)(gconstpointer config, const NpuConfig *npu, guint step,
                      guint part, gpointer params);
    char *(*cap)(gconstpointer params, const NpuConfig *npu, guint times);
    /* Whether one more chunk of @bytes can be taken in. */
    gboolean (*may_start)(Endpoint *endpoint, uint64_t bytes);
    /* @chunk is to go on to @phase, its number of phases meaning out.  The
     * endpoint calls pipeline_enter() once it can. */
    void (*advance)(Endpoint *endpoint, Chunk *chunk, uint32_t phase);
    /* Prepares @message, then calls pipeline_transmit().  NULL: it may go
     * .message_ps later. */
    void (*send)(Endpoint *endpoint, uint32_t message);
    /* Takes in @message, reducing it if it says so, then tells
     * pipeline_handled() what it did.  NULL: that takes no time. */
    void (*receive)(Endpoint *endpoint, uint32_t message);
    /* HBM gives @stream another rate.  May be NULL. */
    void (*set_rate)(Endpoint *endpoint, HbmStream stream,
                     uint64_t bytes_per_s);
    void (*stats)(const Endpoint *endpoint, EndpointStats *ret);
    /* Adds who waits for what in it to a stall's report.  May be NULL. */
    void (*explain)(const Endpoint *endpoint, GString *text);
} EndpointOps;

/* The first member of each kind's own struct. */
struct Endpoint {
    const EndpointOps *ops; /* static */
    Npu *npu;               /* borrowed */
    SimTime launch_ps;      /* of a collective, before its first chunk starts */
    SimTime step_ps;        /* of .message_ps, what its step costs */
    /* From when a message could go until it does, for every one; messages do
     * not wait for each other's.  An endpoint that has send() adds it to what
     * it hands to pipeline_transmit(). */
    SimTime message_ps;
};

extern const EndpointOps endpoint_baseline;
extern const EndpointOps endpoint_ace;
extern const EndpointOps endpoint_copy_engine;
extern const EndpointOps endpoint_ideal;

/* NULL with @error set when the parameters do not fit the platform. */
G_GNUC_WARN_UNUSED_RESULT
Endpoint *endpoint_new(const ConfigVariant *config, Npu *npu, GError **error);
void endpoint_free(Endpoint *endpoint);
/* For new(): what @costs say, on an NPU of @clock_hz. */
void endpoint_set_costs(Endpoint *endpoint, const EndpointCosts *costs,
                        uint64_t clock_hz);

/* For pace(): .message_ps of @costs on the NPUs of @system. */
SimTime endpoint_message_ps(const EndpointCosts *costs, const System *system);

/* What held a transfer of @mover up that is through now: HBM, or @own, what
 * the mover can do by itself. */
TraceResource endpoint_mover_bound(const Npu *npu, const HbmMover *mover,
                                   TraceResource own);

/*
 * The bus between NPU and fabric, one direction.  It works in step with what
 * feeds it, so a message is through when the feed is, or when the bus, busy
 * with others, gets there.  What waits goes by its order, as it does wherever
 * else it waits; in that of its coming an old chunk waited behind all that a
 * larger window, or a faster feed, had sent before it.
 */
typedef struct EndpointBus EndpointBus;

/* @through(@self, message, now_ps) is called for each message, within
 * endpoint_bus_pass() if nothing holds it up.  The caller owns the bus, which
 * borrows @npu and @self. */
EndpointBus *endpoint_bus_new(Npu *npu, SimEventFn through, gpointer self);
void endpoint_bus_free(EndpointBus *bus);
/* The feed of @message ends now. */
void endpoint_bus_pass(EndpointBus *bus, uint32_t message);
SimTime endpoint_bus_busy_ps(const EndpointBus *bus);

#endif
