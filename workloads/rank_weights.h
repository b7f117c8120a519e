/*
 * rank_weights.h - reads the weights of the ranks in an all-to-allv
 *
 * The list has one weight per rank of the group.  Each rank divides its
 * payload, including its own block, in proportion to the weights; rank b gets
 * the part with weight b.  A weight of 0 means that rank b gets nothing.
 *
 * Units    weights have none
 * Errors   CONFIG_ERROR at the list
 * Owner    the graph owns the sums
 */
#ifndef WORKLOADS_RANK_WEIGHTS_H
#define WORKLOADS_RANK_WEIGHTS_H

#include "workloads/graph.h"

#define WEIGHTS_MAX       65536
#define WEIGHTS_MAX_VALUE 1000000000
#define WEIGHTS_FALLBACK  "[]"

extern const ConfigField weights_item;

/* The field `weights`; the struct has a ConfigList member .weights. */
#define WEIGHTS_FIELD(Struct)                                                  \
    {                                                                          \
        .key = "weights",                                                      \
        .help = "of an all-to-allv, one a rank: of what each sends",           \
        .source = "all alike", .type = CONFIG_LIST,                            \
        .offset = offsetof(Struct, weights), .max = WEIGHTS_MAX,               \
        .item = &weights_item, .item_size = sizeof(uint64_t),                  \
        .fallback = WEIGHTS_FALLBACK                                           \
    }

/* Sets the weights of @op, a collective.  The platform checks later that their
 * number is the size of the group. */
G_GNUC_WARN_UNUSED_RESULT
gboolean rank_weights_set_of_op(OpGraph *graph, uint32_t op,
                                const ConfigList *weights, GError **error);

/* Returns a copy, stored in @graph, of weights that another graph owns. */
const CollWeights *rank_weights_copy(OpGraph *graph,
                                     const CollWeights *weights);

#endif
