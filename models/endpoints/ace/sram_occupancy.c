/* sram_occupancy.c - allocates bytes of ACE's SRAM, and integrates the
 * occupancy over time */
#include "models/endpoints/ace/sram_occupancy.h"

static void integrate_occupancy_until_now(AceSram *sram, SimTime now_ps)
{
    SimTime passed_ns = (now_ps - sram->since_ps) / 1000;

    sram->byte_ns += (SimWide)sram->all_used_bytes * passed_ns;
    sram->since_ps += passed_ns * 1000; /* keeps the remainder below 1 ns */
}

gboolean ace_sram_has_free_bytes(const AceSram *sram, uint32_t partition,
                                 uint64_t bytes)
{
    return sram->partitions[partition].used_bytes + bytes <=
           sram->partitions[partition].size_bytes;
}

void ace_sram_allocate_bytes(AceSram *sram, SimTime now_ps, uint32_t partition,
                             uint64_t bytes)
{
    integrate_occupancy_until_now(sram, now_ps);
    g_assert(ace_sram_has_free_bytes(sram, partition, bytes));
    sram->partitions[partition].used_bytes += bytes;
    sram->all_used_bytes += bytes;
    sram->peak_bytes = MAX(sram->peak_bytes, sram->all_used_bytes);
    if (sram->log)
        steady_log_append_change(sram->log, now_ps, (int64_t)bytes);
}

void ace_sram_free_bytes(AceSram *sram, SimTime now_ps, uint32_t partition,
                         uint64_t bytes)
{
    integrate_occupancy_until_now(sram, now_ps);
    g_assert(sram->partitions[partition].used_bytes >= bytes);
    sram->partitions[partition].used_bytes -= bytes;
    sram->all_used_bytes -= bytes;
    if (sram->log)
        steady_log_append_change(sram->log, now_ps, -(int64_t)bytes);
}

/* Applies the logged changes of a period walk->n times.  In the end as many
 * bytes are in use as before. */
static void add_occupancy_of_skipped_periods(AceSram *sram,
                                             const SteadyWalk *walk)
{
    uint64_t used_bytes = sram->all_used_bytes;

    for (uint64_t i = 0; i < walk->n; i++) {
        SimTime begin_ps = walk->now_ps + i * walk->period_ps;

        for (guint c = 0; c < walk->changes->len; c++) {
            const SteadyChange *change =
                &g_array_index(walk->changes, SteadyChange, c);

            integrate_occupancy_until_now(sram, begin_ps + change->at_ps);
            sram->all_used_bytes += (uint64_t)change->bytes;
        }
    }
    g_assert(sram->all_used_bytes == used_bytes);
}

void ace_sram_visit_state(AceSram *sram, SteadyWalk *walk)
{
    if (walk->log)
        sram->log = walk->log;
    for (uint32_t p = 0; p < ACE_MAX_PARTITIONS; p++)
        steady_visit_constant(walk, sram->partitions[p].used_bytes);
    if (walk->moves && sram->log)
        add_occupancy_of_skipped_periods(sram, walk);
}
