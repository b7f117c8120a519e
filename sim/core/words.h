/*
 * words.h - words that messages are made of: quotes, hints, the nearest name
 *
 * What is quoted may be anybody's text: nothing of it moves a terminal.
 *
 * Owner    texts are the caller's, names are borrowed
 */
#ifndef SIM_CORE_WORDS_H
#define SIM_CORE_WORDS_H

#include <glib.h>

/* @text in quotes for a message: cut when it is long, control characters
 * escaped. */
G_GNUC_WARN_UNUSED_RESULT
char *words_quote(const char *text);

/* The entry of @names (ends with NULL) that is nearest to @word, or NULL when
 * none is near enough to be what was meant. */
const char *words_nearest(const char *word, const char *const *names);

/* "; did you mean 'NEAREST'?", else "; @known: NAMES". */
G_GNUC_WARN_UNUSED_RESULT
char *words_hint(const char *word, const char *const *names, const char *known);

#endif
