/*
 * endpoint.h - who carries out the steps of collectives on an NPU
 *
 * The pipeline (models/run) knows what has to be sent, received and reduced;
 * an endpoint decides when each of these is done and what it costs: HBM
 * traffic, SMs, engines, room.  It tells its host (host.h) when it is done.
 * Each kind is a file here and a line in endpoint.c.
 *
 * Units    bytes, bytes per second, ps
 * Errors   endpoint_new() sets CONFIG_ERROR at the node that is wrong
 * Owner    the caller of endpoint_new() owns the endpoint
 */
#ifndef MODELS_ENDPOINTS_ENDPOINT_H
#define MODELS_ENDPOINTS_ENDPOINT_H

#include "models/collectives/cut.h"
#include "models/endpoints/host.h"
#include "models/endpoints/params.h"
#include "models/endpoints/site.h"
#include "models/endpoints/slack/slack.h"
#include "models/trace/resource.h"

typedef struct Endpoint Endpoint;

extern const ConfigRegistry endpoint_registry;

/* What the endpoint takes away from compute. */
typedef struct {
    uint64_t n_sms;
    uint64_t read_bytes_per_s;  /* share under `partitioned` */
    uint64_t write_bytes_per_s; /* likewise; beside it, see hbm.h */
    /* What reads at their share bring with them, under `charge_writes`. */
    uint64_t unpaced_write_bytes_per_s;
    gboolean only_while_communicating;
    gboolean sms_only_while_reducing; /* chunks that an NPU adds to */
} EndpointClaim;

/* Counted over a run, for one NPU; what a kind has not stays 0. */
typedef struct {
    uint64_t hbm_read_bytes, hbm_write_bytes;
    SimTime hbm_busy_ps; /* of the engine that reads */
    SimTime bus_busy_ps; /* of its outward direction */
} EndpointStats;

typedef struct EndpointOps {
    ConfigKind base;
    Endpoint *(*new)(const ConfigVariant *config, const EndpointSite *site,
                     EndpointHost *host, GError **error);
    void (*free)(Endpoint *endpoint);
    /* What is its own and can be waited for; NULL: nothing.  @uses() fills an
     * entry for each, which is zeroed before. */
    const ResourceKind *resources;
    void (*uses)(const Endpoint *endpoint, ResourceUse *ret);
    guint intake; /* in .resources: what may_start() finds too little of */
    void (*claim)(gconstpointer params, EndpointClaim *ret);
    /* What it adds to a chunk on its way, for cut.h; FALSE: it cannot take
     * such a chunk.  NULL: only what .costs say. */
    gboolean (*pace)(gconstpointer params, const EndpointSite *site,
                     const CollPlan *plan, uint64_t chunk_bytes, CutPace *ret);
    /* See endpoint_n_steps() and so on; NULL: nothing `auto`, or no cap. */
    guint (*n_steps)(gconstpointer params, const NpuConfig *npu);
    void (*take_step)(gconstpointer config, const NpuConfig *npu, guint step,
                      guint part, gpointer params);
    char *(*cap)(gconstpointer params, const NpuConfig *npu, guint times);
    /* Whether one more chunk of @bytes can be taken in. */
    gboolean (*may_start)(Endpoint *endpoint, uint64_t bytes);
    /* @chunk is to go on to @phase, its number of phases meaning out.  The
     * endpoint calls host_enter() once it can. */
    void (*advance)(Endpoint *endpoint, Chunk *chunk, uint32_t phase);
    /* Prepares @message, then calls host_transmit().  NULL: it may go
     * .message_ps later. */
    void (*send)(Endpoint *endpoint, uint32_t message);
    /* Takes in @message, reducing it if it says so, then tells host_handled()
     * what it did.  NULL: that takes no time. */
    void (*receive)(Endpoint *endpoint, uint32_t message);
    gboolean stores_at_once; /* it is not called for what is not reduced */
    /* HBM gives @stream another rate.  May be NULL. */
    void (*set_rate)(Endpoint *endpoint, HbmStream stream, uint64_t per_s);
    void (*stats)(const Endpoint *endpoint, EndpointStats *ret);
    /* See sim/core/steady.h.  NULL: nothing is skipped with it. */
    void (*steady)(Endpoint *endpoint, SteadyWalk *walk);
    /* Adds to a stall's report who waits for what in it. */
    void (*explain)(const Endpoint *endpoint, GString *text);
    void (*note)(const Endpoint *endpoint); /* at the end; may be NULL */
    const EndpointSlack *slack;             /* NULL: it vouches for nothing */
} EndpointOps;

/* The first member of each kind's own struct. */
struct Endpoint {
    const EndpointOps *ops; /* static */
    EndpointHost *host;     /* borrowed */
    SimTime launch_ps;      /* of a collective, before its first chunk starts */
    SimTime step_ps;        /* of .message_ps, what its step costs */
    /* From when a message could go until it does, for every one, side by side.
     * Who has send() adds it to what goes to host_transmit(). */
    SimTime message_ps;
};

/* NULL with @error set when the parameters do not fit the site.  Both are
 * borrowed: the site for the call. */
G_GNUC_WARN_UNUSED_RESULT
Endpoint *endpoint_new(const ConfigVariant *config, const EndpointSite *site,
                       EndpointHost *host, GError **error);
void endpoint_free(Endpoint *endpoint);

/* See EndpointOps.pace. */
gboolean endpoint_pace(const ConfigVariant *config, const EndpointSite *site,
                       const CollPlan *plan, uint64_t chunk_bytes,
                       CutPace *ret);
/* FALSE: a message goes .message_ps after it could, and is taken in when it
 * comes; nobody has to ask. */
gboolean endpoint_takes_time(const ConfigVariant *config);

static inline const EndpointOps *endpoint_ops(const ConfigVariant *config)
{
    return (const EndpointOps *)(gconstpointer)config->kind;
}

/* The resources that are @kind's own, which a name of NULL ends; NULL: none. */
static inline const ResourceKind *endpoint_resources(const ConfigKind *kind)
{
    return ((const EndpointOps *)(gconstpointer)kind)->resources;
}

const char *endpoint_name(const ConfigVariant *config);
uint64_t endpoint_n_tried(const ConfigVariant *config);
EndpointClaim endpoint_claim(const ConfigVariant *config);

/*
 * What is `auto` is chosen by who runs a system, on a ladder: each step gives
 * communication more and compute less.  On a step, the last of its parts is
 * all that the step's SMs can use; the others give a part of what the step has
 * more than the one below it.
 */
#define ENDPOINT_N_PARTS 16

/* 0: nothing is `auto`. */
guint endpoint_n_steps(const ConfigVariant *config, const NpuConfig *npu);

/* Why @times as much of what binds would not be of use by itself, as a sentence
 * without its end; NULL: it would.  Owner: the caller. */
char *endpoint_cap(const ConfigVariant *config, const NpuConfig *npu,
                   guint times);

/* Sets what is `auto` in @params, a copy of @config's, to @part, 1 to
 * ENDPOINT_N_PARTS, of @step, from 0. */
void endpoint_take_step(const ConfigVariant *config, const NpuConfig *npu,
                        guint step, guint part, gpointer params);

#endif
