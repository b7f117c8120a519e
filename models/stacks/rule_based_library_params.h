/*
 * rule_based_library_params.h - parameters of the stack `library`, which
 * chooses algorithms by rules
 *
 * Units    bytes, bytes per second, ps
 */
#ifndef MODELS_STACKS_RULE_BASED_LIBRARY_PARAMS_H
#define MODELS_STACKS_RULE_BASED_LIBRARY_PARAMS_H

#include "models/collectives/algorithm_choice.h"
#include "models/collectives/collective_recipe.h"
#include "models/stacks/stack_params.h"

/* A rule that chooses an algorithm: an entry of the key `rules`. */
typedef struct {
    CollChoice choice;
    /* Sizes of chunks and messages; CONFIG_AUTO: chosen as in chunking.h. */
    uint64_t chunk_bytes, message_bytes;
} LibraryRule;

/* One row of `messages`: the cost of messages of some size and distance. */
typedef struct {
    int reach; /* distance: TopologyReach + 1; 0: any distance */
    uint64_t least_ranks, most_ranks;
    uint64_t most_bytes;
    uint64_t step_ps;
    uint64_t bytes_per_s, block_bytes;
} LibraryMessage;

/* When memory is registered with a NIC: once before the run, for each
 * collective, or for each message above the eager limit. */
typedef enum {
    LIBRARY_REGISTERS_ONCE,
    LIBRARY_REGISTERS_COLLECTIVES,
    LIBRARY_REGISTERS_MESSAGES,
} LibraryRegisters;

typedef struct {
    StackCommon common;
    ConfigList rules;    /* elements are LibraryRule */
    ConfigList messages; /* elements are LibraryMessage */
    uint64_t launch_ps;
    uint64_t step_ps; /* time that each message costs before it is sent */
    /* Time of a message by distance; CONFIG_AUTO: equal to .step_ps. */
    uint64_t reach_step_ps[TOPOLOGY_N_REACHES];
    uint64_t eager_bytes, rendezvous_ps;
    uint64_t copy_bytes_per_s; /* rate of copies; 0: nothing is copied */
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
