/*
 * sram_occupancy.h - occupancy of ACE's SRAM: bytes per partition, peak and
 * mean
 *
 * Units    bytes, ps
 */
#ifndef MODELS_ENDPOINTS_ACE_SRAM_OCCUPANCY_H
#define MODELS_ENDPOINTS_ACE_SRAM_OCCUPANCY_H

#include "models/collectives/collective_plan.h"
#include "sim/core/state_walk.h"

#define ACE_MAX_PARTITIONS (COLL_MAX_PHASES + 1)

typedef struct {
    struct {
        uint64_t size_bytes, used_bytes;
    } partitions[ACE_MAX_PARTITIONS];
    uint64_t all_used_bytes, peak_bytes;
    SimTime since_ps;     /* time until which .byte_ns is integrated */
    SimWide byte_ns;      /* integral of the occupancy over time */
    const SteadyLog *log; /* borrowed; NULL: changes are not logged */
} AceSram;

gboolean ace_sram_has_free_bytes(const AceSram *sram, uint32_t partition,
                                 uint64_t bytes);
void ace_sram_allocate_bytes(AceSram *sram, SimTime now_ps, uint32_t partition,
                             uint64_t bytes);
/* Frees @bytes of @partition.  Asserts that the partition holds them. */
void ace_sram_free_bytes(AceSram *sram, SimTime now_ps, uint32_t partition,
                         uint64_t bytes);
/* Visits the state of the SRAM, see sim/core/state_walk.h. */
void ace_sram_visit_state(AceSram *sram, SteadyWalk *walk);

#endif
