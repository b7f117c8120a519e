/*
 * merge_plan.h - plans which tensors are sent as one message
 *
 * The plan of MG-WFBP [MGWFBP].  Its planner assumes that an all-reduce of b
 * bytes takes a + b / B, and that messages are sent one after the other.  It
 * gathers tensors in the order in which they get ready.  A message of those
 * gathered so far could start at
 *
 *     s = max(time at which its last tensor is ready,
 *             end of the message before)
 *
 * and the next tensor, which is ready at r, is added to it if
 *
 *     r < s        it is ready before the message could start
 *     r - s < a    waiting for it takes less time than one more start
 *     few          the message has fewer values than .least_values
 *
 * Without the third rule no plan ends earlier than both one message per
 * tensor and one message for all: see the tests.
 *
 * Units    ps, bytes, values
 */
#ifndef WORKLOADS_EXCHANGE_MERGE_PLAN_H
#define WORKLOADS_EXCHANGE_MERGE_PLAN_H

#include <glib.h>
#include <stdint.h>

/* A tensor, as the planner sees it. */
typedef struct {
    uint64_t ready_ps; /* at least that of the previous tensor */
    uint64_t n_values, bytes;
} MergeTensor;

/* The planner's model of an all-reduce of b bytes, a + b / B, and the least
 * size of a message. */
typedef struct {
    uint64_t latency_ps;  /* a */
    uint64_t bytes_per_s; /* B, must not be 0 */
    uint64_t least_values;
} MergeCostModel;

/* Returns the modelled time of an all-reduce; saturates at 2^63. */
uint64_t merge_cost_of_message_ps(const MergeCostModel *model, uint64_t bytes);

/* Returns the number of tensors in each message, as uint32_t; they add up to
 * @n.  Owner: the caller. */
GArray *merge_plan_make(const MergeCostModel *model, const MergeTensor *tensors,
                        guint n);

#endif
