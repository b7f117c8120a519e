/*
 * read_words.h - for readers/ of texts: words between blanks, with their places
 *
 * The text is read as it is asked for.  A NUL is no blank, and no end.
 *
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong"
 * Owner    words are borrowed until the next one is asked for
 */
#ifndef WORKLOADS_READERS_READ_WORDS_H
#define WORKLOADS_READERS_READ_WORDS_H

#include "workloads/readers/source.h"

#define READ_MAX_WORD 4096 /* bytes; a longer one is cut into several */

/* Begin with ReadWords{ source, .line = 1, .column = 1 }. */
typedef struct {
    Source *source;
    guint line, column; /* counted from 1; of what comes next */
} ReadWords;

typedef struct {
    const char *text; /* no NUL behind it */
    gsize n_bytes;
    guint line, column;
} ReadWord;

/* FALSE: there is none, in the rest of the text or of its line; *@ret has the
 * place then, and no bytes. */
gboolean read_word(ReadWords *words, ReadWord *ret);
gboolean read_word_in_line(ReadWords *words, ReadWord *ret);

gboolean read_word_is(const ReadWord *word, const char *text);
/* In quotes, for messages.  Owner: the caller. */
char *read_word_quote(const ReadWord *word);
/* Those of @names (ends with NULL) that @word is; -1: none. */
int read_word_which(const ReadWord *word, const char *const *names);
void read_word_fail(GError **error, const ReadWords *words,
                    const ReadWord *where, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* All of @word is a whole number of at most @most. */
gboolean read_word_number(const ReadWord *word, uint64_t most, uint64_t *ret);
/* The next word, which has to be one.  @what says which, in messages. */
G_GNUC_WARN_UNUSED_RESULT
gboolean read_number(ReadWords *words, const char *what, uint64_t most,
                     uint64_t *ret, GError **error);

#endif
