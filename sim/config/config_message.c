/* config_message.c - problems in order, and the words to name them */
#include <stdarg.h>
#include <string.h>

#include "sim/config/config_impl.h"

/* More would scroll the first, which is the one to mend, off the screen. */
#define MAX_LINES 20

/* Long enough for any key and file name; a text may have 16 MiB. */
#define MAX_QUOTED_CHARS 80

/* More names than this are a wall of text, not a hint. */
#define MAX_KNOWN 16

/* Words longer than this are not typos of a key. */
#define MAX_WORD_BYTES 64

typedef struct {
    const ConfigSource *source; /* borrowed */
    guint order;                /* of the source; set when sorting */
    guint line, column;
    ConfigErrorCode code;
    char *text; /* owned */
} Problem;

static void problem_free(gpointer data)
{
    Problem *problem = data;

    g_free(problem->text);
    g_free(problem);
}

GPtrArray *config_problems_new(void)
{
    return g_ptr_array_new_with_free_func(problem_free);
}

static void add(GPtrArray *problems, const ConfigSource *source, guint line,
                guint column, ConfigErrorCode code, char *text)
{
    Problem *problem;

    if (problems->len >= CONFIG_MAX_PROBLEMS) {
        g_free(text);
        return;
    }
    problem = g_new0(Problem, 1);
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
    add(problems, source, line, column, code, g_strdup_vprintf(format, args));
    va_end(args);
}

void config_problem_at(GPtrArray *problems, const ConfigNode *where,
                       ConfigErrorCode code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(problems, where->source, where->line, where->column, code,
        g_strdup_vprintf(format, args));
    va_end(args);
}

ConfigErrorCode config_problem_code(const GPtrArray *problems, guint i)
{
    return ((const Problem *)g_ptr_array_index(problems, i))->code;
}

const char *config_problem_text(const GPtrArray *problems, guint i)
{
    return ((const Problem *)g_ptr_array_index(problems, i))->text;
}

static int compare(guint a, guint b)
{
    return (a > b) - (a < b);
}

static int compare_problems(gconstpointer first, gconstpointer second)
{
    const Problem *a = *(Problem *const *)first;
    const Problem *b = *(Problem *const *)second;
    int by_order = compare(a->order, b->order);
    int by_line = compare(a->line, b->line);

    if (by_order != 0)
        return by_order;
    return by_line != 0 ? by_line : compare(a->column, b->column);
}

/* Nodes of other documents come with sources that we did not read; they are
 * numbered when they are first complained about. */
static guint order_of(ConfigDoc *doc, const ConfigSource *source)
{
    gpointer order;

    if (g_hash_table_lookup_extended(doc->order, source, NULL, &order))
        return GPOINTER_TO_UINT(order);
    order = GUINT_TO_POINTER(g_hash_table_size(doc->order));
    g_hash_table_insert(doc->order, (gpointer)source, order);
    return GPOINTER_TO_UINT(order);
}

/* What is wrong in a shared node is found wherever the node is seen, and said
 * once. */
static GPtrArray *distinct_lines(const GPtrArray *problems)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < problems->len; i++) {
        const Problem *problem = g_ptr_array_index(problems, i);
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

gboolean config_problems_raise(ConfigDoc *doc, GPtrArray *problems,
                               GError **error)
{
    g_autoptr(GPtrArray) lines = NULL;
    g_autoptr(GString) text = g_string_new(NULL);

    if (problems->len == 0)
        return TRUE;
    for (guint i = 0; i < problems->len; i++) {
        Problem *problem = g_ptr_array_index(problems, i);

        problem->order = order_of(doc, problem->source);
    }
    g_ptr_array_sort(problems, compare_problems); /* stable */
    lines = distinct_lines(problems);
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

char *config_quote(const char *text)
{
    GString *out = g_string_new("'");
    guint n_chars = 0;

    for (const char *p = text; *p != '\0'; n_chars++) {
        gunichar c = g_utf8_get_char_validated(p, -1);
        gboolean valid = (gint32)c >= 0;

        if (n_chars == MAX_QUOTED_CHARS) {
            g_string_append(out, "...");
            break;
        }
        if (valid && g_unichar_isprint(c))
            g_string_append_unichar(out, c);
        else if (c == '\n')
            g_string_append(out, "\\n");
        else if (valid && c > 0xff)
            g_string_append_printf(out, "\\u%04x", c);
        else
            g_string_append_printf(out, "\\x%02x",
                                   valid ? c : (guint)(guchar)*p);
        p = valid ? g_utf8_next_char(p) : p + 1;
    }
    g_string_append_c(out, '\'');
    return g_string_free(out, FALSE);
}

char *config_describe(const ConfigNode *node)
{
    if (node->kind == CONFIG_NODE_LIST)
        return g_strdup("a list");
    if (node->kind == CONFIG_NODE_MAP)
        return g_strdup("a map");
    if (*node->text == '\0' && !node->quoted)
        return g_strdup("nothing");
    return config_quote(node->text);
}

/* The fewest insertions, deletions, substitutions and swaps of neighbours that
 * make @a from @b, each place being touched once (optimal string alignment). */
static gsize distance(const char *a, const char *b)
{
    gsize n_a = strlen(a), n_b = strlen(b);
    gsize rows[3][MAX_WORD_BYTES + 1];
    gsize *before = rows[0], *last = rows[1], *row = rows[2];

    for (gsize j = 0; j <= n_b; j++)
        last[j] = j;
    for (gsize i = 1; i <= n_a; i++) {
        gsize *oldest = before;

        row[0] = i;
        for (gsize j = 1; j <= n_b; j++) {
            gsize substituted = last[j - 1] + (a[i - 1] != b[j - 1]);

            row[j] = MIN(substituted, MIN(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN(row[j], before[j - 2] + 1);
        }
        before = last;
        last = row;
        row = oldest;
    }
    return last[n_b];
}

const char *config_nearest(const char *word, const char *const *names)
{
    gsize n_word = strlen(word);
    gsize best = MIN(n_word / 3 + 1, 3) + 1;
    const char *nearest = NULL;

    /* A word of which nothing is left is not what was meant. */
    best = MIN(best, n_word);
    for (; *names; names++) {
        gsize n_name = strlen(*names);
        gsize d;

        if (MAX(n_name, n_word) > MAX_WORD_BYTES)
            continue;
        d = distance(word, *names);
        if (d < best) {
            best = d;
            nearest = *names;
        }
    }
    return nearest;
}

char *config_hint(const char *word, const char *const *names, const char *known)
{
    const char *nearest = config_nearest(word, names);
    GString *out;

    if (nearest)
        return g_strdup_printf("; did you mean '%s'?", nearest);
    if (!*names)
        return g_strdup_printf("; %s: none", known);
    out = g_string_new(NULL);
    g_string_append_printf(out, "; %s: %s", known, names[0]);
    for (guint i = 1; names[i]; i++) {
        if (i == MAX_KNOWN) {
            g_string_append(out, ", ...");
            break;
        }
        g_string_append_printf(out, ", %s", names[i]);
    }
    return g_string_free(out, FALSE);
}
