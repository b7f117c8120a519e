/*
 * program_writer.h - writes a program as YAML, one line per operation
 *
 * Owner    the caller owns the text
 */
#ifndef WORKLOADS_RECORDING_TRACE_TO_PROGRAM_PROGRAM_WRITER_H
#define WORKLOADS_RECORDING_TRACE_TO_PROGRAM_PROGRAM_WRITER_H

#include "workloads/recording/trace_to_program/imported_program.h"

typedef struct {
    const char *name; /* name of the program */
    const char *from; /* source of the program, such as "8 files of kineto" */
    gboolean without_gaps;
} WriteOptions;

/* Returns the program as YAML text.  Counts operations, dependencies and gaps
 * in the report. */
GString *imported_program_write(const ImportedProgram *imported,
                                const WriteOptions *options);

#endif
