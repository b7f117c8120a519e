/*
 * library_params.h - what may be said of a library, and what its messages cost
 *
 * Units    bytes, bytes per second, ps
 */
#ifndef MODELS_STACKS_LIBRARY_PARAMS_H
#define MODELS_STACKS_LIBRARY_PARAMS_H

#include "models/collectives/choice.h"
#include "models/collectives/recipe.h"
#include "models/stacks/params.h"

/* One rule, as it was read. */
typedef struct {
    CollChoice choice;
    /* CONFIG_AUTO each: as cut.h chooses. */
    uint64_t chunk_bytes, message_bytes;
} LibraryRule;

/* Messages whose cost is their own. */
typedef struct {
    int reach; /* 0: any; else TopologyReach + 1 */
    uint64_t least_ranks, most_ranks;
    uint64_t most_bytes;
    uint64_t step_ps;
    uint64_t bytes_per_s, block_bytes;
} LibraryMessage;

/* Memory that is made known to a NIC before it is sent from. */
typedef enum {
    LIBRARY_REGISTERS_ONCE,
    LIBRARY_REGISTERS_COLLECTIVES,
    LIBRARY_REGISTERS_MESSAGES,
} LibraryRegisters;

typedef struct {
    StackCommon common;
    ConfigList rules;    /* of LibraryRule */
    ConfigList messages; /* of LibraryMessage */
    uint64_t launch_ps;
    uint64_t step_ps;                           /* of a message, */
    uint64_t reach_step_ps[TOPOLOGY_N_REACHES]; /* or CONFIG_AUTO: that */
    uint64_t eager_bytes, rendezvous_ps;
    uint64_t copy_bytes_per_s; /* 0: no copies */
    uint64_t registration_ps;
    int registers; /* LibraryRegisters */
    uint64_t query_ps;
    uint64_t n_collective_queries, n_message_queries;
    gboolean has_pointer_cache;
    uint64_t efficiency_ppm;
    uint64_t n_sms;
} LibraryParams;

extern const ConfigField library_fields[];

#endif
