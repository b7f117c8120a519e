/*
 * params.h - what parameters of stacks have in common, whatever the kind
 */
#ifndef MODELS_STACKS_PARAMS_H
#define MODELS_STACKS_PARAMS_H

#include "sim/config/config.h"

/* The first member of each kind's params struct, and its rows. */
typedef struct {
    const char *name; /* what tables call this configuration */
    gboolean costs;   /* FALSE: launch, steps and flags are for nothing */
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
