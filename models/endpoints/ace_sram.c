/* ace_sram.c - bytes taken and given back, their mean over time */
#include "models/endpoints/ace_sram.h"

static void account(AceSram *sram, SimTime now_ps)
{
    SimTime passed_ns = (now_ps - sram->since_ps) / 1000;

    sram->byte_ns += (SimWide)sram->all_used_bytes * passed_ns;
    sram->since_ps += passed_ns * 1000; /* what is left counts next time */
}

gboolean ace_sram_has_room(const AceSram *sram, uint32_t partition,
                           uint64_t bytes)
{
    return sram->used_bytes[partition] + bytes <= sram->size_bytes[partition];
}

void ace_sram_take(AceSram *sram, SimTime now_ps, uint32_t partition,
                   uint64_t bytes)
{
    account(sram, now_ps);
    g_assert(ace_sram_has_room(sram, partition, bytes));
    sram->used_bytes[partition] += bytes;
    sram->all_used_bytes += bytes;
    sram->peak_bytes = MAX(sram->peak_bytes, sram->all_used_bytes);
}

void ace_sram_give(AceSram *sram, SimTime now_ps, uint32_t partition,
                   uint64_t bytes)
{
    account(sram, now_ps);
    g_assert(sram->used_bytes[partition] >= bytes);
    sram->used_bytes[partition] -= bytes;
    sram->all_used_bytes -= bytes;
}
