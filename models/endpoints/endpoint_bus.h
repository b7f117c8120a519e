/*
 * endpoint_bus.h - the bus between NPU and fabric, one direction
 *
 * The bus transfers a message while the message is fed to it.  A message is
 * through when the feed ends, or later if the bus was busy with other messages.
 * Waiting messages are served in their order, as everywhere else: in the order
 * of arrival, an old chunk would wait behind all messages that a larger window,
 * or a faster feed, had sent before it.
 *
 * Units    ps
 */
#ifndef MODELS_ENDPOINTS_ENDPOINT_BUS_H
#define MODELS_ENDPOINTS_ENDPOINT_BUS_H

#include "models/endpoints/endpoint_host.h"

/* The busy time of a bus, which never exceeds the time that has passed. */
typedef struct {
    SimTime free_ps; /* time since which the bus has been idle */
    SimTime busy_ps; /* busy time up to .free_ps */
} BusTime;

/* Accounts for a transfer of @takes_ps whose feed ends now.  The part that fits
 * into the idle time before now was transferred during the feed.  Returns the
 * remaining time. */
static inline SimTime
bus_time_remaining_after_feed(BusTime *bus, SimTime now_ps, SimTime takes_ps)
{
    SimTime fed_ps = MIN(takes_ps, now_ps - bus->free_ps);

    bus->busy_ps += fed_ps;
    bus->free_ps = now_ps;
    return takes_ps - fed_ps;
}

typedef struct EndpointBus EndpointBus;

/* Creates a bus that calls @through(@self, message, now_ps) for each message,
 * from within endpoint_bus_pass_message() if the message is not delayed. The
 * caller owns the bus, which borrows @host and @self. */
EndpointBus *endpoint_bus_new(const EndpointHost *host, SimEventFn through,
                              gpointer self);
void endpoint_bus_free(EndpointBus *bus);
/* Passes @message, whose feed ends now, over the bus. */
void endpoint_bus_pass_message(EndpointBus *bus, uint32_t message);
SimTime endpoint_bus_busy_ps(const EndpointBus *bus);
/* Visits the state of the bus, see sim/core/state_walk.h.  @message visits the
 * waiting messages of the network; @fed_bytes_per_s is the highest rate of the
 * feed. */
void endpoint_bus_visit_state(EndpointBus *bus, SteadyWalk *walk,
                              uint64_t fed_bytes_per_s, SteadyArgFn message);
/* Visits the idle time of a bus.  If it is longer than the largest transfer, a
 * longer idle time makes no difference.  At rest no feed is in progress, so the
 * feed of the next message begins later.  If the feed is no faster than the
 * bus, the idle time then makes no difference. */
static inline void bus_time_visit_state(BusTime *bus, SteadyWalk *walk,
                                        uint64_t bytes_per_s,
                                        uint64_t fed_bytes_per_s)
{
    if (walk->is_at_rest && fed_bytes_per_s <= bytes_per_s)
        steady_visit_reported_time(walk, &bus->free_ps);
    else
        steady_visit_time_that_may_be_past(
            walk, &bus->free_ps,
            sim_time_from_bytes(walk->most_bytes, bytes_per_s));
    steady_visit_counter(walk, &bus->busy_ps);
}

#endif
