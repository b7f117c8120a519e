/* stalls.h - describes what each NPU waits for when a run stalls */
#ifndef MODELS_RUN_REPORT_STALLS_H
#define MODELS_RUN_REPORT_STALLS_H

#include "models/run/training_impl.h"

/* Appends to @text one line for each operation of @t that cannot proceed. */
void stalls_explain(const Training *t, GString *text);

#endif
