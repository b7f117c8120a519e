/* ace_impl.h - what the parts of ACE share */
#ifndef MODELS_ENDPOINTS_ACE_IMPL_H
#define MODELS_ENDPOINTS_ACE_IMPL_H

#include "models/endpoints/ace_sram.h"
#include "models/endpoints/bus.h"
#include "models/endpoints/endpoint_impl.h"
#include "models/endpoints/slack/ace_notes.h"
#include "sim/core/lines.h"

/* One line of the cache: of thousands of NPUs little else is in it. */
typedef struct {
    uint64_t n_slots;
    uint64_t n_used; /* of these: slots of FSMs */
    uint64_t n_entered;
    GPtrArray *line; /* owned: of Chunk that could enter */
    GQueue turns;    /* of Chunk yet to enter, .in_turn */
} LINE_ALIGNED AcePartition;

G_STATIC_ASSERT(sizeof(AcePartition) == LINE_BYTES);

/* What every message needs is in the first line of the cache. */
typedef struct {
    Endpoint base;
    SimServer *alus;
    uint64_t alu_bytes_per_cycle;
    HbmMover *tx, *rx;
    gboolean dma_is_bus; /* the bus is what limits the DMA engines */
    uint32_t terminal;   /* index of that partition */
    AcePartition of[ACE_MAX_PARTITIONS];
    AceSram sram;
    AccordAsker asker;
    BusTime bus; /* outward */
    EndpointStats stats;
    SimTime slots_held_ps; /* summed over slots of FSMs, mod 2^64 meanwhile, */
    uint64_t n_all_slots;  /* of which there are as many */
    uint64_t n_alus, sram_bytes;
    AceNotes *notes; /* borrowed; NULL: nobody will ask */
} Ace;

G_STATIC_ASSERT(G_STRUCT_OFFSET(Ace, tx) <= LINE_BYTES);

/* ---- ace_room.c ------------------------------------------------------- */

/* See EndpointOps. */
gboolean ace_may_start(Endpoint *endpoint, uint64_t bytes);
gboolean ace_has_slot(const Ace *ace, uint32_t partition);
gboolean ace_find_room(const Ace *ace, uint32_t partition, uint64_t bytes);
/* For @chunk to go on to @phase, which is in @partition. */
gboolean ace_has_room(const Ace *ace, const Chunk *chunk, uint32_t phase,
                      uint32_t partition);

/* ---- ace_chunks.c ----------------------------------------------------- */

/* See EndpointOps. */
void ace_advance(Endpoint *endpoint, Chunk *chunk, uint32_t phase);
extern const AccordOps ace_accord;
/* The chunk in @slot is read, or written back; @self is an Ace. */
void ace_on_tx(gpointer self, uint32_t slot, uint64_t now_ps);
void ace_on_rx(gpointer self, uint32_t slot, uint64_t now_ps);

/* ---- ace_steady.c ----------------------------------------------------- */

void ace_steady(Endpoint *endpoint, SteadyWalk *walk);

#endif
