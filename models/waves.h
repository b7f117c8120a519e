/*
 * waves.h - tiles of a product, worked off by SMs in waves
 *
 * Of t tiles on s SMs the busiest SM has ceil(t / s).  A tile that is alone
 * there has no other to hide its waits behind, and takes 1 / lone of the time
 * that one takes among others.  In such times
 *
 *     waves(t, s) = max(ceil(t / s), 1 / lone)
 *
 * so that what fills a wave exactly loses less than half of its speed to the
 * first SM that is taken from it.  A library whose blocks are persistent starts
 * one on each of the S SMs that it counts on, b = min(t, S), which each work
 * off ceil(t / b) tiles; blocks that find no SM wait for others to end:
 *
 *     waves(t, s) = max(ceil(b / s) x ceil(t / b), 1 / lone)
 *
 * Leaves out clocks that rise as SMs fall idle, which `lone` may stand for
 * Units    ps
 * Rounding up to a whole ps
 * Sources  derived above
 */
#ifndef MODELS_WAVES_H
#define MODELS_WAVES_H

#include "sim/core/time.h"

typedef struct {
    uint64_t n_sms;         /* S */
    uint64_t lone_tile_ppm; /* of the speed of one among others; 50 % or more */
    gboolean is_persistent;
} WaveConfig;

/* What takes @free_ps on @n_sms SMs if it divides freely, as @n_tiles tiles;
 * there are at least one tile and one SM. */
SimTime waves_ps(const WaveConfig *config, SimTime free_ps, uint64_t n_tiles,
                 uint64_t n_sms);

#endif
