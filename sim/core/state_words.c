/*
 * state_words.c - an array of 64-bit words that records a state; see
 * state_walk.h
 */
#include "sim/core/state_words.h"

#include <string.h>

#define LEAST_ROOM 256

void state_words_reserve(StateWords *words, gsize n_more)
{
    if (words->n + n_more <= words->capacity)
        return;
    words->capacity =
        MAX(2 * words->capacity, MAX(words->n + n_more, LEAST_ROOM));
    words->words = g_renew(uint64_t, words->words, words->capacity);
}

void state_words_append(StateWords *words, gconstpointer from, gsize n)
{
    if (n == 0)
        return;
    state_words_reserve(words, n);
    memcpy(words->words + words->n, from, n * sizeof *words->words);
    words->n += n;
}

void state_words_clear(StateWords *words)
{
    g_free(words->words);
    *words = (StateWords){ 0 };
}

gboolean state_words_are_same(const StateWords *a, const StateWords *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->words, b->words,
                                                a->n * sizeof *a->words) == 0);
}
