/*
 * buses_with_same_results.c - whether another bus would have changed a run
 *
 * A message takes bytes / rate on the bus, in parallel with its feed.  It is
 * delayed by the time that remains when the feed ends (endpoint_bus.h).
 * Consider two runs that differ only in the bus, and the first message that
 * only one of them delays. If one run never delayed a message, each message was
 * through when its feed ended, so the bus became idle at the same times in both
 * runs. If the other bus is at least as fast, its remaining time is not larger
 * than that of the first bus, which was zero.
 */
#include "models/endpoints/buses_with_same_results.h"

static void save_bus_run_notes(gconstpointer notes, gconstpointer params,
                               const EndpointSite *site, gpointer ret)
{
    (void)params;
    (void)site;
    *(BusNotes *)ret = *(const BusNotes *)notes;
}

static gboolean run_is_same_with_bus(gconstpointer kept, gconstpointer params,
                                     uint64_t bytes_per_s,
                                     uint64_t other_bytes_per_s)
{
    (void)params;
    return !((const BusNotes *)kept)->has_held &&
           other_bytes_per_s >= bytes_per_s;
}

const EndpointInvariance bus_invariance = {
    .notes_size = sizeof(BusNotes),
    .kept_size = sizeof(BusNotes),
    .reads_memory = TRUE,
    .reads_bus = TRUE,
    .share = "memory_bandwidth",
    .keep = save_bus_run_notes,
    .covers_bus = run_is_same_with_bus,
};
