/*
 * flat_program.h - a workload as a program whose operations are written out
 *
 * Errors   those of the workload
 * Owner    the caller owns the text
 */
#ifndef SIM_STUDY_EXPORT_FLAT_PROGRAM_H
#define SIM_STUDY_EXPORT_FLAT_PROGRAM_H

#include "models/run/system.h"

/* Returns the workload of @config as the file of a program with roles, or NULL
 * with @error set if it has no segments.  A run of it takes the same times. */
G_GNUC_WARN_UNUSED_RESULT
GString *flat_program_export(const SystemConfig *config, GError **error);

#endif
