/*
 * several_endpoints.c - the endpoints of an NPU between which its collectives
 * are divided
 *
 * Each chunk and message belongs to an operation of the graph, and the run has
 * decided which endpoint carries out that operation.  The endpoints contend
 * with each other and with kernels for SMs (each holds its own while it has
 * chunks), HBM (each has a stream for reads and one for writes,
 * hbm_bandwidth.h) and links.  An NPU has one set of copy engines, so all
 * copies belong to one endpoint.  Each endpoint has its own way over the NPU's
 * bus to the fabric.
 */
#include "models/endpoints/selection/selection.h"

typedef struct {
    Endpoint base;
    const guint8 *of_op; /* borrowed */
    uint32_t n;
    Endpoint *members[HBM_MAX_ENDPOINTS]; /* owned */
} SeveralEndpoints;

static guint count_resources_of_endpoint(const EndpointOps *ops)
{
    return resource_count(ops->resources) - RESOURCE_OWN;
}

/* Returns those of @tasks that endpoint @member carries out.  The caller owns
 * the array of EndpointTask. */
static GArray *tasks_of_member_endpoint(const EndpointSite *site,
                                        uint32_t member)
{
    GArray *tasks = g_array_new(FALSE, FALSE, sizeof(EndpointTask));

    for (uint32_t t = 0; t < site->n_tasks; t++)
        if (site->tasks[t].endpoint == member)
            g_array_append_val(tasks, site->tasks[t]);
    return tasks;
}

static gboolean add_member_endpoint(SeveralEndpoints *several,
                                    const EndpointSite *site,
                                    uint32_t first_resource, EndpointHost *host,
                                    GError **error)
{
    uint32_t i = several->n;
    g_autoptr(GArray) tasks = tasks_of_member_endpoint(site, i);
    EndpointSite one = *site;

    one.tasks = (const EndpointTask *)(gpointer)tasks->data;
    one.n_tasks = tasks->len;
    one.endpoint_of_op = NULL;
    one.members = NULL;
    one.index = i;
    one.first_resource = first_resource;
    several->members[i] =
        endpoint_new(&site->members->endpoints[i], &one, host, error);
    if (!several->members[i])
        return FALSE;
    several->n++;
    return TRUE;
}

Endpoint *several_endpoints_new(const ConfigVariant *config,
                                const EndpointSite *site, EndpointHost *host,
                                GError **error)
{
    SeveralEndpoints *several = g_new0(SeveralEndpoints, 1);
    uint32_t first_resource = 0;

    (void)config;
    several->of_op = site->endpoint_of_op;
    for (uint32_t i = 0; i < site->members->n; i++) {
        if (!add_member_endpoint(several, site, first_resource, host, error)) {
            several_endpoints_free(&several->base);
            return NULL;
        }
        first_resource += count_resources_of_endpoint(
            endpoint_ops_of_kind(&site->members->endpoints[i]));
    }
    return &several->base;
}

void several_endpoints_free(Endpoint *endpoint)
{
    SeveralEndpoints *several = (SeveralEndpoints *)endpoint;

    for (uint32_t i = 0; i < several->n; i++)
        endpoint_free(several->members[i]);
    g_free(several);
}

Endpoint *several_endpoints_of_op(Endpoint *endpoint, uint32_t op)
{
    const SeveralEndpoints *several = (const SeveralEndpoints *)endpoint;

    return several->members[several->of_op[op]];
}

static Endpoint *member_of_message(const Endpoint *endpoint, uint32_t message)
{
    const SeveralEndpoints *several = (const SeveralEndpoints *)endpoint;
    const NetMessage *net_message = host_get_message(endpoint->host, message);
    const Chunk *chunk =
        host_get_chunk(endpoint->host, message_chunk_slot(net_message));

    return several->members[several->of_op[chunk->op]];
}

/* This function is never called, because a run asks the endpoint of the
 * operation. */
gboolean several_endpoints_may_admit_chunk(Endpoint *endpoint, uint64_t bytes)
{
    (void)endpoint;
    (void)bytes;
    g_assert_not_reached();
}

void several_endpoints_advance_chunk(Endpoint *endpoint, Chunk *chunk,
                                     uint32_t phase)
{
    Endpoint *member = several_endpoints_of_op(endpoint, chunk->op);

    member->ops->advance(member, chunk, phase);
}

void several_endpoints_send_message(Endpoint *endpoint, uint32_t message)
{
    Endpoint *member = member_of_message(endpoint, message);

    if (member->ops->send)
        member->ops->send(member, message);
    else
        host_report_message_ready(
            endpoint->host, message,
            sim_time_add(sim_engine_now_ps(endpoint->host->engine),
                         member->message_ps));
}

void several_endpoints_receive_message(Endpoint *endpoint, uint32_t message)
{
    Endpoint *member = member_of_message(endpoint, message);
    gboolean is_added =
        message_is_added_to_buffer(host_get_message(endpoint->host, message));

    if (member->ops->receive && (is_added || !member->ops->stores_at_once))
        member->ops->receive(member, message);
    else
        host_report_message_processed(endpoint->host, message, is_added);
}

void several_endpoints_set_hbm_rate(Endpoint *endpoint, HbmStream stream,
                                    uint64_t bytes_per_s)
{
    const SeveralEndpoints *several = (const SeveralEndpoints *)endpoint;
    HbmStream own;
    uint32_t i = hbm_endpoint_of_stream(stream, &own);
    Endpoint *member = i < several->n ? several->members[i] : NULL;

    if (member && member->ops->set_rate)
        member->ops->set_rate(member, own, bytes_per_s);
}

/* Bytes are summed; times are those of the busiest endpoint. */
void several_endpoints_read_counters(const Endpoint *endpoint,
                                     EndpointStats *ret)
{
    const SeveralEndpoints *several = (const SeveralEndpoints *)endpoint;

    *ret = (EndpointStats){ 0 };
    for (uint32_t i = 0; i < several->n; i++) {
        const Endpoint *member = several->members[i];
        EndpointStats one;

        member->ops->stats(member, &one);
        ret->hbm_read_bytes += one.hbm_read_bytes;
        ret->hbm_write_bytes += one.hbm_write_bytes;
        ret->hbm_busy_ps = MAX(ret->hbm_busy_ps, one.hbm_busy_ps);
        ret->bus_busy_ps = MAX(ret->bus_busy_ps, one.bus_busy_ps);
    }
}

void several_endpoints_report_resource_use(const Endpoint *endpoint,
                                           ResourceUse *ret)
{
    const SeveralEndpoints *several = (const SeveralEndpoints *)endpoint;

    for (uint32_t i = 0; i < several->n; i++) {
        const Endpoint *member = several->members[i];

        if (member->ops->uses)
            member->ops->uses(member,
                              ret + member->first_resource - RESOURCE_OWN);
    }
}

void several_endpoints_visit_state(Endpoint *endpoint, SteadyWalk *walk)
{
    const SeveralEndpoints *several = (const SeveralEndpoints *)endpoint;

    for (uint32_t i = 0; i < several->n; i++)
        several->members[i]->ops->steady(several->members[i], walk);
}

void several_endpoints_explain_stall(const Endpoint *endpoint, GString *text)
{
    const SeveralEndpoints *several = (const SeveralEndpoints *)endpoint;

    for (uint32_t i = 0; i < several->n; i++)
        if (several->members[i]->ops->explain)
            several->members[i]->ops->explain(several->members[i], text);
}

void several_endpoints_claim_resources(const EndpointMembers *members,
                                       EndpointClaim *ret)
{
    *ret = (EndpointClaim){ .only_while_communicating = TRUE,
                            .sms_only_while_reducing = TRUE,
                            .is_share_only = TRUE };
    for (uint32_t i = 0; i < members->n; i++) {
        EndpointClaim one = endpoint_claim_resources(&members->endpoints[i]);

        ret->n_sms += one.n_sms;
        ret->read_bytes_per_s += one.read_bytes_per_s;
        ret->write_bytes_per_s += one.write_bytes_per_s;
        ret->unpaced_write_bytes_per_s += one.unpaced_write_bytes_per_s;
        ret->only_while_communicating &= one.only_while_communicating;
        ret->sms_only_while_reducing &= one.sms_only_while_reducing;
        ret->is_share_only &= one.is_share_only;
    }
}
