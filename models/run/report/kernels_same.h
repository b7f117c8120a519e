/* kernels_same.h - whether kernels of a run would have taken as long elsewhere
 */
#ifndef MODELS_RUN_REPORT_KERNELS_SAME_H
#define MODELS_RUN_REPORT_KERNELS_SAME_H

#include "models/run/system.h"

/* @ran is over; @other, which need not be run, has the same program on another
 * NPU, whose SMs draw as much of the same memory and whose side stream has as
 * much. */
gboolean kernels_are_same(const System *ran, const System *other);

#endif
