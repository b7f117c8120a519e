/*
 * word_suggestions.h - quotes and hints for messages, and the nearest of a list
 * of names
 *
 * A quoted text may come from an untrusted file, so control characters are
 * escaped before they reach a terminal.
 *
 * Owner    the caller owns the texts; names are borrowed
 */
#ifndef SIM_CORE_WORD_SUGGESTIONS_H
#define SIM_CORE_WORD_SUGGESTIONS_H

#include <glib.h>

/* Returns @text in quotes for a message, shortened if it is long, with control
 * characters escaped. */
G_GNUC_WARN_UNUSED_RESULT
char *words_quote_text(const char *text);

/* Returns the entry of @names (ends with NULL) that is nearest to @word, or
 * NULL if none is near enough to be a typo of it. */
const char *words_find_nearest(const char *word, const char *const *names);

/* Returns "; did you mean 'NEAREST'?", or else "; @known: NAMES". */
G_GNUC_WARN_UNUSED_RESULT
char *words_suggestion_hint(const char *word, const char *const *names,
                            const char *known);

#endif
