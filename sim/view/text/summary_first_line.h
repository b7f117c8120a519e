/*
 * summary_first_line.h - first line of a summary: workload, platform, endpoint
 */
#ifndef SIM_VIEW_TEXT_SUMMARY_FIRST_LINE_H
#define SIM_VIEW_TEXT_SUMMARY_FIRST_LINE_H

#include "models/run/system.h"

/* Appends workload, platform and endpoint, and an empty line. */
void write_summary_head(const SystemConfig *config, const System *system,
                        GString *out);

#endif
