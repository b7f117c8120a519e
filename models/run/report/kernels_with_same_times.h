/*
 * kernels_with_same_times.h - whether kernels of a run would have taken as long
 * on another NPU
 */
#ifndef MODELS_RUN_REPORT_KERNELS_WITH_SAME_TIMES_H
#define MODELS_RUN_REPORT_KERNELS_WITH_SAME_TIMES_H

#include "models/run/system.h"

/* Returns whether all kernels of @ran, which is over, would have taken as long
 * in @other, which need not be run.  Both must have the same program, and their
 * NPUs must have the same memory, the same requests of an SM to it, and the
 * same side stream.  FALSE can also mean that this is not known. */
gboolean kernel_times_are_same(const System *ran, const System *other);

#endif
