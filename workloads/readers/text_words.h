/*
 * text_words.h - words of a text file, separated by blanks, with their
 * positions
 *
 * The text is read on demand.  A NUL byte is an ordinary character.
 *
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong"
 * Owner    words are borrowed until the next call
 */
#ifndef WORKLOADS_READERS_TEXT_WORDS_H
#define WORKLOADS_READERS_TEXT_WORDS_H

#include "sim/core/byte_source.h"

#define READ_MAX_WORD 4096 /* largest word in bytes; a longer word is split */

/* The words of a text file.  Initialise as ReadWords{ source, .line = 1,
 * .column = 1 }. */
typedef struct {
    Source *source;
    guint line, column; /* position of the next character, from 1 */
} ReadWords;

typedef struct {
    const char *text; /* text of the word, not terminated by NUL */
    gsize n_bytes;
    guint line, column;
} ReadWord;

/* Read the next word of the text, or of the current line.  Return FALSE if
 * there is none; @ret then has the position and no bytes. */
gboolean reader_next_word(ReadWords *words, ReadWord *ret);
gboolean reader_next_word_in_line(ReadWords *words, ReadWord *ret);

gboolean reader_word_equals(const ReadWord *word, const char *text);
/* Returns @word in quotes, for messages.  The caller owns the text. */
char *reader_word_in_quotes(const ReadWord *word);
/* Returns the index of @word in @names (which ends with NULL), or -1. */
int reader_word_index(const ReadWord *word, const char *const *names);
void reader_set_word_error(GError **error, const ReadWords *words,
                           const ReadWord *where, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* Sets @ret to @word as a number.  Returns FALSE if it is not a whole number of
 * at most @most. */
gboolean reader_word_as_number(const ReadWord *word, uint64_t most,
                               uint64_t *ret);
/* Reads the next word, which must be a number.  @what names the number in
 * messages. */
G_GNUC_WARN_UNUSED_RESULT
gboolean reader_next_number(ReadWords *words, const char *what, uint64_t most,
                            uint64_t *ret, GError **error);

#endif
