/*
 * orders.h - which chunks of a collective go through which dimension first
 *
 * A chunk loads the dimension that it begins with the most: what is left for
 * the others is 1/size of it.  So a torus whose dimensions are equally fast is
 * used best when as many chunks begin with each of them, one whose first is
 * much the fastest when all begin there.
 *
 *   fixed    all in the order of the platform [ISCA21]
 *   rotated  each chunk begins one dimension further on than the one before
 *   auto     a chunk takes the order that leaves the busiest dimension with
 *            the least to do, of what the chunks before it gave; then the
 *            second busiest, and so on; else the first
 *
 * By `auto` a user asks for the best of these three rules, with latency and the
 * endpoint counted (models/run/prepare/cuts.c); here it stands for the third.
 *
 * That makes a sequence, which the chunks of a kind follow in the order of the
 * workload.  So it does not matter who is early or late: all NPUs agree, and
 * what is sent where does not depend on when.
 *
 * An all-reduce has an order for each dimension to begin with, since those
 * that follow are equal among each other; reduce-scatter and all-gather, under
 * `auto`, have all permutations.  Of these only those are kept that some chunk
 * of a long collective would take, mostly a few.  What begins with a slow
 * dimension then never does, and what a plan needs of an endpoint (ACE's
 * partitions) is of plans that are used.
 *
 * That rule is a list schedule.  Of 120 random tori it leaves the busiest
 * dimension with 0.2 % more than the best fractions would, at most 4.1 %;
 * least sums of 8th powers leave it 2.9 % more
 * (tests/models/collectives/test_orders.c has the bound that it is held to).
 *
 * Units    bytes
 * Owner    the caller owns the CollOrders
 * Cost     n plans of 2 KB, at most COLL_MAX_ORDERS
 */
#ifndef MODELS_COLLECTIVES_ORDERS_H
#define MODELS_COLLECTIVES_ORDERS_H

#include "models/collectives/plan.h"

#define COLL_MAX_ORDERS 120 /* permutations of COLL_MAX_DIMS */

typedef enum {
    COLL_ORDER_FIXED,
    COLL_ORDER_ROTATED,
    COLL_ORDER_AUTO,
} CollOrder;

/* The values of "order:". */
extern const char *const coll_order_names[];

#define COLL_ORDER_TRIALS 960 /* length of the sequence, then it repeats */

typedef struct {
    CollOrder rule;   /* they were made by; of channels it means nothing */
    uint32_t n;       /* COLL_MAX_ORDERS at most */
    CollPlan *plans;  /* owned: n */
    uint32_t *shares; /* owned: chunks of each, of COLL_ORDER_TRIALS */
    guint8 sequence[COLL_ORDER_TRIALS];
} CollOrders;

/* All orders of @plan, which is the platform's, for chunks of @chunk_bytes. */
void coll_orders_init(CollOrders *orders, CollOrder rule, const CollPlan *plan,
                      const Topology *topology, uint64_t chunk_bytes);
/* The channels of a recipe, @n plans, which it takes over: each has its @shares
 * of the chunks, out of the sum of all, spread evenly. */
void coll_orders_init_shares(CollOrders *orders, CollPlan *plans,
                             const uint32_t *shares, uint32_t n);
void coll_orders_clear(CollOrders *orders);

/* All chunks go as @plan has it, which they were made of. */
gboolean coll_orders_are_fixed(const CollOrders *orders, const CollPlan *plan);

/* How the @i-th chunk goes. */
const CollPlan *coll_orders_plan(const CollOrders *orders, uint64_t i);

#endif
