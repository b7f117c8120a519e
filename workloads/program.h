/*
 * program.h - the registry of the operations that a program's file may have
 *
 * program_ops.h declares their parameters.
 */
#ifndef WORKLOADS_PROGRAM_H
#define WORKLOADS_PROGRAM_H

#include "sim/config/config_field.h"

extern const ConfigRegistry program_op_registry;

#endif
