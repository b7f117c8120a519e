/*
 * merge_plan.h - which tensors are better sent as one
 *
 * MG-WFBP's plan [MGWFBP].  It believes that an all-reduce of b bytes takes
 * a + b / B, and that messages go one after the other.  Tensor by tensor, as
 * they get ready, what is gathered so far could start at
 *
 *     s = max(when its last tensor is ready, end of the message before)
 *
 * and takes in the next tensor, which is ready at r, where
 *
 *     r < s        it comes before anything could be sent
 *     r - s < a    to wait for it takes less than to start once more
 *     few          what is gathered are fewer values than are worth a message
 *
 * Without the third no plan ends earlier than both a message a tensor and one
 * message of all would: see the tests.
 *
 * Units    ps, bytes, values
 */
#ifndef WORKLOADS_EXCHANGE_MERGE_PLAN_H
#define WORKLOADS_EXCHANGE_MERGE_PLAN_H

#include <glib.h>
#include <stdint.h>

/* What a planner thinks of a tensor. */
typedef struct {
    uint64_t ready_ps; /* no earlier than the one before */
    uint64_t n_values, bytes;
} MergeTensor;

/* And of all-reduces. */
typedef struct {
    uint64_t latency_ps;
    uint64_t bytes_per_s; /* more than 0 */
    uint64_t least_values;
} MergeBelief;

/* What an all-reduce takes; stops at 2^63. */
uint64_t merge_message_ps(const MergeBelief *belief, uint64_t bytes);

/* How many tensors each message has, @n of them together, as uint32_t.
 * Owner: the caller. */
GArray *merge_plan(const MergeBelief *belief, const MergeTensor *tensors,
                   guint n);

#endif
