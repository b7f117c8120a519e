/*
 * config_message.c - adds, sorts and reports problems; see
 * config_message_impl.h
 */
#include "sim/config/config_message_impl.h"

#include <stdarg.h>

#include "sim/core/word_suggestions.h"

/* A longer message would scroll the first problem, which is the one to fix
 * first, off the screen. */
#define MAX_LINES 20

void config_problem_at(GPtrArray *problems, const ConfigNode *where,
                       ConfigErrorCode code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    config_problem_add_owned(problems, where->source, where->line,
                             where->column, code,
                             g_strdup_vprintf(format, args));
    va_end(args);
}

static int compare_numbers(guint a, guint b)
{
    return (a > b) - (a < b);
}

static int compare_problem_positions(gconstpointer first, gconstpointer second)
{
    const ConfigProblem *a = *(ConfigProblem *const *)first;
    const ConfigProblem *b = *(ConfigProblem *const *)second;
    int by_order = compare_numbers(a->order, b->order);
    int by_line = compare_numbers(a->line, b->line);

    if (by_order != 0)
        return by_order;
    return by_line != 0 ? by_line : compare_numbers(a->column, b->column);
}

/* Returns the rank of a source in messages.  Sources of nodes from other
 * documents get a rank when their first problem is reported. */
static guint position_of_source_in_list(ConfigDoc *doc,
                                        const ConfigSource *source)
{
    gpointer order;

    if (g_hash_table_lookup_extended(doc->order, source, NULL, &order))
        return GPOINTER_TO_UINT(order);
    order = GUINT_TO_POINTER(g_hash_table_size(doc->order));
    g_hash_table_insert(doc->order, (gpointer)source, order);
    return GPOINTER_TO_UINT(order);
}

/* Returns the message lines without duplicates: a problem in a shared node is
 * found once per use. */
static GPtrArray *list_distinct_messages(const GPtrArray *problems)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < problems->len; i++) {
        const ConfigProblem *problem = g_ptr_array_index(problems, i);
        char *line =
            g_strdup_printf("%s:%u:%u: %s", problem->source->name,
                            problem->line, problem->column, problem->text);

        if (g_hash_table_contains(seen, line)) {
            g_free(line);
            continue;
        }
        g_hash_table_add(seen, line);
        g_ptr_array_add(lines, line);
    }
    return lines;
}

gboolean config_problems_to_error(ConfigDoc *doc, GPtrArray *problems,
                                  GError **error)
{
    g_autoptr(GPtrArray) lines = NULL;
    g_autoptr(GString) text = g_string_new(NULL);

    if (problems->len == 0)
        return TRUE;
    for (guint i = 0; i < problems->len; i++) {
        ConfigProblem *problem = g_ptr_array_index(problems, i);

        problem->order = position_of_source_in_list(doc, problem->source);
    }
    g_ptr_array_sort(problems,
                     compare_problem_positions); /* the sort is stable */
    lines = list_distinct_messages(problems);
    for (guint i = 0; i < MIN(lines->len, MAX_LINES); i++)
        g_string_append_printf(text, "%s%s", i > 0 ? "\n" : "",
                               (char *)g_ptr_array_index(lines, i));
    if (lines->len > MAX_LINES)
        g_string_append_printf(text, "\n... and %u more",
                               lines->len - MAX_LINES);
    g_set_error_literal(error, CONFIG_ERROR,
                        (gint)config_problem_code(problems, 0), text->str);
    return FALSE;
}

char *config_describe_node(const ConfigNode *node)
{
    if (node->kind == CONFIG_NODE_LIST)
        return g_strdup("a list");
    if (node->kind == CONFIG_NODE_MAP)
        return g_strdup("a map");
    if (*node->text == '\0' && !node->quoted)
        return g_strdup("nothing");
    return words_quote_text(node->text);
}
