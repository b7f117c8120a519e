/*
 * steady_words.h - an array of 64-bit words that records a state; see
 * state_walk.h
 *
 * Recording a state is little else than appending words, and GArray needs five
 * times as many instructions.
 *
 * Owner    the caller clears it; all zeros is an empty array
 */
#ifndef SIM_CORE_STEADY_WORDS_H
#define SIM_CORE_STEADY_WORDS_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t *words; /* owned */
    gsize n, capacity;
} SteadyWords;

/* Reserves space for at least @n_more words. */
void steady_words_reserve(SteadyWords *words, gsize n_more);
/* Appends @n words from @from. */
void steady_words_append(SteadyWords *words, gconstpointer from, gsize n);
/* Frees the memory and empties the array. */
void steady_words_clear(SteadyWords *words);
gboolean steady_words_are_same(const SteadyWords *a, const SteadyWords *b);

static inline void steady_words_add(SteadyWords *words, uint64_t word)
{
    if (G_UNLIKELY(words->n == words->capacity))
        steady_words_reserve(words, 1);
    words->words[words->n++] = word;
}

#endif
