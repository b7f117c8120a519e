/*
 * write.h - a program as YAML: an operation a line, short names, values with
 * their units, comments that say what was made of what
 *
 * Owner    the caller owns the text
 */
#ifndef WORKLOADS_RECORDING_TAKE_WRITE_H
#define WORKLOADS_RECORDING_TAKE_WRITE_H

#include "workloads/recording/take/script.h"

typedef struct {
    const char *name; /* of the program */
    const char *from; /* "8 files of kineto" */
    gboolean without_gaps;
} WriteOptions;

/* Counts operations, dependencies and gaps into the take's report. */
GString *script_write(const Script *script, const WriteOptions *options);

#endif
