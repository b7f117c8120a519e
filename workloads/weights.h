/*
 * weights.h - what ranks are sent in an all-to-allv, as a file says it
 *
 * One weight a rank of the group: of the payload that each rank sends, its own
 * block with it, rank b gets the part that its weight is of all.  0: nothing.
 *
 * Units    weights have none
 * Errors   CONFIG_ERROR at the list
 * Owner    the graph has the sums
 */
#ifndef WORKLOADS_WEIGHTS_H
#define WORKLOADS_WEIGHTS_H

#include "workloads/graph.h"

#define WEIGHTS_MAX      65536
#define WEIGHTS_MOST     1000000000
#define WEIGHTS_FALLBACK "[]"

extern const ConfigField weights_item;

/* The row of a table; @Struct.weights is a ConfigList. */
#define WEIGHTS_FIELD(Struct)                                                  \
    {                                                                          \
        .key = "weights",                                                      \
        .help = "of an all-to-allv, one a rank: of what each sends",           \
        .source = "all alike", .type = CONFIG_LIST,                            \
        .offset = offsetof(Struct, weights), .max = WEIGHTS_MAX,               \
        .item = &weights_item, .item_size = sizeof(uint64_t),                  \
        .fallback = WEIGHTS_FALLBACK                                           \
    }

/* Of operation @op, a collective.  How many there have to be, is the matter of
 * its group on a platform. */
G_GNUC_WARN_UNUSED_RESULT
gboolean weights_set(OpGraph *graph, uint32_t op, const ConfigList *weights,
                     GError **error);

/* The sums of another graph, as @graph has them. */
const CollWeights *weights_copy(OpGraph *graph, const CollWeights *weights);

#endif
