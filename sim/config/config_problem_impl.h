/*
 * config_problem_impl.h - a list of problems, which is collected during reading
 * and reported at the end
 *
 * Owner    lists own their problems, and borrow the sources
 */
#ifndef SIM_CONFIG_CONFIG_PROBLEM_IMPL_H
#define SIM_CONFIG_CONFIG_PROBLEM_IMPL_H

#include "sim/config/config_error.h"

typedef struct ConfigSource ConfigSource; /* see config_node_impl.h */

typedef struct {
    const ConfigSource *source; /* borrowed */
    guint order;                /* the rank of the source; set before sorting */
    guint line, column;
    ConfigErrorCode code;
    char *text; /* owned */
} ConfigProblem;

/* Further problems are dropped. */
#define CONFIG_MAX_PROBLEMS 1000

GPtrArray *config_problems_new(void);
/* Adds a problem and takes ownership of @text. */
void config_problem_add_owned(GPtrArray *problems, const ConfigSource *source,
                              guint line, guint column, ConfigErrorCode code,
                              char *text);
void config_problem_add(GPtrArray *problems, const ConfigSource *source,
                        guint line, guint column, ConfigErrorCode code,
                        const char *format, ...) G_GNUC_PRINTF(6, 7);
/* The two functions return the error code and the text of problem @i. */
ConfigErrorCode config_problem_code(const GPtrArray *problems, guint i);
const char *config_problem_text(const GPtrArray *problems, guint i);

#endif
