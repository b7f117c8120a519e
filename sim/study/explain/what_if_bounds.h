/*
 * what_if_bounds.h - how much a what-if can gain at most, by the critical path
 *
 * Twice a bandwidth or number, or half a latency, at most halves the times of
 * the critical path that depend on it; everything else on the path takes as
 * long as before, and the run cannot be shorter than this path.  So the gain is
 * at most
 *
 *   half of the rows that the what-if changes,
 *   all of the rows that it removes, such as waits for limited room,
 *   all waits behind other collectives, which may come in another order, and,
 *   with a change of communication, half of the waits for room, and all that
 *   kernels lose to communication.
 *
 * A change of the topology changes the rows of those dimensions of which it
 * changes a link.  Kernels of other NPUs count for each change of kernels.
 *
 * The bound assumes that the run makes the same messages in the same order.  A
 * stack that chooses another algorithm for faster links can gain more.
 *
 * Units    ps
 */
#ifndef SIM_STUDY_EXPLAIN_WHAT_IF_BOUNDS_H
#define SIM_STUDY_EXPLAIN_WHAT_IF_BOUNDS_H

#include "sim/study/what_ifs.h"

/* Sets .predicted_ps of each of @what_ifs that changes resources to the least
 * time of an iteration, or to 0 if the path does not tell, and .own_saving_ps.
 * @path_ps holds the time of each row on the critical path of the whole run of
 * @source->system, and @other_queue_ps the part behind other collectives. */
void bound_what_ifs_by_path(GArray *what_ifs, const WhatIfSource *source,
                            const SimTime *path_ps,
                            const SimTime *other_queue_ps);

#endif
