/* ace_impl.h - the state of the endpoint ACE, shared by its source files */
#ifndef MODELS_ENDPOINTS_ACE_ACE_IMPL_H
#define MODELS_ENDPOINTS_ACE_ACE_IMPL_H

#include "models/endpoints/ace/recorded_admissions.h"
#include "models/endpoints/ace/sram_occupancy.h"
#include "models/endpoints/endpoint_bus.h"
#include "models/endpoints/endpoint_impl.h"
#include "sim/core/cache_lines.h"

/* The state of one partition of the SRAM.  The struct fills one cache line,
 * because a run with thousands of NPUs has little else in the cache. */
typedef struct {
    uint64_t n_slots;
    uint64_t n_used; /* number of FSM slots in use, out of .n_slots */
    uint64_t n_entered;
    /* Owned: the Chunks that have arrived and have not entered. */
    GPtrArray *candidates;
    /* The Chunks that have yet to enter, in the order of intake; used only if
     * EndpointHost.in_turn. */
    GQueue intake_order;
} CACHE_LINE_ALIGNED AcePartition;

G_STATIC_ASSERT(sizeof(AcePartition) == CACHE_LINE_BYTES);

/* The state of ACE at one NPU.  The fields that every message needs lie in the
 * first cache line. */
typedef struct {
    Endpoint base;
    SimServer *alus;
    uint64_t alu_bytes_per_cycle;
    HbmMover *tx, *rx;
    gboolean dma_is_bus; /* the bus limits the DMA engines */
    uint32_t terminal;   /* index of the terminal partition */
    AcePartition partitions[ACE_MAX_PARTITIONS];
    AceSram sram;
    AdmissionRequester asker;
    BusTime bus; /* time on the bus from the NPU to the fabric */
    EndpointStats stats;
    /* The time for which FSM slots were held, summed over all slots; modulo
     * 2^64 while slots are held. */
    SimTime slots_held_ps;
    uint64_t n_all_slots; /* number of slots of all FSMs */
    uint64_t n_alus, sram_bytes;
    AceRunNotes *notes; /* borrowed; NULL: notes are not needed */
} Ace;

G_STATIC_ASSERT(G_STRUCT_OFFSET(Ace, tx) <= CACHE_LINE_BYTES);

/* ---- partition_free_space.c ---------------------------------------------- */

/* Implements EndpointOps.may_start(). */
gboolean ace_may_admit_chunk(Endpoint *endpoint, uint64_t bytes);
gboolean ace_partition_has_free_slot(const Ace *ace, uint32_t partition);
gboolean ace_check_and_record_room(const Ace *ace, uint32_t partition,
                                   uint64_t bytes);
/* Returns whether @chunk can enter @phase, which is in @partition. */
gboolean ace_partition_has_room(const Ace *ace, const Chunk *chunk,
                                uint32_t phase, uint32_t partition);

/* ---- chunk_admission.c --------------------------------------------------- */

/* Implements EndpointOps.advance(). */
void ace_advance_chunk(Endpoint *endpoint, Chunk *chunk, uint32_t phase);
extern const AdmissionRequesterOps ace_requester_ops;
/* Called when the chunk in @slot has been read or written back; @self is an
 * Ace. */
void ace_on_chunk_read(gpointer self, uint32_t slot, uint64_t now_ps);
void ace_on_chunk_written_back(gpointer self, uint32_t slot, uint64_t now_ps);

/* ---- ace_steady_state.c -------------------------------------------------- */

void ace_visit_state(Endpoint *endpoint, SteadyWalk *walk);

#endif
