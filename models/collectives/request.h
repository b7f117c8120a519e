/*
 * request.h - one collective that is to be done, before anybody chose how
 *
 * Units    bytes
 * Owner    it borrows what it names
 */
#ifndef MODELS_COLLECTIVES_REQUEST_H
#define MODELS_COLLECTIVES_REQUEST_H

#include "models/collectives/members.h"

typedef struct {
    CollKind kind;
    const CollMembers *members;
    uint64_t payload_bytes;
    uint32_t from, to;          /* of a message: ranks; else the root */
    const CollWeights *weights; /* borrowed; NULL: blocks are equal */
    gboolean is_star; /* straight between the root and each other: nothing is
                       * chosen */
} CollRequest;

#endif
