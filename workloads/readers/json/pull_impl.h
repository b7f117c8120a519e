/*
 * pull_impl.h - for json/ only: what a pull reader is made of
 *
 * .at runs through the window that source_look() gave.  What stands from .keep
 * on stays when more is looked at, so that a text is always in one piece.
 */
#ifndef WORKLOADS_READERS_JSON_PULL_IMPL_H
#define WORKLOADS_READERS_JSON_PULL_IMPL_H

#include "workloads/readers/json/pull.h"

struct JsonPull {
    Source *source; /* borrowed */
    const uint8_t *begin, *at, *end;
    const uint8_t *keep; /* NULL: nothing before .at */
    uint64_t line, line_at;
    PullToken token;
    uint64_t token_line, token_column;
    const char *text; /* of the token; borrowed from the window or .plain */
    gsize n_text;
    GString *plain; /* owned; a text without its escapes */
    gunichar high;  /* half a character, of which the other half may come */
    guint depth;
    uint64_t objects;    /* bit d: what is open at depth d is an object */
    gboolean has_before; /* an item in what is open, or the outermost value */
    gboolean has_key;    /* its colon and value are due */
    GError *error;       /* owned */
};

/* Bytes at which a scan stops. */
enum {
    OF_TEXT = 1 << 0,  /* ends a run of plain text: quote, escape, control */
    OF_SKIP = 1 << 1,  /* matters to what is skipped */
    OF_BLANK = 1 << 2, /* stands between tokens */
    OF_WORD = 1 << 3,  /* of numbers, true, NaN and the like */
};

extern const uint8_t pull_classes[256];

/* An error at .at, unless there is one. */
PullToken pull_fail_here(JsonPull *pull, const char *text);
/* Looks further; FALSE: there is no more. */
gboolean pull_more(JsonPull *pull);
/* FALSE: nothing stands behind them. */
gboolean pull_pass_blanks(JsonPull *pull);
/* To what .token_line and .token_column say. */
void pull_mark(JsonPull *pull);
/* .at is at the line end, and then behind it. */
void pull_pass_line(JsonPull *pull);
/* FALSE: it is too deep, an error. */
gboolean pull_open(JsonPull *pull, gboolean is_object);
/* FALSE: .at closes another kind than what is open, an error. */
gboolean pull_close(JsonPull *pull);
/* .at is at the quote, and then behind the other. */
PullToken pull_read_text(JsonPull *pull, PullToken token);
PullToken pull_read_word(JsonPull *pull);

static inline gboolean pull_has_byte(JsonPull *pull)
{
    return pull->at < pull->end || pull_more(pull);
}

/* To the first byte of @class in the window, or its end. */
static inline void pull_run_to(JsonPull *pull, uint8_t class)
{
    const uint8_t *at = pull->at, *end = pull->end;

    while (at < end && !(pull_classes[*at] & class))
        at++;
    pull->at = at;
}

#endif
