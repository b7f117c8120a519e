/* stalls.h - what an NPU waits for, for a run that stalls */
#ifndef MODELS_RUN_REPORT_STALLS_H
#define MODELS_RUN_REPORT_STALLS_H

#include "models/run/training_impl.h"

/* A line for each thing, added to @text. */
void stalls_explain(const Training *t, GString *text);

#endif
