/* stall_report.h - describes what each NPU waits for when a run stalls */
#ifndef MODELS_RUN_REPORT_STALL_REPORT_H
#define MODELS_RUN_REPORT_STALL_REPORT_H

#include "models/run/training_impl.h"

/* Appends to @text one line for each operation of @training that cannot
 * proceed. */
void system_explain_stalls(const Training *training, GString *text);

#endif
