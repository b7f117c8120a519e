/*
 * random_draw.h - random numbers for one proposal of a search
 *
 * The numbers come from the stream of a seed, indexed by the round and the
 * place in it.  So they depend neither on what other proposals drew nor on the
 * order in which proposals are made.
 */
#ifndef SIM_STUDY_OPTIMISE_RANDOM_DRAW_H
#define SIM_STUDY_OPTIMISE_RANDOM_DRAW_H

#include "sim/core/rng.h"

typedef struct {
    RngStream stream;
    uint64_t round, place, n; /* numbers drawn so far */
} RandomDraw;

/* Returns the next 64 random bits of @draw. */
static inline uint64_t draw_random_bits(RandomDraw *draw)
{
    return rng_value_at_indices(draw->stream, draw->round, draw->place,
                                draw->n++);
}

/* Returns a number from 0 to @n - 1; @n is at least 1. */
static inline guint draw_integer_below(RandomDraw *draw, guint n)
{
    g_assert(n > 0);
    return (guint)(draw_random_bits(draw) % n);
}

/* Returns a number from 0 up to, but not including, 1. */
static inline double draw_unit_fraction(RandomDraw *draw)
{
    return (double)(draw_random_bits(draw) >> 11) / (double)(UINT64_C(1) << 53);
}

#endif
