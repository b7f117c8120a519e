/* json_strings.c - texts with escapes, and words such as numbers, in JSON */
#include "sim/config/json/byte_window_impl.h"

#include <string.h>

/* ---- texts ------------------------------------------------------------- */

static gboolean read_hex_digits(JsonPull *pull, gunichar *ret)
{
    *ret = 0;
    for (guint i = 0; i < 4; i++) {
        int digit;

        if (!json_pull_has_more_bytes(pull)) {
            json_pull_set_error_here(pull, "the file ends within a text");
            return FALSE;
        }
        digit = g_ascii_xdigit_value((char)*pull->next_byte);
        if (digit < 0) {
            json_pull_set_error_here(pull, "\\u has four hexadecimal digits");
            return FALSE;
        }
        *ret = *ret * 16 + (gunichar)digit;
        pull->next_byte++;
    }
    return TRUE;
}

#define REPLACEMENT         0xfffd
#define N_REPLACEMENT_BYTES 3

/* Reads the four digits of a \u escape.  A character above 16 bits is written
 * as a surrogate pair; a single half becomes the replacement character. */
static gboolean read_unicode_escape(JsonPull *pull)
{
    gunichar c, high = pull->high;

    pull->high = 0;
    if (!read_hex_digits(pull, &c))
        return FALSE;
    if (c >= 0xdc00 && c < 0xe000 && high > 0) {
        g_string_truncate(pull->plain, pull->plain->len - N_REPLACEMENT_BYTES);
        c = 0x10000 + ((high - 0xd800) << 10) + (c - 0xdc00);
    } else if (c >= 0xd800 && c < 0xdc00) {
        pull->high = c;
    }
    if (c >= 0xd800 && c < 0xe000)
        c = REPLACEMENT;
    g_string_append_unichar(pull->plain, c);
    return TRUE;
}

/* Reads the escape after the backslash before .next_byte. */
static gboolean read_string_escape(JsonPull *pull)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *which;

    if (!json_pull_has_more_bytes(pull))
        return TRUE; /* the caller reports that the file ends here */
    if (*pull->next_byte == 'u') {
        pull->next_byte++;
        return read_unicode_escape(pull);
    }
    pull->high = 0;
    which = *pull->next_byte ? strchr(names, (char)*pull->next_byte) : NULL;
    if (!which) {
        json_pull_set_error_here(pull, "there is no such escape");
        return FALSE;
    }
    g_string_append_c(pull->plain, meant[which - names]);
    pull->next_byte++;
    return TRUE;
}

/* Appends the bytes from .keep to .next_byte to .plain. */
static void append_kept_bytes(JsonPull *pull)
{
    g_string_append_len(pull->plain, (const char *)pull->keep,
                        pull->next_byte - pull->keep);
    pull->keep = NULL;
}

/* Reads the remainder of a text from its first escape, at .next_byte. */
static gboolean read_string_with_escapes(JsonPull *pull)
{
    g_string_truncate(pull->plain, 0);
    append_kept_bytes(pull);
    pull->high = 0;
    while (pull->plain->len <= JSON_MAX_TEXT &&
           json_pull_has_more_bytes(pull)) {
        if (*pull->next_byte == '\\') {
            pull->next_byte++;
            if (!read_string_escape(pull))
                return FALSE;
        } else if (pull_classes[*pull->next_byte] & OF_TEXT) {
            break;
        } else {
            pull->high = 0;
            pull->keep = pull->next_byte;
            json_pull_advance_to_class(pull, OF_TEXT);
            append_kept_bytes(pull);
        }
    }
    pull->text = pull->plain->str;
    pull->n_text = pull->plain->len;
    return TRUE;
}

static gboolean read_plain_string(JsonPull *pull)
{
    pull->keep = pull->next_byte;
    do
        json_pull_advance_to_class(pull, OF_TEXT);
    while (pull->next_byte == pull->end &&
           pull->next_byte - pull->keep <= JSON_MAX_TEXT &&
           json_pull_extend_window(pull));
    if (pull->error)
        return FALSE;
    if (pull->next_byte < pull->end && *pull->next_byte == '\\')
        return read_string_with_escapes(pull);
    pull->text = (const char *)pull->keep;
    pull->n_text = (gsize)(pull->next_byte - pull->keep);
    return TRUE;
}

PullToken json_pull_read_text(JsonPull *pull, PullToken token)
{
    gboolean ok;

    pull->next_byte++;
    ok = read_plain_string(pull);
    pull->keep = NULL;
    if (!ok)
        return PULL_ERROR;
    if (pull->n_text > JSON_MAX_TEXT)
        return json_pull_set_error_here(pull, "a text is longer than 1 MiB");
    if (pull->next_byte == pull->end)
        return json_pull_set_error_here(pull, "the file ends within a text");
    if (*pull->next_byte != '"')
        return json_pull_set_error_here(pull,
                                        "a control character within a text");
    pull->next_byte++;
    return token;
}

/* ---- words ------------------------------------------------------------- */

static gboolean text_is_word(const JsonPull *pull, const char *word)
{
    if (pull->n_text != strlen(word))
        return FALSE;
    return pull->is_strict
               ? memcmp(pull->text, word, pull->n_text) == 0
               : g_ascii_strncasecmp(pull->text, word, pull->n_text) == 0;
}

/* Returns whether the word is an infinity or NaN, as C writes them. */
static gboolean text_is_nan_or_infinity(const JsonPull *pull)
{
    static const char *const words[] = { "nan",  "-nan",     "inf",
                                         "-inf", "infinity", "-infinity" };

    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (text_is_word(pull, words[i]))
            return TRUE;
    return FALSE;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && g_ascii_isdigit(*at))
        at++;
    return at;
}

/* Returns whether the word is a number: a sign, digits, point and digits,
 * exponent.  Leading zeros are allowed unless the parser is strict. */
static gboolean text_is_number(const JsonPull *pull)
{
    const char *at = pull->text, *end = at + pull->n_text, *digits;

    at += *at == '-';
    digits = at;
    at = skip_digits(at, end);
    if (at == digits)
        return !pull->is_strict && text_is_nan_or_infinity(pull);
    if (pull->is_strict && *digits == '0' && at > digits + 1)
        return FALSE;
    if (at < end && *at == '.') {
        digits = ++at;
        at = skip_digits(at, end);
        if (at == digits)
            return FALSE;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '-' || *at == '+');
        digits = at;
        at = skip_digits(at, end);
        if (at == digits)
            return FALSE;
    }
    return at == end;
}

PullToken json_pull_report_wrong_byte(JsonPull *pull, const char *due)
{
    switch (*pull->next_byte) {
    case '#':
    case '/':
        return json_pull_set_error_here(pull, "JSON has no comments");
    case '}':
    case ']':
        if (pull->after_comma)
            return json_pull_set_error_here(
                pull, "JSON has no comma after the last item");
        break;
    case '\'':
        return json_pull_set_error_here(
            pull, "JSON has double quotes, not single ones");
    default:
        break;
    }
    return json_pull_set_error_here(pull, due);
}

PullToken json_pull_read_word(JsonPull *pull)
{
    pull->keep = pull->next_byte;
    do
        while (pull->next_byte < pull->end &&
               pull_classes[*pull->next_byte] & OF_WORD)
            pull->next_byte++;
    while (pull->next_byte == pull->end &&
           pull->next_byte - pull->keep <= JSON_MAX_NUMBER &&
           json_pull_extend_window(pull));
    pull->text = (const char *)pull->keep;
    pull->n_text = (gsize)(pull->next_byte - pull->keep);
    pull->keep = NULL;
    if (pull->error)
        return PULL_ERROR;
    if (pull->n_text == 0)
        return json_pull_report_wrong_byte(pull, "a value is due here");
    if (text_is_word(pull, "true"))
        return PULL_TRUE;
    if (text_is_word(pull, "false"))
        return PULL_FALSE;
    if (text_is_word(pull, "null"))
        return PULL_NULL;
    if (pull->n_text <= JSON_MAX_NUMBER && text_is_number(pull))
        return PULL_NUMBER;
    if (pull->next_byte == pull->end && pull->n_text <= JSON_MAX_NUMBER)
        return json_pull_set_error_here(pull, "the file ends within a value");
    json_pull_set_error(pull, CONFIG_ERROR_SYNTAX,
                        "this is no number, text, true, false or null");
    return PULL_ERROR;
}
