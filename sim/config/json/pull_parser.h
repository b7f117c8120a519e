/*
 * pull_parser.h - a pull parser of JSON in bounded memory
 *
 * The caller requests one token after the other; the parser keeps nothing.  The
 * following loop reads an object by a table of its keys:
 *
 *     static const JsonName names[] = { JSON_NAME("ts"), JSON_NAME("dur"),
 *                                       JSON_NAMES_END };
 *
 *     while (json_pull_next_key(pull, names, &key))
 *         if (json_pull_next_scalar(pull) == PULL_NUMBER) ...
 *
 * In skipped values, the parser checks only quotes, brackets and line ends.
 * NaN and infinities, which PyTorch writes, are numbers without a value.
 * json_pull_set_strict() refuses such extensions of RFC 8259.
 *
 * Range    objects and arrays are nested at most JSON_MAX_DEPTH deep; a text
 *          that is not skipped has at most JSON_MAX_TEXT bytes, a number
 *          JSON_MAX_NUMBER
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong", and those of the
 *          source.  After the first error, every token is PULL_ERROR.
 * Owner    the caller owns the parser and the source, which must outlive it
 */
#ifndef SIM_CONFIG_JSON_PULL_PARSER_H
#define SIM_CONFIG_JSON_PULL_PARSER_H

#include "sim/config/config_error.h"
#include "sim/core/byte_source.h"

#define JSON_MAX_DEPTH  64
#define JSON_MAX_TEXT   (1 << 20)
#define JSON_MAX_NUMBER 64

typedef struct JsonPull JsonPull;

typedef enum {
    PULL_END, /* the end, after the outermost value */
    PULL_ERROR,
    PULL_OBJECT,
    PULL_OBJECT_END,
    PULL_ARRAY,
    PULL_ARRAY_END,
    PULL_KEY, /* a key of an object; its value is the next token */
    PULL_STRING,
    PULL_NUMBER,
    PULL_TRUE,
    PULL_FALSE,
    PULL_NULL,
} PullToken;

/* Returns a parser that starts at the current position of @source. */
JsonPull *json_pull_new(Source *source);
void json_pull_free(JsonPull *pull);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JsonPull, json_pull_free)

/* Refuses what other programs write and RFC 8259 does not allow: NaN, infinity,
 * numbers with leading zeros, and true, false and null in capitals. */
void json_pull_set_strict(JsonPull *pull);

PullToken json_pull_next_token(JsonPull *pull);
/* Returns the last result of json_pull_next_token(). */
PullToken json_pull_token(const JsonPull *pull);
/* Returns the text of a key or string without escapes, of a number, or of true,
 * false or null.  It is not terminated by NUL, may contain NUL, and need not be
 * UTF-8. It is borrowed until the next token. */
const char *json_pull_text(const JsonPull *pull, gsize *ret_n);
gboolean json_pull_text_is(const JsonPull *pull, const char *text);

/* ---- navigation -------------------------------------------------------- */

/* Skips the value of the last token: after a key its value, after the start of
 * an object or array its remainder, else nothing. */
void json_pull_skip_value(JsonPull *pull);
/* Skips the remainder of the innermost open object or array and its end. */
void json_pull_leave_container(JsonPull *pull);

typedef struct {
    const char *name;
    gsize n_bytes;
} JsonName;

#define JSON_NAME(text)                                                        \
    {                                                                          \
        (text), sizeof(text) - 1                                               \
    }
#define JSON_NAMES_END                                                         \
    {                                                                          \
        NULL, 0                                                                \
    }

/* Advances to the next key of the object that is one of @names, and skips the
 * values of other keys.  The next token is its value.  Returns FALSE at the end
 * of the object or on an error. */
gboolean json_pull_next_key(JsonPull *pull, const JsonName *names, guint *ret);
/* Advances to the first token of the next array item.  Returns FALSE at the end
 * of the array or on an error. */
gboolean json_pull_next_item(JsonPull *pull);
/* Reads the next value.  Skips it if it is an object or an array. */
PullToken json_pull_next_scalar(JsonPull *pull);
/* Enters the next value, an object or array.  Returns FALSE and skips the value
 * if it is not a @token, or on an error. */
gboolean json_pull_enter_container(JsonPull *pull, PullToken token);

/* ---- values of the last token ------------------------------------------ */

/* Set @ret to the number in the last token.  Return FALSE if the token is not a
 * number, has no value, or does not fit.  Fractions are rounded to the nearest
 * whole number, halves away from 0. */
gboolean json_pull_u64(const JsonPull *pull, uint64_t *ret);
gboolean json_pull_i64(const JsonPull *pull, int64_t *ret);
/* Sets @ret to the number times @scale, exactly: "1694128201429795.422" us with
 * a scale of 1000000 are ps.  Numbers of 10^27 and more do not fit. */
gboolean json_pull_scaled_decimal(const JsonPull *pull, uint64_t scale,
                                  __int128 *ret);
/* Converts a number in any text, like json_pull_scaled_decimal(). */
gboolean json_pull_scale_text(const char *text, gsize n_bytes, uint64_t scale,
                              __int128 *ret);

/* ---- positions and errors ---------------------------------------------- */

/* Returns the line of the last token, from 1. */
uint64_t json_pull_token_line(const JsonPull *pull);
/* Returns the column of the last token in bytes, from 1. */
uint64_t json_pull_token_column(const JsonPull *pull);

/* Sets an error at the position of the last token, unless there is an error
 * already. */
void json_pull_set_error(JsonPull *pull, ConfigErrorCode code,
                         const char *format, ...) G_GNUC_PRINTF(3, 4);
gboolean json_pull_has_error(const JsonPull *pull);
/* Returns what was wrong, without the file and the position, which it sets; the
 * column is in bytes.  Returns NULL if there was no error in the text. */
const char *json_pull_syntax_error(const JsonPull *pull, uint64_t *ret_line,
                                   uint64_t *ret_column);
/* Returns FALSE and sets @error if there was an error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean json_pull_report_error(const JsonPull *pull, GError **error);

#endif
