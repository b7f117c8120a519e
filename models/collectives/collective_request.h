/*
 * collective_request.h - a collective to be planned
 *
 * Units    bytes
 * Owner    all pointers are borrowed
 */
#ifndef MODELS_COLLECTIVES_COLLECTIVE_REQUEST_H
#define MODELS_COLLECTIVES_COLLECTIVE_REQUEST_H

#include "models/collectives/group_members.h"
#include "sim/config/config_field.h"

/* The switches that have to add for a collective. */
typedef enum {
    COLL_ANY_SWITCHES, /* the stack chooses */
    COLL_SWITCHES_OF_MACHINES,
    COLL_SWITCHES_BETWEEN_MACHINES,
} CollSwitches;

typedef struct {
    CollKind kind;
    const CollMembers *members;
    uint64_t payload_bytes;
    uint32_t from,
        /* Ranks of sender and receiver of a message; otherwise the root of the
         * collective. */
        to;
    const CollWeights *weights; /* borrowed; NULL: all blocks have one size */
    /* The switches that the endpoint of the collective demands, and the
     * position of that endpoint for errors. */
    CollSwitches switches;
    const ConfigNode *node;
    gboolean is_star; /* messages go directly between the root and each other
                         rank; there is no choice */
} CollRequest;

#endif
