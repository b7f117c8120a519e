/* kernels_text.h - times of single kernels on an otherwise idle NPU, as text */
#ifndef SIM_VIEW_TEXT_KERNELS_TEXT_H
#define SIM_VIEW_TEXT_KERNELS_TEXT_H

#include "sim/study/kernel_timing.h"

/* Returns a header and one line per kernel.  The caller owns the text. */
GString *kernels_text(const KernelsFile *file);

#endif
