/*
 * pull.h - JSON as tokens, one after the other, in bounded memory
 *
 * The reader asks for what comes next; nothing is kept.  A walk of an object by
 * a table of its keys:
 *
 *     static const JsonName names[] = { JSON_NAME("ts"), JSON_NAME("dur"),
 *                                       JSON_NAMES_END };
 *
 *     while (pull_key(pull, names, &key))
 *         if (pull_scalar(pull) == PULL_NUMBER) ...
 *
 * What is skipped is looked at for quotes, brackets and line ends only.  NaN
 * and infinities, which PyTorch writes, are numbers without a value.
 *
 * Range    objects and arrays are nested JSON_MAX_DEPTH deep at most, a text
 *          that is not skipped has JSON_MAX_TEXT bytes, a number
 *          JSON_MAX_NUMBER
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong"; those of the
 *          source.  The first stays: every token is PULL_ERROR then
 * Owner    the caller owns it, and the source, which must outlive it
 */
#ifndef WORKLOADS_READERS_JSON_PULL_H
#define WORKLOADS_READERS_JSON_PULL_H

#include "sim/config/config_error.h"
#include "workloads/readers/source.h"

#define JSON_MAX_DEPTH  64
#define JSON_MAX_TEXT   (1 << 20)
#define JSON_MAX_NUMBER 64

typedef struct JsonPull JsonPull;

typedef enum {
    PULL_END, /* behind the outermost value */
    PULL_ERROR,
    PULL_OBJECT,
    PULL_OBJECT_END,
    PULL_ARRAY,
    PULL_ARRAY_END,
    PULL_KEY, /* of an object; what comes next is its value */
    PULL_STRING,
    PULL_NUMBER,
    PULL_TRUE,
    PULL_FALSE,
    PULL_NULL,
} PullToken;

/* Begins where the source is. */
JsonPull *json_pull_new(Source *source);
void json_pull_free(JsonPull *pull);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JsonPull, json_pull_free)

PullToken pull_next(JsonPull *pull);
/* What pull_next() gave last. */
PullToken pull_token(const JsonPull *pull);
/* Of a key or string, without its escapes, or of a number.  No NUL stands
 * behind it, one may stand within; it need not be UTF-8.  Borrowed until the
 * next token. */
const char *pull_text(const JsonPull *pull, gsize *ret_n);
gboolean pull_is(const JsonPull *pull, const char *text);

/* ---- ways through ------------------------------------------------------ */

/* Goes past what the last token began: the value of a key, the rest of an
 * object or array; of any other there is nothing left. */
void pull_skip(JsonPull *pull);
/* Goes past the rest of the object or array that it is in, and its end. */
void pull_leave(JsonPull *pull);

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

/* To the next key of the object that is one of @names, past the values of
 * others; its value comes next.  FALSE: the object has ended, or an error. */
gboolean pull_key(JsonPull *pull, const JsonName *names, guint *ret);
/* To the next item of the array, whose first token has been taken then.
 * FALSE: the array has ended, or an error. */
gboolean pull_item(JsonPull *pull);
/* The value that comes next, which is gone past if it is an object or array. */
PullToken pull_scalar(JsonPull *pull);
/* Into the object or array that comes next.  FALSE: it is no @token; it has
 * been gone past, or an error. */
gboolean pull_enter(JsonPull *pull, PullToken token);

/* ---- values of the last token ------------------------------------------ */

/* FALSE: it is no number, has no value, or does not fit.  A fraction is
 * rounded to the nearest, half away from 0. */
gboolean pull_u64(const JsonPull *pull, uint64_t *ret);
gboolean pull_i64(const JsonPull *pull, int64_t *ret);
/* Times @scale, exactly: of "1694128201429795.422" us in ps by 1000000.  Does
 * not fit: 10^27 and more. */
gboolean pull_scaled(const JsonPull *pull, uint64_t scale, __int128 *ret);
/* The same of any text. */
gboolean pull_scale_text(const char *text, gsize n_bytes, uint64_t scale,
                         __int128 *ret);

/* ---- places and errors ------------------------------------------------- */

/* Of the last token, counted from 1. */
uint64_t pull_line(const JsonPull *pull);

/* An error at the last token, unless there is one already. */
void pull_fail(JsonPull *pull, ConfigErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
gboolean pull_failed(const JsonPull *pull);
/* FALSE with @error set: there was an error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean pull_finish(const JsonPull *pull, GError **error);

#endif
