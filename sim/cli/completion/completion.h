/*
 * completion.h - completion of the command line by bash and zsh
 *
 * The scripts are generated from the tables of commands, options and
 * parameters.  They complete commands, options, operands, and values that are
 * words, files, folders or paths of parameters.  They do not start the program.
 *
 * Owner    the caller owns texts and lists
 */
#ifndef SIM_CLI_COMPLETION_H
#define SIM_CLI_COMPLETION_H

#include "sim/cli/cli.h"

typedef enum {
    COMPLETE_NOTHING,
    COMPLETE_WORDS,
    COMPLETE_KEYS,    /* paths of parameters, as in --set */
    COMPLETE_METRICS, /* columns of a run's CSV */
    COMPLETE_FOLDERS,
    COMPLETE_FILES,
    COMPLETE_YAML,
    COMPLETE_CSV,
} CompletionKind;

/* Returns the kind of a value that help pages call @name: "FILE", "a|b". */
CompletionKind completion_kind_of_value(const char *name);

/* Returns all paths through sections, kinds and the first items of lists; ends
 * with NULL. */
char **completion_list_keys(void);

GString *completion_bash(const CliCommand *const *commands);
GString *completion_zsh(const CliCommand *const *commands);

#endif
