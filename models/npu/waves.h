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
#ifndef MODELS_NPU_WAVES_H
#define MODELS_NPU_WAVES_H

#include "sim/config/config.h"
#include "sim/core/time.h"

typedef struct {
    uint64_t lone_tile_ppm; /* of the speed of one among others; 50 % or more */
    gboolean is_persistent;
} WaveConfig;

/* The rows of WaveConfig for a field table; @Struct.member is it. */
#define WAVE_FIELDS(Struct, member)                                            \
    { .key = "lone_tile",                                                      \
      .help = "speed of a tile that is alone on its SM, of one among others",  \
      .type = CONFIG_FRACTION,                                                 \
      .offset = offsetof(Struct, member.lone_tile_ppm),                        \
      .min = 500000,                                                           \
      .max = 1000000,                                                          \
      .fallback = "100 %",                                                     \
      .source = "assumed: whole waves" },                                      \
    {                                                                          \
        .key = "persistent_products",                                          \
        .help = "whether a product has a block for each SM of the NPU, which " \
                "stays to its end; false: one for each tile",                  \
        .type = CONFIG_BOOL, .offset = offsetof(Struct, member.is_persistent), \
        .fallback = "false", .source = "assumed: as before Hopper"             \
    }

/* What @n_tiles take on @n_sms SMs with @n_all that the library counts on, at
 * least one of each, if one takes @tile_ps among others. */
SimTime waves_of_tiles_ps(const WaveConfig *config, uint64_t n_all,
                          SimTime tile_ps, uint64_t n_tiles, uint64_t n_sms);

/* What takes @free_ps on @n_sms SMs if it divides freely, likewise.  Tiles
 * beyond 2^40 do not count. */
SimTime waves_ps(const WaveConfig *config, uint64_t n_all, SimTime free_ps,
                 uint64_t n_tiles, uint64_t n_sms);

#endif
