/*
 * state_words.h - an array of 64-bit words that records a state; see
 * state_walk.h
 *
 * Recording a state is little else than appending words, and GArray needs five
 * times as many instructions.
 *
 * Owner    the caller clears it; all zeros is an empty array
 */
#ifndef SIM_CORE_STATE_WORDS_H
#define SIM_CORE_STATE_WORDS_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t *words; /* owned */
    gsize n, capacity;
} StateWords;

/* Reserves space for at least @n_more words. */
void state_words_reserve(StateWords *words, gsize n_more);
/* Appends @n words from @from. */
void state_words_append(StateWords *words, gconstpointer from, gsize n);
/* Frees the memory and empties the array. */
void state_words_clear(StateWords *words);
gboolean state_words_are_same(const StateWords *a, const StateWords *b);

static inline void state_words_add(StateWords *words, uint64_t word)
{
    if (G_UNLIKELY(words->n == words->capacity))
        state_words_reserve(words, 1);
    words->words[words->n++] = word;
}

#endif
