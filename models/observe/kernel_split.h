/*
 * kernel_split.h - what a part of a kernel's time belongs to: see
 * critical_path.h
 *
 * Units    ps
 * Rounding the parts add up to the whole, to the picosecond
 */
#ifndef MODELS_OBSERVE_KERNEL_SPLIT_H
#define MODELS_OBSERVE_KERNEL_SPLIT_H

#include "models/observe/path_rows.h"
#include "models/trace/told.h"

/* Adds @ps of @piece, in which it ran, to @rows_ps, PATH_N of them. */
void kernel_split(const NpuConfig *npu, const OpWork *work,
                  const TracePiece *piece, SimTime ps, SimTime *rows_ps);

#endif
