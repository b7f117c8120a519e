/*
 * steady_words.c - an array of 64-bit words that records a state; see
 * state_walk.h; see steady_words.h
 */
#include "sim/core/steady_words.h"

#include <string.h>

#define LEAST_ROOM 256

void steady_words_reserve(SteadyWords *words, gsize n_more)
{
    if (words->n + n_more <= words->capacity)
        return;
    words->capacity =
        MAX(2 * words->capacity, MAX(words->n + n_more, LEAST_ROOM));
    words->words = g_renew(uint64_t, words->words, words->capacity);
}

void steady_words_append(SteadyWords *words, gconstpointer from, gsize n)
{
    if (n == 0)
        return;
    steady_words_reserve(words, n);
    memcpy(words->words + words->n, from, n * sizeof *words->words);
    words->n += n;
}

void steady_words_clear(SteadyWords *words)
{
    g_free(words->words);
    *words = (SteadyWords){ 0 };
}

gboolean steady_words_are_same(const SteadyWords *a, const SteadyWords *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->words, b->words,
                                                a->n * sizeof *a->words) == 0);
}
