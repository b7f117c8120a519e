/*
 * steady_words.h - words that are written down of a state: see steady.h
 *
 * A look at a state is hardly more than this, and GArray takes five times the
 * instructions.
 *
 * Owner    the caller clears it; zeros are none
 */
#ifndef SIM_CORE_STEADY_WORDS_H
#define SIM_CORE_STEADY_WORDS_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t *at; /* owned */
    gsize n, room;
} SteadyWords;

/* For @n_more, at least. */
void steady_words_make_room(SteadyWords *words, gsize n_more);
/* @n words that lie @from there on. */
void steady_words_append(SteadyWords *words, gconstpointer from, gsize n);
/* They are none then. */
void steady_words_clear(SteadyWords *words);
gboolean steady_words_are_same(const SteadyWords *a, const SteadyWords *b);

static inline void steady_words_add(SteadyWords *words, uint64_t word)
{
    if (G_UNLIKELY(words->n == words->room))
        steady_words_make_room(words, 1);
    words->at[words->n++] = word;
}

#endif
