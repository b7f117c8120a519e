#include "models/endpoints/endpoint_impl.h"

const char *endpoint_name(const ConfigVariant *config)
{
    const EndpointCommon *common = config->params;

    return common->name;
}

uint64_t endpoint_n_tried(const ConfigVariant *config)
{
    const EndpointCommon *common = config->params;

    return common->n_tried;
}

static const EndpointOps *ops_of(const ConfigVariant *config)
{
    return (const EndpointOps *)(gconstpointer)config->kind;
}

const ResourceKind *endpoint_resources(const ConfigKind *kind)
{
    return ((const EndpointOps *)(gconstpointer)kind)->resources;
}

EndpointClaim endpoint_claim(const ConfigVariant *config)
{
    EndpointClaim claim = { 0 };

    ops_of(config)->claim(config->params, &claim);
    return claim;
}

guint endpoint_n_steps(const ConfigVariant *config, const NpuConfig *npu)
{
    const EndpointOps *ops = ops_of(config);

    return ops->n_steps ? ops->n_steps(config->params, npu) : 0;
}

char *endpoint_cap(const ConfigVariant *config, const NpuConfig *npu,
                   guint times)
{
    const EndpointOps *ops = ops_of(config);

    return ops->cap ? ops->cap(config->params, npu, times) : NULL;
}

void endpoint_take_step(const ConfigVariant *config, const NpuConfig *npu,
                        guint step, guint part, gpointer params)
{
    g_assert(step < endpoint_n_steps(config, npu));
    g_assert(part >= 1 && part <= ENDPOINT_N_PARTS);
    ops_of(config)->take_step(config->params, npu, step, part, params);
}

Endpoint *endpoint_new(const ConfigVariant *config, Npu *npu, GError **error)
{
    const EndpointOps *ops = ops_of(config);
    Endpoint *endpoint = ops->new (config, npu, error);

    if (!endpoint)
        return NULL;
    endpoint->ops = ops;
    endpoint->npu = npu;
    return endpoint;
}

void endpoint_free(Endpoint *endpoint)
{
    if (endpoint)
        endpoint->ops->free(endpoint);
}

void endpoint_set_costs(Endpoint *endpoint, const EndpointCosts *costs,
                        uint64_t clock_hz)
{
    endpoint->launch_ps = costs->launch_ps;
    endpoint->step_ps = costs->step_ps;
    endpoint->message_ps = sim_time_add(
        costs->step_ps, sim_time_from_cycles(costs->message_cycles, clock_hz));
}

SimTime endpoint_message_ps(const EndpointCosts *costs, const System *system)
{
    return sim_time_add(
        costs->step_ps,
        sim_time_from_cycles(costs->message_cycles,
                             system->config->platform.npu.clock_hz));
}

TraceResource endpoint_mover_bound(const Npu *npu, const HbmMover *mover,
                                   TraceResource own)
{
    const HbmConfig *hbm = &npu->system->config->platform.npu.hbm;

    if (!hbm_mover_is_held_back(mover))
        return own;
    return hbm->policy == HBM_SHARED ? RESOURCE_HBM : RESOURCE_HBM_SHARE;
}

/* ---- the bus ---------------------------------------------------------- */

struct EndpointBus {
    Npu *npu;          /* borrowed */
    SimServer *server; /* owned: works in ps */
    SimEventFn through;
    gpointer self;   /* borrowed */
    SimTime free_ps; /* of an idle bus: since when */
    SimTime busy_ps;
};

static void on_bus(gpointer self, uint32_t message, uint64_t now_ps)
{
    EndpointBus *bus = self;

    bus->free_ps = now_ps;
    bus->through(bus->self, message, now_ps);
}

EndpointBus *endpoint_bus_new(Npu *npu, SimEventFn through, gpointer self)
{
    EndpointBus *bus = g_new0(EndpointBus, 1);

    bus->npu = npu;
    bus->server =
        sim_server_new(npu->system->engine, 1, SIM_PS_PER_SEC, on_bus, bus);
    bus->through = through;
    bus->self = self;
    return bus;
}

void endpoint_bus_free(EndpointBus *bus)
{
    if (!bus)
        return;
    sim_server_free(bus->server);
    g_free(bus);
}

/* It seldom holds anything up: no event then. */
void endpoint_bus_pass(EndpointBus *bus, uint32_t message)
{
    const System *system = bus->npu->system;
    const NetMessage *m = network_message(system->network, message);
    SimTime now_ps = sim_engine_now(system->engine);
    SimTime takes_ps = sim_time_from_bytes(
        m->bytes, system->config->platform.npu.bus_bytes_per_s);

    bus->busy_ps += takes_ps;
    if (!sim_server_is_idle(bus->server)) {
        sim_server_submit(bus->server, m->order_hi, takes_ps, message);
    } else if (sim_time_add(bus->free_ps, takes_ps) <= now_ps) {
        bus->free_ps = now_ps;
        bus->through(bus->self, message, now_ps);
    } else {
        takes_ps -= now_ps - bus->free_ps; /* while it was fed */
        sim_server_submit(bus->server, m->order_hi, takes_ps, message);
    }
}

SimTime endpoint_bus_busy_ps(const EndpointBus *bus)
{
    return bus->busy_ps;
}
