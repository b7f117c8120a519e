/* json_navigation.c - navigation in JSON: skipping values, keys and items */
#include "sim/config/json/byte_window_impl.h"

#include <string.h>

/* Skips the text from the quote at .next_byte to after its closing quote.
 * Returns FALSE on an error. */
static gboolean skip_json_string(JsonPull *pull)
{
    pull->next_byte++;
    for (;;) {
        json_pull_advance_to_class(pull, OF_TEXT);
        if (!json_pull_has_more_bytes(pull))
            break;
        if (*pull->next_byte == '"') {
            pull->next_byte++;
            return TRUE;
        }
        if (*pull->next_byte == '\\') {
            pull->next_byte++;
            if (json_pull_has_more_bytes(pull))
                pull->next_byte++;
        } else if (pull_classes[*pull->next_byte] & OF_TEXT) {
            json_pull_set_error_here(pull, "a control character within a text");
            return FALSE;
        }
    }
    json_pull_set_error_here(pull, "the file ends within a text");
    return FALSE;
}

/* Handles a byte of class OF_SKIP. */
static gboolean skip_structural_byte(JsonPull *pull)
{
    switch (*pull->next_byte) {
    case '\n':
        json_pull_skip_line_end(pull);
        return TRUE;
    case '"':
        return skip_json_string(pull);
    case '{':
    case '[':
        return json_pull_open_container(pull, *pull->next_byte == '{');
    default:
        return json_pull_close_container(pull);
    }
}

static void skip_to_nesting_depth(JsonPull *pull, guint depth)
{
    while (pull->depth > depth) {
        json_pull_advance_to_class(pull, OF_SKIP);
        if (!json_pull_has_more_bytes(pull)) {
            json_pull_set_error_here(pull, "the file ends too early");
            return;
        }
        if (pull_classes[*pull->next_byte] & OF_SKIP &&
            !skip_structural_byte(pull))
            return;
    }
}

/* Skips the colon and the value after a key. */
static void skip_value_of_key(JsonPull *pull)
{
    guint depth = pull->depth;

    if (json_pull_skip_blanks(pull) && *pull->next_byte != ':') {
        json_pull_set_error_here(pull, "a colon is due here");
        return;
    }
    pull->next_byte += pull->next_byte < pull->end;
    pull->has_key = FALSE;
    if (!json_pull_skip_blanks(pull))
        json_pull_set_error_here(pull, "the file ends behind a key");
    else if (*pull->next_byte == '"')
        skip_json_string(pull);
    else if (*pull->next_byte != '{' && *pull->next_byte != '[')
        pull->token = json_pull_read_word(pull);
    else if (skip_structural_byte(pull))
        skip_to_nesting_depth(pull, depth);
}

void json_pull_skip_value(JsonPull *pull)
{
    if (pull->error)
        return;
    if (pull->token == PULL_KEY)
        skip_value_of_key(pull);
    else if (pull->token == PULL_OBJECT || pull->token == PULL_ARRAY)
        skip_to_nesting_depth(pull, pull->depth - 1);
    else
        return;
    pull->has_before = TRUE;
    if (!pull->error)
        pull->token = PULL_NULL; /* nothing is left to skip after this token */
}

void json_pull_leave_container(JsonPull *pull)
{
    if (pull->error)
        return;
    g_assert(pull->depth > 0);
    pull->has_key = FALSE;
    skip_to_nesting_depth(pull, pull->depth - 1);
}

gboolean json_pull_next_key(JsonPull *pull, const JsonName *names, guint *ret)
{
    while (json_pull_next_token(pull) == PULL_KEY) {
        for (guint i = 0; names[i].name; i++)
            if (names[i].n_bytes == pull->n_text &&
                memcmp(names[i].name, pull->text, pull->n_text) == 0) {
                *ret = i;
                return TRUE;
            }
        json_pull_skip_value(pull);
    }
    return FALSE;
}

gboolean json_pull_next_item(JsonPull *pull)
{
    PullToken token = json_pull_next_token(pull);

    return token != PULL_ARRAY_END && token != PULL_ERROR && token != PULL_END;
}

PullToken json_pull_next_scalar(JsonPull *pull)
{
    PullToken token = json_pull_next_token(pull);

    json_pull_skip_value(pull);
    return pull->error ? PULL_ERROR : token;
}

gboolean json_pull_enter_container(JsonPull *pull, PullToken token)
{
    if (json_pull_next_token(pull) == token)
        return TRUE;
    json_pull_skip_value(pull);
    return FALSE;
}
