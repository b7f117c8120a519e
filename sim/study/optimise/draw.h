/*
 * draw.h - numbers for one proposal of a search
 *
 * Of a seed's stream, by the round and the place in it: what is drawn for one
 * proposal does not hang on what others drew, or on when.
 */
#ifndef SIM_STUDY_OPTIMISE_DRAW_H
#define SIM_STUDY_OPTIMISE_DRAW_H

#include "sim/core/rng.h"

typedef struct {
    RngStream stream;
    uint64_t round, place, n; /* drawn so far */
} Draw;

static inline uint64_t draw_bits(Draw *draw)
{
    return rng_at(draw->stream, draw->round, draw->place, draw->n++);
}

/* From 0 to @n - 1; @n is at least 1. */
static inline guint draw_below(Draw *draw, guint n)
{
    return (guint)(draw_bits(draw) % n);
}

/* From 0 to 1, which it is not. */
static inline double draw_share(Draw *draw)
{
    return (double)(draw_bits(draw) >> 11) / (double)(UINT64_C(1) << 53);
}

#endif
