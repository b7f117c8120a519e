/*
 * dimension_orders.h - the order in which each chunk of a collective uses the
 * dimensions
 *
 * A chunk loads its first dimension most: the following dimensions get only
 * 1/size of the bytes.  A torus with equally fast dimensions is used best if
 * equally many chunks begin with each dimension.  If the first dimension is
 * much the fastest, all chunks should begin there.
 *
 *   fixed    all chunks use the order of the platform [ISCA21]
 *   rotated  each chunk begins one dimension after the chunk before
 *   auto     a chunk takes the order that leaves the smallest load on the
 *            busiest dimension, including all chunks before; ties are decided
 *            by the second busiest dimension, and so on, then by the first
 *            order
 *
 * If a user sets `auto`, the best of these three rules is chosen, taking
 * latency and the endpoint into account (models/run/prepare/chunking_choice.c).
 * In this module `auto` means the third rule.
 *
 * The rule defines a sequence, which the chunks of a kind follow in the order
 * of the workload.  So the order of a chunk does not depend on time, and is the
 * same on all NPUs.
 *
 * An all-reduce has one order for each first dimension, because the order of
 * the dimensions after it makes no difference.  Reduce-scatter and all-gather
 * under `auto` use all permutations.  Only orders that some chunk of a long
 * collective would use are kept, usually a few.  An order that begins with a
 * slow dimension is then dropped, and the requirements on the endpoint (ACE's
 * partitions) are those of plans in use.
 *
 * `auto` is list scheduling.  For 120 random tori, the load of the busiest
 * dimension is 0.2 % above that of the best fractions, at most 4.1 %; minimal
 * sums of 8th powers leave it 2.9 % above
 * (tests/models/collectives/test_dimension_orders.c asserts a bound).
 *
 * Units    bytes
 * Owner    the caller owns the CollOrders
 * Cost     n plans of 2 KB, at most COLL_MAX_ORDERS
 */
#ifndef MODELS_COLLECTIVES_DIMENSION_ORDERS_H
#define MODELS_COLLECTIVES_DIMENSION_ORDERS_H

#include "models/collectives/collective_plan.h"

#define COLL_MAX_ORDERS 120 /* number of permutations of COLL_MAX_DIMS */

typedef enum {
    COLL_ORDER_FIXED,
    COLL_ORDER_ROTATED,
    COLL_ORDER_AUTO,
} CollOrder;

/* The values of the YAML key "order". */
extern const char *const coll_order_names[];

/* Length of the sequence, which then repeats. */
#define COLL_ORDER_SEQUENCE 960

typedef struct {
    CollOrder rule;  /* the rule that made the orders; undefined for channels */
    uint32_t n;      /* number of orders, at most COLL_MAX_ORDERS */
    CollPlan *plans; /* owned: one plan per order */
    /* Owned: for each order, the number of chunks out of COLL_ORDER_SEQUENCE
     * that use it. */
    uint32_t *shares;
    guint8 sequence[COLL_ORDER_SEQUENCE];
} CollOrders;

/* Creates all orders of @plan for chunks of @chunk_bytes.  @plan has the
 * dimensions in the order of the platform. */
void coll_orders_init(CollOrders *orders, CollOrder rule, const CollPlan *plan,
                      const Topology *topology, uint64_t chunk_bytes);
/* Creates the orders from the @n channels of a stack recipe, and takes
 * ownership of @plans. Channel i gets @shares[i] of the chunks, out of the sum
 * of all shares, evenly spread. */
void coll_orders_init_channels(CollOrders *orders, CollPlan *plans,
                               const uint32_t *shares, uint32_t n);
void coll_orders_clear(CollOrders *orders);

/* Returns whether all chunks use the order of @plan, from which the orders were
 * made. */
gboolean coll_orders_are_fixed(const CollOrders *orders, const CollPlan *plan);

/* Returns the plan of the @i-th chunk that uses @orders. */
const CollPlan *coll_orders_plan_of_chunk(const CollOrders *orders, uint64_t i);

#endif
