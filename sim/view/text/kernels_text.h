/* kernels_text.h - kernels with an NPU to themselves, for people */
#ifndef SIM_VIEW_TEXT_KERNELS_TEXT_H
#define SIM_VIEW_TEXT_KERNELS_TEXT_H

#include "sim/study/kernels.h"

/* A line each, with a header.  Owner: the caller. */
GString *kernels_text(const KernelsFile *file);

#endif
