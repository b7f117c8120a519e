/*
 * completion.h - completion of the command line by bash and zsh
 *
 * Out of the tables of commands, options and parameters: commands, options,
 * their values where these are words, files, folders or paths of parameters,
 * and operands.  Nothing is asked of the program while a line is completed.
 *
 * Owner    the caller owns texts and lists
 */
#ifndef SIM_CLI_COMPLETION_H
#define SIM_CLI_COMPLETION_H

#include "sim/cli/cli.h"

typedef enum {
    COMPLETE_NOTHING,
    COMPLETE_WORDS,
    COMPLETE_KEYS,    /* paths of parameters, as --set takes them */
    COMPLETE_METRICS, /* columns of a run's CSV */
    COMPLETE_FOLDERS,
    COMPLETE_FILES,
    COMPLETE_YAML,
    COMPLETE_CSV,
} CompletionKind;

/* What a value may be that a help page calls @name: "FILE", "a|b". */
CompletionKind completion_kind(const char *name);

/* All paths through sections and kinds, and the first items of lists; end with
 * NULL. */
char **completion_keys(void);

GString *completion_bash(const CliCommand *const *commands);
GString *completion_zsh(const CliCommand *const *commands);

#endif
