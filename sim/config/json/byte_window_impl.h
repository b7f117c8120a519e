/*
 * byte_window_impl.h - state of the pull parser; private to json/
 *
 * .next_byte advances through the window of bytes that source_peek() returned.
 * If .keep is set, the bytes from .keep on stay in the window when more bytes
 * are requested, so that a text is contiguous.
 */
#ifndef SIM_CONFIG_JSON_BYTE_WINDOW_IMPL_H
#define SIM_CONFIG_JSON_BYTE_WINDOW_IMPL_H

#include "sim/config/json/pull_parser.h"

struct JsonPull {
    Source *source; /* borrowed: the source of the bytes */
    const uint8_t *begin, *next_byte, *end;
    /* First byte that must stay in the window; NULL: bytes before .next_byte
     * are not needed. */
    const uint8_t *keep;
    uint64_t line, line_at;
    PullToken token;
    uint64_t token_line, token_column;
    /* Text of the last token; borrowed from the window or from .plain. */
    const char *text;
    gsize n_text;
    GString *plain; /* owned: a text without its escapes */
    /* First half of a surrogate pair that waits for the second half, or 0. */
    gunichar high;
    guint depth;
    uint64_t objects; /* bit d: the container at depth d is an object */
    /* The open container has an item, or the outermost value was read. */
    gboolean has_before;
    gboolean has_key;     /* the colon and the value of a key must follow */
    gboolean after_comma; /* the last byte before .next_byte, without blanks */
    gboolean is_strict;   /* see json_pull_set_strict() */
    GError *error;        /* owned */
    /* .error without its position, owned, and the position. */
    char *error_text;
    uint64_t error_line, error_column;
};

/* Classes of bytes in a JSON file, as bits. */
enum {
    /* The byte ends a run of plain text: quote, escape, control character. */
    OF_TEXT = 1 << 0,
    OF_SKIP = 1 << 1,  /* the byte matters in skipped values */
    OF_BLANK = 1 << 2, /* the byte may stand between tokens */
    /* The byte can be part of numbers, true, NaN and similar words. */
    OF_WORD = 1 << 3,
};

extern const uint8_t pull_classes[256];

/* Sets an error at the current position .next_byte, unless there is an error
 * already. */
PullToken json_pull_set_error_here(JsonPull *pull, const char *text);
/* Reads more bytes into the window; returns FALSE at the end of the file. */
gboolean json_pull_extend_window(JsonPull *pull);
/* Skips blanks; returns FALSE at the end of the file. */
gboolean json_pull_skip_blanks(JsonPull *pull);
/* Sets .token_line and .token_column to the current position. */
void json_pull_mark_token_position(JsonPull *pull);
/* Skips the line end at .next_byte. */
void json_pull_skip_line_end(JsonPull *pull);
/* Opens an object or array; returns FALSE and fails if it is too deep. */
gboolean json_pull_open_container(JsonPull *pull, gboolean is_object);
/* Closes the object or array; returns FALSE and fails if .next_byte closes the
 * other kind. */
gboolean json_pull_close_container(JsonPull *pull);
/* Reads the text from the quote at .next_byte to after its closing quote. */
PullToken json_pull_read_text(JsonPull *pull, PullToken token);
PullToken json_pull_read_word(JsonPull *pull);
/* Sets an error about the byte at .next_byte, which begins no token: what is
 * wrong with a byte that other languages allow here, else @due. */
PullToken json_pull_report_wrong_byte(JsonPull *pull, const char *due);

static inline gboolean json_pull_has_more_bytes(JsonPull *pull)
{
    return pull->next_byte < pull->end || json_pull_extend_window(pull);
}

/* Advances .next_byte to the first byte of @class or the window's end. */
static inline void json_pull_advance_to_class(JsonPull *pull, uint8_t class)
{
    const uint8_t *at = pull->next_byte, *end = pull->end;

    while (at < end && !(pull_classes[*at] & class))
        at++;
    pull->next_byte = at;
}

#endif
