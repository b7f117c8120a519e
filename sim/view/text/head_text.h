/*
 * head_text.h - what was run, in a line for people
 */
#ifndef SIM_VIEW_TEXT_HEAD_TEXT_H
#define SIM_VIEW_TEXT_HEAD_TEXT_H

#include "models/run/system.h"

/* Workload, platform and endpoint, and an empty line. */
void head_write(const SystemConfig *config, const System *system, GString *out);

#endif
