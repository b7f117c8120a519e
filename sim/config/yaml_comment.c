/*
 * yaml_comment.c - finds the comments of a YAML file that belong to its lines;
 * see yaml_comment.h
 */
#include "sim/config/yaml_comment.h"

#include <string.h>

#define MAX_COMMENT_CHARS 300

/* Returns the text after the # of a comment, or NULL. A # in quotes counts as
 * well: this is rare, and does not justify a full parser. */
static const char *find_comment_text(const char *line)
{
    for (const char *p = line; *p != '\0'; p++)
        if (*p == '#' && (p == line || g_ascii_isspace(p[-1])))
            return p + 1;
    return NULL;
}

static gboolean is_comment_line(const char *line)
{
    return line[strspn(line, " \t")] == '#';
}

static gboolean is_blank_line(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

/* Returns the comment lines that end with lines[@last], joined. */
static char *join_comment_lines(char *const *lines, guint last)
{
    GString *out = g_string_new(NULL);
    guint first = last;

    while (first > 0 && is_comment_line(lines[first - 1]))
        first--;
    for (guint i = first; i <= last; i++) {
        g_autofree char *text = g_strdup(find_comment_text(lines[i]));

        g_strstrip(text);
        g_string_append_printf(out, "%s%s", out->len > 0 && *text ? " " : "",
                               text);
    }
    return g_string_free(out, FALSE);
}

static char *truncate_yaml_comment(char *text)
{
    g_autofree char *cut = NULL;

    if (g_utf8_strlen(text, -1) <= MAX_COMMENT_CHARS)
        return text;
    cut = g_utf8_substring(text, 0, MAX_COMMENT_CHARS);
    g_free(text);
    return g_strconcat(cut, "…", NULL);
}

/* Returns the number of comment lines at the beginning, which belong to the
 * file. */
static guint count_head_comment_lines(char *const *lines)
{
    guint n = 0;

    while (lines[n] && is_comment_line(lines[n]))
        n++;
    return n;
}

char *yaml_comment_of_line(const char *text, guint line)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    const char *on_same_line;

    if (line == 0 || line > g_strv_length(lines) ||
        is_blank_line(lines[line - 1]))
        return NULL;
    on_same_line = find_comment_text(lines[line - 1]);
    if (on_same_line)
        return truncate_yaml_comment(g_strstrip(g_strdup(on_same_line)));
    if (line < 2 || line - 1 <= count_head_comment_lines(lines) ||
        !is_comment_line(lines[line - 2]))
        return NULL;
    return truncate_yaml_comment(join_comment_lines(lines, line - 2));
}

char *yaml_comment_of_file(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint n = count_head_comment_lines(lines);

    return n > 0 ? truncate_yaml_comment(join_comment_lines(lines, n - 1))
                 : NULL;
}
