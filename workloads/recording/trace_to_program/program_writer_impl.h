/*
 * program_writer_impl.h - declarations that the writers of a program share
 *
 * The header is private to this folder.
 */
#ifndef WORKLOADS_RECORDING_TRACE_TO_PROGRAM_PROGRAM_WRITER_IMPL_H
#define WORKLOADS_RECORDING_TRACE_TO_PROGRAM_PROGRAM_WRITER_IMPL_H

#include "sim/config/config_write.h"
#include "workloads/recording/trace_to_program/program_writer.h"

typedef struct {
    const ImportedProgram *imported;
    const WriteOptions *options;
    GString *out;
    gboolean for_multiples;
} Writer;

/* Append values with units; write_microseconds() omits the unit.  In
 * write_yaml_values.c. */
void write_microseconds(GString *out, uint64_t ps);
void write_time_with_unit(GString *out, uint64_t ps);
void write_bytes(GString *out, uint64_t bytes);

/* Writes the operations of @role; in write_program_ops.c. */
void write_ops_of_role(Writer *writer, const ImportedRole *role);

#endif
