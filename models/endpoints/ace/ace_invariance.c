/*
 * ace_invariance.c - whether other sizes of ACE would have changed
 * a run
 *
 * `sram`, `sram_split`, `fsms`, `fsm_split` and `chunks_per_fsm` determine only
 * the size s of each partition and its number of slots n.  A run uses s and n
 * only where a chunk requests room and a slot (chunk_admission.c).
 *
 * Consider two runs that differ only in these keys, and the first request whose
 * answers differ.  Until then both runs were the same, so the request meets the
 * same state: u slots in use, and b bytes in the partition after admission.
 *
 *     granted with room            b <= s, so any s >= the largest such b
 *     granted with a slot          u < n, so any n > the largest such u
 *     refused, a slot free         b > s, so any s < the least such b
 *     refused, no slot free        u = n; refused as well by any other n that
 *                                  is not larger, and by any s < b
 *
 * If a division satisfies these conditions for all requests, no first
 * difference exists, and the two runs are identical.  If no message ever found
 * all ALUs busy, no message would with more ALUs.
 *
 * A DMA engine depends on the bus only if the bus is slower; the other use of
 * the bus is a statistic on which nothing depends.  Automatic cuts of
 * collectives also depend on sizes and bus (ace_estimate_chunk_costs()); the
 * planner of the run checks these.
 */
#include "models/endpoints/ace/ace_invariance.h"

#include "models/endpoints/ace/ace_params.h"
#include "models/endpoints/ace/recorded_admissions.h"
#include "models/endpoints/ace/resource_division.h"

typedef struct {
    uint64_t n_alus; /* number of ALUs in the run */
    gboolean has_tasks;
    AceDemand demand;
    AceDivision division; /* the division of SRAM and FSMs in the run */
    AceRunNotes notes;
} AceKept;

static void clear_tested_ace_params(gpointer params)
{
    AceParams *ace_params = params;

    ace_params->sram_bytes = ace_params->n_fsms = ace_params->chunks_per_fsm =
        ace_params->n_alus = 0;
    ace_params->sram_split = ace_params->fsm_split = 0;
}

static gboolean tested_params_are_equal(gconstpointer params,
                                        gconstpointer others)
{
    const AceParams *ace_params = params, *b = others;

    return ace_params->sram_bytes == b->sram_bytes &&
           ace_params->n_fsms == b->n_fsms &&
           ace_params->chunks_per_fsm == b->chunks_per_fsm &&
           ace_params->n_alus == b->n_alus &&
           ace_params->sram_split == b->sram_split &&
           ace_params->fsm_split == b->fsm_split;
}

static void save_ace_run_notes(gconstpointer notes, gconstpointer params,
                               const EndpointSite *site, gpointer ret)
{
    AceKept *kept = ret;

    *kept = (AceKept){ .n_alus = ((const AceParams *)params)->n_alus,
                       .notes = *(const AceRunNotes *)notes };
    kept->has_tasks = ace_demand_of_site(site, params, &kept->demand);
    if (kept->has_tasks && !ace_divide_resources_for_demand(
                               params, &kept->demand, &kept->division))
        g_assert_not_reached(); /* the run has used the same division */
}

static gboolean run_is_same_with_partition_size(const AcePartitionNotes *note,
                                                uint64_t size_bytes,
                                                uint64_t n_slots,
                                                uint64_t n_slots_then)
{
    if (size_bytes < note->most_bytes || n_slots < note->most_slots)
        return FALSE;
    if (note->refused_bytes > 0 && size_bytes >= note->refused_bytes)
        return FALSE;
    return !note->was_full || n_slots <= n_slots_then ||
           size_bytes < note->full_bytes;
}

static gboolean run_is_same_with_alus(const AceKept *kept, uint64_t n_alus)
{
    return n_alus == kept->n_alus ||
           (!kept->notes.has_queued && n_alus > kept->n_alus);
}

static gboolean run_is_same_with_ace_params(gconstpointer self,
                                            gconstpointer params)
{
    const AceKept *kept = self;
    AceDivision division;

    if (!kept->has_tasks)
        return TRUE;
    if (!run_is_same_with_alus(kept, ((const AceParams *)params)->n_alus))
        return FALSE;
    if (!ace_divide_resources_for_demand(params, &kept->demand, &division))
        return FALSE;
    for (uint32_t p = 0; p <= division.n_phases; p++)
        if (!run_is_same_with_partition_size(
                &kept->notes.partitions[p], division.sram_bytes[p],
                division.n_slots[p], kept->division.n_slots[p]))
            return FALSE;
    return TRUE;
}

/* Returns whether the run is the same with another bus.  Compares the rates of
 * DMA engines and bus as ace_endpoint_new() does. */
static gboolean run_is_same_with_bus(gconstpointer self, gconstpointer params,
                                     uint64_t bytes_per_s,
                                     uint64_t other_bytes_per_s)
{
    uint64_t own_bytes_per_s = ((const AceParams *)params)->memory_bytes_per_s;

    (void)self;
    return MIN(bytes_per_s, other_bytes_per_s) >= own_bytes_per_s;
}

static void list_ace_resource_capacities(gconstpointer params, uint64_t *ret)
{
    const AceParams *ace_params = params;

    ret[ACE_ALUS] = ace_params->n_alus;
    ret[ACE_SRAM] = ace_params->sram_bytes;
    ret[ACE_FSMS] = ace_params->n_fsms * ace_params->chunks_per_fsm;
}

const EndpointInvariance ace_invariance = {
    .notes_size = sizeof(AceRunNotes),
    .kept_size = sizeof(AceKept),
    .reads_bus = TRUE,
    .forget = clear_tested_ace_params,
    .is_same = tested_params_are_equal,
    .keep = save_ace_run_notes,
    .covers = run_is_same_with_ace_params,
    .covers_bus = run_is_same_with_bus,
    .capacities = list_ace_resource_capacities,
};
