/* json_grammar.c - a pull parser of JSON: the grammar; see pull_parser.h */
#include "sim/config/json/byte_window_impl.h"

#include <string.h>

JsonPull *json_pull_new(Source *source)
{
    JsonPull *pull = g_new0(JsonPull, 1);

    pull->source = source;
    pull->plain = g_string_new(NULL);
    pull->line = 1;
    pull->line_at = source_offset(source);
    pull->begin = pull->next_byte = pull->end = (const uint8_t *)"";
    return pull;
}

void json_pull_free(JsonPull *pull)
{
    if (!pull)
        return;
    g_clear_error(&pull->error);
    g_free(pull->error_text);
    g_string_free(pull->plain, TRUE);
    g_free(pull);
}

void json_pull_set_strict(JsonPull *pull)
{
    pull->is_strict = TRUE;
}

static PullToken read_json_value(JsonPull *pull)
{
    switch (*pull->next_byte) {
    case '{':
        return json_pull_open_container(pull, TRUE) ? PULL_OBJECT : PULL_ERROR;
    case '[':
        return json_pull_open_container(pull, FALSE) ? PULL_ARRAY : PULL_ERROR;
    case '"':
        return json_pull_read_text(pull, PULL_STRING);
    default:
        return json_pull_read_word(pull);
    }
}

/* Skips blanks up to the next token inside a value.  Returns FALSE and fails if
 * the file ends. */
static gboolean skip_to_token(JsonPull *pull)
{
    gboolean has = json_pull_skip_blanks(pull);

    json_pull_mark_token_position(pull);
    if (!has)
        json_pull_set_error_here(pull, pull->has_key
                                           ? "the file ends behind a key"
                                           : "the file ends too early");
    return has;
}

/* Reads the colon at .next_byte and the value after it. */
static PullToken read_value_of_key(JsonPull *pull)
{
    if (*pull->next_byte != ':')
        return json_pull_report_wrong_byte(pull, "a colon is due here");
    pull->next_byte++;
    if (!skip_to_token(pull))
        return PULL_ERROR;
    pull->has_key = FALSE;
    return read_json_value(pull);
}

static PullToken read_object_key(JsonPull *pull)
{
    if (*pull->next_byte != '"')
        return json_pull_report_wrong_byte(pull, "a key in quotes is due here");
    pull->has_key = TRUE;
    return json_pull_read_text(pull, PULL_KEY);
}

static PullToken read_next_in_container(JsonPull *pull)
{
    gboolean is_object = pull->objects >> (pull->depth - 1) & 1;

    if (*pull->next_byte == (is_object ? '}' : ']')) {
        json_pull_close_container(pull);
        return is_object ? PULL_OBJECT_END : PULL_ARRAY_END;
    }
    if (pull->has_before) {
        if (*pull->next_byte != ',')
            return json_pull_report_wrong_byte(
                pull, is_object ? "',' or '}' is due here"
                                : "',' or ']' is due here");
        pull->next_byte++;
        pull->after_comma = TRUE;
        if (!skip_to_token(pull))
            return PULL_ERROR;
    }
    pull->has_before = TRUE;
    return is_object ? read_object_key(pull) : read_json_value(pull);
}

static PullToken read_json_token(JsonPull *pull)
{
    if (pull->depth == 0 && pull->has_before) {
        if (!json_pull_skip_blanks(pull))
            return PULL_END;
        json_pull_mark_token_position(pull);
        return json_pull_set_error_here(pull,
                                        "something stands behind the end");
    }
    if (!skip_to_token(pull))
        return PULL_ERROR;
    if (pull->has_key)
        return read_value_of_key(pull);
    if (pull->depth > 0)
        return read_next_in_container(pull);
    pull->has_before = TRUE;
    return read_json_value(pull);
}

PullToken json_pull_next_token(JsonPull *pull)
{
    if (pull->error)
        return PULL_ERROR;
    pull->after_comma = FALSE;
    pull->token = read_json_token(pull);
    if (pull->error)
        pull->token = PULL_ERROR;
    return pull->token;
}

PullToken json_pull_token(const JsonPull *pull)
{
    return pull->token;
}

const char *json_pull_text(const JsonPull *pull, gsize *ret_n)
{
    *ret_n = pull->n_text;
    return pull->text;
}

gboolean json_pull_text_is(const JsonPull *pull, const char *text)
{
    return pull->n_text == strlen(text) &&
           memcmp(pull->text, text, pull->n_text) == 0;
}
