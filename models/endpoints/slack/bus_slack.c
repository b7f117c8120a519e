/*
 * bus_slack.c - for which other buses an endpoint would have done the same
 *
 * A message takes bytes / rate on the bus, in step with its feed: what is left
 * of that when the feed ends, since the bus was free, holds it up (bus.h).  Of
 * two runs that differ in nothing else take the first message that only one of
 * them holds up.  Where the one never held any up, each was through when its
 * feed was, so the bus was free since the same time in both; the other, if it
 * is as fast, has no more left to do than the one had, which was nothing.
 */
#include "models/endpoints/slack/bus_slack.h"

static void keep(gconstpointer notes, gconstpointer params,
                 const EndpointSite *site, gpointer ret)
{
    (void)params;
    (void)site;
    *(BusNotes *)ret = *(const BusNotes *)notes;
}

static gboolean covers_bus(gconstpointer kept, gconstpointer params,
                           uint64_t bytes_per_s, uint64_t other_bytes_per_s)
{
    (void)params;
    return !((const BusNotes *)kept)->has_held &&
           other_bytes_per_s >= bytes_per_s;
}

const EndpointSlack bus_slack = {
    .notes_size = sizeof(BusNotes),
    .kept_size = sizeof(BusNotes),
    .reads_memory = TRUE,
    .reads_bus = TRUE,
    .share = "memory_bandwidth",
    .keep = keep,
    .covers_bus = covers_bus,
};
