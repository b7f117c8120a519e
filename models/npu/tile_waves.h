/*
 * tile_waves.h - time of the tiles of a product that SMs process in waves
 *
 * With t tiles on s SMs, the busiest SM has ceil(t / s) tiles.  A tile that is
 * alone on its SM cannot hide its waits behind another tile.  It runs at the
 * fraction `lone` of the speed of a tile among others.  In units of the time of
 * a tile among others,
 *
 *     waves(t, s) = max(ceil(t / s), 1 / lone)
 *
 * So a product that fills a wave exactly loses less than half of its speed if
 * one SM is taken away.
 *
 * With persistent blocks, a library starts one block on each of the S SMs of
 * the NPU, b = min(t, S) blocks, each of which processes ceil(t / b) tiles.
 * Blocks that find no SM wait until others end:
 *
 *     waves(t, s) = max(ceil(b / s) x ceil(t / b), 1 / lone)
 *
 * Leaves out  clocks that rise when SMs are idle; `lone` can approximate this
 * Units       ps
 * Rounding    up to a whole ps
 * Sources     derived above
 */
#ifndef MODELS_NPU_TILE_WAVES_H
#define MODELS_NPU_TILE_WAVES_H

#include "sim/config/config.h"
#include "sim/core/time.h"

typedef struct {
    /* The speed of a tile that is alone on its SM, relative to one among
     * others; at least 50 %. */
    uint64_t lone_tile_ppm;
    gboolean is_persistent;
} WaveConfig;

/* The rows of a field table for the WaveConfig in @Struct.member. */
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

/* Returns the time of @n_tiles on @n_sms SMs of an NPU with @n_all, all at
 * least 1. A tile takes @tile_ps if it is among others. */
SimTime waves_time_of_tiles_ps(const WaveConfig *config, uint64_t n_all,
                               SimTime tile_ps, uint64_t n_tiles,
                               uint64_t n_sms);

/* Returns the time in waves of a product that would take @free_ps on @n_sms SMs
 * if it divided freely.  Tiles beyond 2^40 are ignored. */
SimTime waves_time_of_product_ps(const WaveConfig *config, uint64_t n_all,
                                 SimTime free_ps, uint64_t n_tiles,
                                 uint64_t n_sms);

#endif
