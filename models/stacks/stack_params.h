/* stack_params.h - parameters that all kinds of stacks have */
#ifndef MODELS_STACKS_STACK_PARAMS_H
#define MODELS_STACKS_STACK_PARAMS_H

#include "sim/config/config.h"

/* First member of each kind's parameter struct, and its configuration rows. */
typedef struct {
    const char *name; /* name of this configuration in tables */
    gboolean costs;   /* FALSE: launches, steps and flags take no time */
} StackCommon;

#define STACK_COMMON_FIELDS(Struct)                                            \
    { .key = "name",                                                           \
      .help = "what tables call this configuration",                           \
      .type = CONFIG_NAME,                                                     \
      .offset = offsetof(Struct, common.name),                                 \
      .fallback = "unnamed",                                                   \
      .source = "none needed" },                                               \
    {                                                                          \
        .key = "costs",                                                        \
        .help = "false: its launches, steps and flags are for nothing; what "  \
                "it decides is the same",                                      \
        .type = CONFIG_BOOL, .offset = offsetof(Struct, common.costs),         \
        .fallback = "true", .source = "false is for what-ifs"                  \
    }

#endif
