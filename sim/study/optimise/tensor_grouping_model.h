/*
 * tensor_grouping_model.h - which tensors are sent in one message, by a model
 * that takes microseconds
 *
 * Tensor i has b_i bytes and is ready at r_i, which ascends.  Messages go one
 * after the other, and one of b bytes takes T(b).  The earliest time e(j) at
 * which groups of the first j tensors can all be sent is
 *
 *     e(0) = 0,   e(j) = min over i < j of  max(e(i), r_j) + T(b_(i+1) + .. +
 *     b_j)
 *
 * because a message that begins earlier does not end later.  T interpolates
 * linearly between the sizes that were measured in runs, and extrapolates the
 * line through the two smallest or the two largest sizes.
 *
 * The model leaves out that messages and kernels slow each other down, and work
 * that waits for only some of the gradients.  It makes a first candidate; runs
 * decide.
 *
 * Cost     quadratic in the number of tensors; more than GROUPING_MAX_TENSORS
 *          of them are first joined to neighbours
 * Units    ps, bytes
 */
#ifndef SIM_STUDY_OPTIMISE_TENSOR_GROUPING_MODEL_H
#define SIM_STUDY_OPTIMISE_TENSOR_GROUPING_MODEL_H

#include <glib.h>
#include <stdint.h>

#define GROUPING_MAX_TENSORS 2000

typedef struct {
    uint64_t bytes, ready_ps;
} GroupingTensor;

/* A gradient message of a run: its size and the time that it took alone. */
typedef struct {
    uint64_t bytes, time_ps;
} GroupingMessage;

/* Returns the measured messages by ascending size, with the mean time of each
 * size (of GroupingMessage). */
GArray *grouping_average_messages(const GroupingMessage *observed, guint n);

/* Returns T(@bytes), or 0 if nothing was measured. */
double grouping_message_time_ps(const GArray *messages, uint64_t bytes);

/* Returns the sizes of the groups of the best plan, in tensors (of uint32_t),
 * which the caller owns.  @tensors (of GroupingTensor) has at least one. */
GArray *grouping_find_best_plan(const GArray *tensors, const GArray *messages);

/* Returns when the plan @counts ends in the model.  From group *@ret_first on,
 * each message begins as soon as the one before has ended: these groups
 * determine the end. */
double grouping_plan_end_ps(const GArray *tensors, const GArray *messages,
                            const GArray *counts, guint *ret_first);

/* Return @n groups, or as many as there are tensors if that is less, of nearly
 * equal bytes or numbers of tensors. */
GArray *grouping_split_by_bytes(const GArray *tensors, guint n);
GArray *grouping_split_by_count(const GArray *tensors, guint n);

#endif
