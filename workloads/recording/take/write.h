/*
 * write.h - writes a program as YAML, one line per operation
 *
 * Owner    the caller owns the text
 */
#ifndef WORKLOADS_RECORDING_TAKE_WRITE_H
#define WORKLOADS_RECORDING_TAKE_WRITE_H

#include "workloads/recording/take/script.h"

typedef struct {
    const char *name; /* name of the program */
    const char *from; /* its source, such as "8 files of kineto" */
    gboolean without_gaps;
} WriteOptions;

/* Returns the YAML text.  Counts operations, dependencies and gaps in the
 * report. */
GString *script_write(const Script *script, const WriteOptions *options);

#endif
