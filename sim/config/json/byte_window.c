/*
 * byte_window.c - state of the JSON parser: the window of bytes, the position,
 * the nesting and the first error
 */
#include "sim/config/json/byte_window_impl.h"

#include <stdarg.h>

#define CONTROL_8                                                              \
    OF_TEXT, OF_TEXT, OF_TEXT, OF_TEXT, OF_TEXT, OF_TEXT, OF_TEXT, OF_TEXT

/* clang-format off */
const uint8_t pull_classes[256] = {
    CONTROL_8,
    OF_TEXT, OF_TEXT | OF_BLANK, OF_TEXT | OF_BLANK | OF_SKIP, OF_TEXT,
    OF_TEXT, OF_TEXT | OF_BLANK, OF_TEXT, OF_TEXT,
    CONTROL_8,
    CONTROL_8,
    [' '] = OF_BLANK,
    ['"'] = OF_TEXT | OF_SKIP,
    ['\\'] = OF_TEXT,
    ['{'] = OF_SKIP, ['}'] = OF_SKIP, ['['] = OF_SKIP, [']'] = OF_SKIP,
    ['+'] = OF_WORD, ['-'] = OF_WORD, ['.'] = OF_WORD,
    ['0' ... '9'] = OF_WORD, ['A' ... 'Z'] = OF_WORD, ['a' ... 'z'] = OF_WORD,
};
/* clang-format on */

/* ---- errors ------------------------------------------------------------ */

static void set_parser_error(JsonPull *pull, uint64_t line, uint64_t column,
                             ConfigErrorCode code, const char *text)
{
    if (pull->error)
        return;
    pull->token = PULL_ERROR;
    if (!source_finish(pull->source, &pull->error))
        return;
    pull->error =
        g_error_new(CONFIG_ERROR, (int)code,
                    "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ": %s",
                    source_name(pull->source), line, column, text);
    pull->error_text = g_strdup(text);
    pull->error_line = line;
    pull->error_column = column;
}

static uint64_t current_byte_offset(const JsonPull *pull)
{
    return source_offset(pull->source) +
           (uint64_t)(pull->next_byte - pull->begin);
}

PullToken json_pull_set_error_here(JsonPull *pull, const char *text)
{
    set_parser_error(pull, pull->line,
                     current_byte_offset(pull) - pull->line_at + 1,
                     CONFIG_ERROR_SYNTAX, text);
    return PULL_ERROR;
}

void json_pull_set_error(JsonPull *pull, ConfigErrorCode code,
                         const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    set_parser_error(pull, pull->token_line, pull->token_column, code, text);
}

gboolean json_pull_has_error(const JsonPull *pull)
{
    return pull->error != NULL;
}

gboolean json_pull_report_error(const JsonPull *pull, GError **error)
{
    if (!pull->error)
        return TRUE;
    g_propagate_error(error, g_error_copy(pull->error));
    return FALSE;
}

uint64_t json_pull_token_line(const JsonPull *pull)
{
    return pull->token_line;
}

uint64_t json_pull_token_column(const JsonPull *pull)
{
    return pull->token_column;
}

const char *json_pull_syntax_error(const JsonPull *pull, uint64_t *ret_line,
                                   uint64_t *ret_column)
{
    *ret_line = pull->error_line;
    *ret_column = pull->error_column;
    return pull->error_text;
}

/* ---- bytes and lines --------------------------------------------------- */

gboolean json_pull_extend_window(JsonPull *pull)
{
    const uint8_t *keep = pull->keep ? pull->keep : pull->next_byte;
    gsize n_kept = (gsize)(pull->end - keep), n;
    gsize n_before = (gsize)(pull->next_byte - keep);

    source_skip(pull->source, (gsize)(keep - pull->begin));
    pull->begin = source_peek(pull->source, n_kept + 1, &n);
    pull->keep = pull->keep ? pull->begin : NULL;
    pull->next_byte = pull->begin + MIN(n_before, n);
    pull->end = pull->begin + n;
    if (n < n_kept) /* a damaged file has no position to show */
        json_pull_set_error_here(pull, "the file cannot be read");
    return n > n_kept;
}

void json_pull_skip_line_end(JsonPull *pull)
{
    pull->next_byte++;
    pull->line++;
    pull->line_at = current_byte_offset(pull);
}

gboolean json_pull_skip_blanks(JsonPull *pull)
{
    while (json_pull_has_more_bytes(pull)) {
        if (!(pull_classes[*pull->next_byte] & OF_BLANK))
            return TRUE;
        if (*pull->next_byte == '\n')
            json_pull_skip_line_end(pull);
        else
            pull->next_byte++;
    }
    return FALSE;
}

void json_pull_mark_token_position(JsonPull *pull)
{
    pull->token_line = pull->line;
    pull->token_column = current_byte_offset(pull) - pull->line_at + 1;
}

/* ---- depth ------------------------------------------------------------- */

gboolean json_pull_open_container(JsonPull *pull, gboolean is_object)
{
    uint64_t bit;

    if (pull->depth == JSON_MAX_DEPTH) {
        json_pull_set_error_here(pull, "nested deeper than 64");
        return FALSE;
    }
    bit = UINT64_C(1) << pull->depth++;
    pull->objects = is_object ? pull->objects | bit : pull->objects & ~bit;
    pull->has_before = FALSE;
    pull->next_byte++;
    return TRUE;
}

gboolean json_pull_close_container(JsonPull *pull)
{
    gboolean is_object;

    g_assert(pull->depth > 0);
    is_object = pull->objects >> (pull->depth - 1) & 1;
    if ((*pull->next_byte == '}') != is_object) {
        json_pull_set_error_here(pull, is_object ? "']' closes an object"
                                                 : "'}' closes an array");
        return FALSE;
    }
    pull->depth--;
    pull->has_before = TRUE;
    pull->next_byte++;
    return TRUE;
}
