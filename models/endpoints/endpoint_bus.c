/* endpoint_bus.c - a bus serves one message at a time, in parallel with its
 * feed */
#include "models/endpoints/endpoint_bus.h"

#include "models/endpoints/buses_with_same_results.h"

struct EndpointBus {
    const EndpointHost *host; /* borrowed */
    SimServer *server;        /* owned: its unit of work is ps */
    SimEventFn through;
    gpointer self; /* borrowed */
    BusTime time;  /* busy time, except that of .server */
};

static void on_message_off_bus(gpointer self, uint32_t message, uint64_t now_ps)
{
    EndpointBus *bus = self;

    bus->time.free_ps = now_ps;
    bus->through(bus->self, message, now_ps);
}

EndpointBus *endpoint_bus_new(const EndpointHost *host, SimEventFn through,
                              gpointer self)
{
    EndpointBus *bus = g_new0(EndpointBus, 1);

    bus->host = host;
    bus->server = sim_server_new(host->engine, 1, SIM_PS_PER_SEC,
                                 on_message_off_bus, bus);
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

static void delay_message_on_bus(EndpointBus *bus, uint64_t order,
                                 SimTime takes_ps, uint32_t message)
{
    BusNotes *notes = bus->host->notes;

    if (notes)
        notes->has_held = TRUE;
    sim_server_submit_job(bus->server, order, takes_ps, message);
}

/* Passes @message, whose feed ends now, over the bus.  Most messages are not
 * delayed; then no event is scheduled. */
void endpoint_bus_pass_message(EndpointBus *bus, uint32_t message)
{
    const EndpointHost *host = bus->host;
    const NetMessage *net_message = host_get_message(host, message);
    SimTime now_ps = sim_engine_now_ps(host->engine);
    SimTime takes_ps =
        sim_time_from_bytes(net_message->bytes, host->config->bus_bytes_per_s);

    if (!sim_server_is_idle(bus->server)) {
        delay_message_on_bus(bus, net_message->order_hi, takes_ps, message);
        return;
    }
    takes_ps = bus_time_remaining_after_feed(&bus->time, now_ps, takes_ps);
    if (takes_ps > 0)
        delay_message_on_bus(bus, net_message->order_hi, takes_ps, message);
    else
        bus->through(bus->self, message, now_ps);
}

SimTime endpoint_bus_busy_ps(const EndpointBus *bus)
{
    return bus->time.busy_ps + sim_server_busy_ps(bus->server);
}

void endpoint_bus_visit_state(EndpointBus *bus, SteadyWalk *walk,
                              uint64_t fed_bytes_per_s, SteadyArgFn message)
{
    bus_time_visit_state(&bus->time, walk, bus->host->config->bus_bytes_per_s,
                         fed_bytes_per_s);
    sim_server_visit_state(bus->server, walk, message, bus->host->network);
}
