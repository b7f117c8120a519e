/*
 * bus.h - the bus between NPU and fabric, one direction
 *
 * It works in step with what feeds it, so a message is through when the feed
 * is, or when the bus, busy with others, gets there.  What waits goes by its
 * order, as it does wherever else it waits; in that of its coming an old chunk
 * waited behind all that a larger window, or a faster feed, had sent before it.
 *
 * Units    ps
 */
#ifndef MODELS_ENDPOINTS_BUS_H
#define MODELS_ENDPOINTS_BUS_H

#include "models/endpoints/host.h"

/* How long a bus has worked: never longer than it had. */
typedef struct {
    SimTime free_ps; /* since when it has nothing to do */
    SimTime busy_ps; /* until then */
} BusTime;

/* What takes @takes_ps on it was fed to it until now: all of that went by while
 * it was fed, if there was the time.  Returns what is left to do. */
static inline SimTime bus_time_fed(BusTime *bus, SimTime now_ps,
                                   SimTime takes_ps)
{
    SimTime fed_ps = MIN(takes_ps, now_ps - bus->free_ps);

    bus->busy_ps += fed_ps;
    bus->free_ps = now_ps;
    return takes_ps - fed_ps;
}

typedef struct EndpointBus EndpointBus;

/* @through(@self, message, now_ps) is called for each message, within
 * endpoint_bus_pass() if nothing holds it up.  The caller owns the bus, which
 * borrows @host and @self. */
EndpointBus *endpoint_bus_new(const EndpointHost *host, SimEventFn through,
                              gpointer self);
void endpoint_bus_free(EndpointBus *bus);
/* The feed of @message ends now. */
void endpoint_bus_pass(EndpointBus *bus, uint32_t message);
SimTime endpoint_bus_busy_ps(const EndpointBus *bus);
/* See sim/core/steady.h; messages that wait are visited by @message, of
 * the network.  It is fed at @fed_bytes_per_s at most. */
void endpoint_bus_steady(EndpointBus *bus, SteadyWalk *walk,
                         uint64_t fed_bytes_per_s, SteadyArgFn message);
/* Idle long enough, a bus of @bytes_per_s is as if it always was.  At rest it
 * is, unless it is fed faster: what comes next is fed from now on. */
static inline void bus_time_steady(BusTime *bus, SteadyWalk *walk,
                                   uint64_t bytes_per_s,
                                   uint64_t fed_bytes_per_s)
{
    if (walk->is_at_rest && fed_bytes_per_s <= bytes_per_s)
        steady_told(walk, &bus->free_ps);
    else
        steady_since(walk, &bus->free_ps,
                     sim_time_from_bytes(walk->most_bytes, bytes_per_s));
    steady_count(walk, &bus->busy_ps);
}

#endif
