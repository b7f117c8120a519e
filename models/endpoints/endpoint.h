/*
 * endpoint.h - the component of an NPU that carries out collective steps
 *
 * The pipeline (models/run) knows what has to be sent, received and reduced.
 * An endpoint decides when each of these is done and at which cost: HBM
 * traffic, SMs, engines, room. It reports completion to its host
 * (endpoint_host.h). Each kind has its own source file and a line in
 * endpoint_kinds.c.
 *
 * Units    bytes, bytes per second, ps
 * Errors   endpoint_new() sets CONFIG_ERROR at the faulty node of the document
 * Owner    the caller of endpoint_new() owns the endpoint
 */
#ifndef MODELS_ENDPOINTS_ENDPOINT_H
#define MODELS_ENDPOINTS_ENDPOINT_H

#include "models/collectives/chunking.h"
#include "models/endpoints/endpoint_host.h"
#include "models/endpoints/endpoint_npu_and_collectives.h"
#include "models/endpoints/endpoint_params.h"
#include "models/endpoints/endpoints_with_same_results.h"
#include "models/trace/resource_list.h"

typedef struct Endpoint Endpoint;

extern const ConfigRegistry endpoint_registry;

/* The resources that the endpoint takes away from compute. */
typedef struct {
    uint64_t n_sms;
    uint64_t read_bytes_per_s; /* share for reads under `partitioned` */
    /* Share for writes under `partitioned`, in parallel with reads; see
     * hbm_bandwidth.h. */
    uint64_t write_bytes_per_s;
    /* Rate of the writes that accompany reads at their full share; matters
     * under `charge_writes`. */
    uint64_t unpaced_write_bytes_per_s;
    gboolean only_while_communicating;
    /* The SMs are held only while chunks that this NPU reduces are active. */
    gboolean sms_only_while_reducing;
    /* Under the policy `shared`, .read_bytes_per_s has no effect. */
    gboolean is_share_only;
    /* The SMs read the HBM, so reads are no faster than they are. */
    gboolean reads_by_sms;
} EndpointClaim;

/* Counters of one NPU over a run. A kind leaves unused fields at 0. */
typedef struct {
    uint64_t hbm_read_bytes, hbm_write_bytes;
    SimTime hbm_busy_ps; /* busy time of the engine that reads the HBM */
    SimTime bus_busy_ps; /* busy time of the bus from NPU to fabric */
} EndpointStats;

/* The endpoints of an NPU, each different from the others. */
typedef struct EndpointMembers {
    uint32_t n;
    ConfigVariant endpoints[HBM_MAX_ENDPOINTS]; /* borrowed from the document */
    /* There are more than HBM_MAX_ENDPOINTS; only the first are listed. */
    gboolean is_incomplete;
} EndpointMembers;

/* A selection has no endpoint for a collective. */
#define ENDPOINT_NO_MEMBER UINT32_MAX

typedef struct EndpointOps {
    ConfigKind base;
    Endpoint *(*new)(const ConfigVariant *config, const EndpointSite *site,
                     EndpointHost *host, GError **error);
    void (*free)(Endpoint *endpoint);
    /* The resources of this kind for which chunks or messages can wait; NULL:
     * none.  The function uses() fills one zeroed entry for each. */
    const ResourceKind *resources;
    void (*uses)(const Endpoint *endpoint, ResourceUse *ret);
    /* The index in .resources of the resource that is lacking if may_start()
     * returns FALSE. */
    guint intake;
    void (*claim)(gconstpointer params, EndpointClaim *ret);
    /* Sets *@ret to the time that the endpoint adds to a chunk, for chunking.h.
     * Returns FALSE if the endpoint cannot take such a chunk.  NULL: only
     * .costs apply. */
    gboolean (*pace)(gconstpointer params, const EndpointSite *site,
                     const CollPlan *plan, uint64_t chunk_bytes, CutPace *ret);
    /* These functions implement endpoint_n_auto_steps() and the functions after
     * it. NULL: no key is `auto`, or there is no cap. */
    guint (*n_steps)(gconstpointer params, const NpuConfig *npu);
    void (*take_step)(gconstpointer config, const NpuConfig *npu, guint step,
                      guint part, gpointer params);
    char *(*cap)(gconstpointer params, const NpuConfig *npu, guint times);
    /* Returns whether one more chunk of @bytes can be taken in. */
    gboolean (*may_start)(Endpoint *endpoint, uint64_t bytes);
    /* A kind that stands for several endpoints: sets *@ret to them, and returns
     * the number of that which carries out collectives of @kind of the group
     * called @group.  Both are NULL for a kind that is an endpoint itself. */
    void (*members)(gconstpointer params, EndpointMembers *ret);
    uint32_t (*member_of)(gconstpointer params, const char *group,
                          CollKind kind);
    /* Returns FALSE and sets @error if the selection does not fit @graph. NULL:
     * it fits every graph. */
    gboolean (*check)(const ConfigVariant *config, const OpGraph *graph,
                      GError **error);
    /* The endpoint that carries out operation @op; NULL: the endpoint itself.
     * The functions may_start() and .intake, .launch_ps and .step_ps are those
     * of the result. */
    Endpoint *(*of_op)(Endpoint *endpoint, uint32_t op);
    /* Moves @chunk to @phase; the number of phases means that it leaves. The
     * endpoint calls host_report_chunk_enters_phase() once the chunk can do
     * so. */
    void (*advance)(Endpoint *endpoint, Chunk *chunk, uint32_t phase);
    /* Prepares @message, then calls host_report_message_ready().  NULL: a
     * message goes out after .message_ps. */
    void (*send)(Endpoint *endpoint, uint32_t message);
    /* Takes in @message, reducing it if the message says so, then calls
     * host_report_message_processed().  NULL: this takes no time. */
    void (*receive)(Endpoint *endpoint, uint32_t message);
    /* The function receive() is not called for messages that are not
     * reduced. */
    gboolean stores_at_once;
    /* An NPU has one set of these engines: two endpoints of the kind with
     * different parameters are refused. */
    gboolean is_one_per_npu;
    /* Called when HBM changes the rate of @stream.  May be NULL. */
    void (*set_rate)(Endpoint *endpoint, HbmStream stream, uint64_t per_s);
    void (*stats)(const Endpoint *endpoint, EndpointStats *ret);
    /* Visits the state of the endpoint, see sim/core/state_walk.h.  NULL: no
     * period is skipped with this kind. */
    void (*steady)(Endpoint *endpoint, SteadyWalk *walk);
    /* The state that .steady visits is final when the endpoint reports the end
     * of the last chunk in flight, apart from demands for HBM, and .may_start()
     * always returns TRUE.  FALSE: no collective is replayed with this kind,
     * see models/run/quiescent. */
    gboolean is_final_at_chunk_end;
    /* Appends to the report of a stalled run which items wait for which
     * resource of the endpoint. */
    void (*explain)(const Endpoint *endpoint, GString *text);
    /* Called at the end of a run to record notes for .invariance; may
     * be NULL. */
    void (*note)(const Endpoint *endpoint);
    const EndpointInvariance
        *invariance; /* NULL: the kind has no invariance test */
} EndpointOps;

/* The base of all endpoints: the first member of each kind's struct. */
struct Endpoint {
    const EndpointOps *ops; /* static */
    EndpointHost *host;     /* borrowed */
    SimTime launch_ps; /* launch time before the first chunk of a collective */
    SimTime step_ps;   /* the step time, which is part of .message_ps */
    /* The latency from the time at which a message could leave until it leaves.
     * The latencies of several messages overlap.  A kind with send() adds it to
     * the time that it passes to host_report_message_ready(). */
    SimTime message_ps;
    /* The stream of the HBM for reads of the endpoint. */
    HbmStream read_stream;
    /* Number of the first of EndpointOps.resources in the list of the run. */
    uint32_t first_resource;
};

/* Returns the endpoint that carries out operation @op. */
static inline Endpoint *endpoint_of_op(Endpoint *endpoint, uint32_t op)
{
    return G_UNLIKELY(endpoint->ops->of_op) ? endpoint->ops->of_op(endpoint, op)
                                            : endpoint;
}

/* Creates an endpoint.  Returns NULL and sets @error if the parameters do not
 * fit the site.  @config is borrowed for the life of the endpoint, @site for
 * the call. */
G_GNUC_WARN_UNUSED_RESULT
Endpoint *endpoint_new(const ConfigVariant *config, const EndpointSite *site,
                       EndpointHost *host, GError **error);
void endpoint_free(Endpoint *endpoint);

/* Sets *@ret to the time that the endpoint adds to a chunk, see
 * EndpointOps.pace(). */
gboolean endpoint_estimate_chunk_costs(const ConfigVariant *config,
                                       const EndpointSite *site,
                                       const CollPlan *plan,
                                       uint64_t chunk_bytes, CutPace *ret);
/* Returns FALSE if the endpoint adds only the fixed latency .message_ps to a
 * message and takes it in when it arrives, so that it need not be called. */
gboolean endpoint_delays_messages(const ConfigVariant *config);

static inline const EndpointOps *
endpoint_ops_of_kind(const ConfigVariant *config)
{
    return (const EndpointOps *)(gconstpointer)config->kind;
}

/* Returns the resources that @kind owns, ended by a name of NULL; NULL if there
 * are none. */
static inline const ResourceKind *
endpoint_resources_of_kind(const ConfigKind *kind)
{
    return ((const EndpointOps *)(gconstpointer)kind)->resources;
}

/* Sets *@ret to the different endpoints that @config stands for. */
void endpoint_find_members(const ConfigVariant *config, EndpointMembers *ret);
/* Returns the number in endpoint_find_members() of the endpoint that carries
 * out collectives of @kind in the group called @group. */
uint32_t endpoint_member_for_collective(const ConfigVariant *config,
                                        const char *group, CollKind kind);

const char *endpoint_name(const ConfigVariant *config);
/* Returns the parameters that all kinds have. */
const EndpointCommon *endpoint_common(const ConfigVariant *config);
uint64_t endpoint_n_runs_to_choose_auto(const ConfigVariant *config);
EndpointClaim endpoint_claim_resources(const ConfigVariant *config);

/*
 * The choice of parameters that are `auto`.  The caller of a run chooses on a
 * ladder of steps: each step gives communication more resources and compute
 * fewer.  A step is divided into parts.  The last part is all that the
 * resources of the step can use; the other parts give a fraction of what the
 * step has more than the step below.
 */
#define ENDPOINT_N_PARTS 16

/* Returns the number of steps of the ladder of `auto` parameters; 0 if no
 * parameter is `auto`. */
guint endpoint_n_auto_steps(const ConfigVariant *config, const NpuConfig *npu);

/* Returns the reason why @times as much of the binding resource alone would not
 * help, as a sentence without a full stop; NULL if it would help.  The caller
 * owns the text. */
char *endpoint_bandwidth_cap_reason(const ConfigVariant *config,
                                    const NpuConfig *npu, guint times);

/* Sets the `auto` keys in @params, a copy of those of @config, to @part (1 to
 * ENDPOINT_N_PARTS) of @step (from 0). */
void endpoint_set_auto_params(const ConfigVariant *config, const NpuConfig *npu,
                              guint step, guint part, gpointer params);

#endif
