/* program.h - kinds of operations that a role of a program may have */
#ifndef WORKLOADS_PROGRAM_H
#define WORKLOADS_PROGRAM_H

#include "sim/config/config_field.h"

extern const ConfigRegistry program_op_registry;

#endif
