/*
 * config_problem.c - a list of problems, which is collected during reading and
 * reported at the end; see config_problem_impl.h
 */
#include <stdarg.h>

#include "sim/config/config_problem_impl.h"

G_DEFINE_QUARK(config_error_quark, config_error)

static void problem_free(gpointer data)
{
    ConfigProblem *problem = data;

    g_free(problem->text);
    g_free(problem);
}

GPtrArray *config_problems_new(void)
{
    return g_ptr_array_new_with_free_func(problem_free);
}

void config_problem_add_owned(GPtrArray *problems, const ConfigSource *source,
                              guint line, guint column, ConfigErrorCode code,
                              char *text)
{
    ConfigProblem *problem;

    if (problems->len >= CONFIG_MAX_PROBLEMS) {
        g_free(text);
        return;
    }
    problem = g_new0(ConfigProblem, 1);
    problem->source = source;
    problem->line = line;
    problem->column = column;
    problem->code = code;
    problem->text = text;
    g_ptr_array_add(problems, problem);
}

void config_problem_add(GPtrArray *problems, const ConfigSource *source,
                        guint line, guint column, ConfigErrorCode code,
                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    config_problem_add_owned(problems, source, line, column, code,
                             g_strdup_vprintf(format, args));
    va_end(args);
}

ConfigErrorCode config_problem_code(const GPtrArray *problems, guint i)
{
    return ((const ConfigProblem *)g_ptr_array_index(problems, i))->code;
}

const char *config_problem_text(const GPtrArray *problems, guint i)
{
    return ((const ConfigProblem *)g_ptr_array_index(problems, i))->text;
}
