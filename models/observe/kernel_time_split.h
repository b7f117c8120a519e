/*
 * kernel_time_split.h - divides the time of a piece of a kernel by cause, see
 * critical_path.h
 *
 * Units    ps
 */
#ifndef MODELS_OBSERVE_KERNEL_TIME_SPLIT_H
#define MODELS_OBSERVE_KERNEL_TIME_SPLIT_H

#include "models/observe/critical_path_rows.h"
#include "models/trace/trace_records.h"

/* Adds the time @ps, in which @piece ran, to the rows of @rows_ps, which has
 * PATH_N rows.  The added times sum to @ps exactly. */
void divide_kernel_time_among_rows(const NpuConfig *npu, const OpWork *work,
                                   const TracePiece *piece, SimTime ps,
                                   SimTime *rows_ps);

#endif
