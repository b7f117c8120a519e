/* tile_waves.c - the time of a product by the number of tiles on the
 * busiest SM */
#include "models/npu/tile_waves.h"

#include "sim/core/integer_math.h"

#define PPM UINT64_C(1000000)

/* The maximum number of tiles that is considered, so that products do not
 * overflow.  With that many tiles, one wave more or less is negligible. */
#define MANY_TILES (UINT64_C(1) << 40)

/* Returns the tiles that the busiest of @n_sms SMs processes. */
static uint64_t max_tiles_per_sm(const WaveConfig *config, uint64_t n_all,
                                 uint64_t n_tiles, uint64_t n_sms)
{
    uint64_t n_blocks = config->is_persistent ? MIN(n_tiles, n_all) : n_tiles;

    g_assert(n_tiles > 0 && n_sms > 0 && n_all > 0);
    g_assert(config->lone_tile_ppm >= PPM / 2 && config->lone_tile_ppm <= PPM);
    return divide_rounding_up(n_blocks, n_sms) *
           divide_rounding_up(n_tiles, n_blocks);
}

SimTime waves_time_of_tiles_ps(const WaveConfig *config, uint64_t n_all,
                               SimTime tile_ps, uint64_t n_tiles,
                               uint64_t n_sms)
{
    uint64_t n_waves = max_tiles_per_sm(config, n_all, n_tiles, n_sms);

    return n_waves == 1 ? sim_time_scaled(tile_ps, PPM, config->lone_tile_ppm)
                        : sim_time_scaled(tile_ps, n_waves, 1);
}

/* Returns the time of a product of t tiles with wave quantisation.  @free_ps is
 * its time on @n_sms SMs if the work were divided evenly.  One tile on one SM
 * then takes @free_ps x @n_sms / t. */
SimTime waves_time_of_product_ps(const WaveConfig *config, uint64_t n_all,
                                 SimTime free_ps, uint64_t n_tiles,
                                 uint64_t n_sms)
{
    uint64_t t = MIN(n_tiles, MANY_TILES);
    uint64_t n_waves = max_tiles_per_sm(config, n_all, t, n_sms);

    if (n_waves == 1)
        return sim_time_scaled(free_ps, n_sms * PPM, t * config->lone_tile_ppm);
    return sim_time_scaled(free_ps, n_waves * n_sms, t);
}
