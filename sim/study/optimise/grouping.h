/*
 * grouping.h - which tensors go together, by a model that takes microseconds
 *
 * Tensor i of b_i bytes is ready at r_i, r rising; messages go one after the
 * other, and one of b bytes takes T(b).  A plan that sends the tensors up to i
 * as groups is done with them at e(i) at the earliest,
 *
 *     e(j) = min over i < j of  max(e(i), r_j) + T(b_(i+1) + .. + b_j)
 *
 * since a message that begins earlier ends no later.  T is what runs took:
 * between two sizes that were seen a line, beyond them the line of the last
 * two, so a + b / B where that is all there is.
 *
 * What it leaves out: messages that slow kernels, and kernels messages; what
 * waits for a part of the gradients only.  So it makes a first candidate, and
 * runs decide.
 *
 * Cost     the square of the tensors; more than GROUPING_MOST of them are first
 *          joined to neighbours, as if each were a layer
 * Units    ps, bytes
 */
#ifndef SIM_STUDY_OPTIMISE_GROUPING_H
#define SIM_STUDY_OPTIMISE_GROUPING_H

#include <glib.h>
#include <stdint.h>

#define GROUPING_MOST 2000

typedef struct {
    uint64_t bytes, ready_ps;
} GroupingTensor;

/* A message as it was seen: what it took by itself. */
typedef struct {
    uint64_t bytes, time_ps;
} GroupingMessage;

/* What was seen, by rising bytes, each size once; of GroupingMessage. */
GArray *grouping_messages(const GroupingMessage *seen, guint n);

/* T; 0 where nothing was seen. */
double grouping_time_ps(const GArray *messages, uint64_t bytes);

/* The counts of groups, as uint32_t, that end first; of plans that end at one
 * time one with few groups.  @tensors are of GroupingTensor, at least one.
 * Owner: the caller. */
GArray *grouping_plan(const GArray *tensors, const GArray *messages);

/* When @counts end by the model; *@ret_first is the first group of those that
 * go without a break up to the end: it and those behind it are on the way. */
double grouping_end_ps(const GArray *tensors, const GArray *messages,
                       const GArray *counts, guint *ret_first);

/* @n groups of as good as equal bytes, or counts, at most one a tensor. */
GArray *grouping_by_bytes(const GArray *tensors, guint n);
GArray *grouping_by_count(const GArray *tensors, guint n);

#endif
