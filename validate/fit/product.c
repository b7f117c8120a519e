#include "validate/fit/product.h"

#include <math.h>

#define OWN_TILE     128 /* validate/gpu/split.h */
#define LEAST_K      512 /* of a part (assumed): less is not worth a launch */
#define RESULT_BYTES 4   /* of a part's sum: FP32, written and read again */

/* assumed, as the library chooses for itself: tiles of tensor cores' kernels in
 * common use, and how many parts k is cut into. */
static const struct {
    uint64_t m, n;
} library_tiles[] = {
    { 256, 128 }, { 128, 256 }, { 128, 128 },
    { 128, 64 },  { 64, 128 },  { 64, 64 },
};

/* Of the largest tiles, whose loss is in the rate. */
static const double least_edges = 1.0 / 256 + 1.0 / 128;

static const uint64_t library_splits[] = { 1, 2, 4, 8, 16 };

static uint64_t ceil_div(uint64_t n, uint64_t by)
{
    return (n + by - 1) / by;
}

static Product cut(const ProductRequest *r, uint64_t tile_m, uint64_t tile_n,
                   uint64_t n_splits)
{
    double k = (double)ceil_div(r->k, n_splits) + r->depth;
    double edges = 1.0 / (double)tile_m + 1.0 / (double)tile_n;
    double loss = r->tile_loss * (edges - least_edges);
    double parts_bytes = 2.0 * RESULT_BYTES * (double)r->m * (double)r->n;

    return (Product){
        .tile_m = tile_m,
        .tile_n = tile_n,
        .n_splits = n_splits,
        .n_tiles = ceil_div(r->m, tile_m) * ceil_div(r->n, tile_n) * n_splits,
        .tile_flop = 2 * (double)(tile_m * tile_n) * k * (1 + loss),
        .more_bytes = n_splits > 1 ? parts_bytes * (double)n_splits : 0,
    };
}

static double time_us(const ProductRequest *r, const Product *product)
{
    double waves = (double)product_waves(product, r->n_sms);

    return waves * product->tile_flop * (double)r->n_all / r->flop_per_us +
           product->more_bytes / r->bytes_per_us;
}

Product product_own(const ProductRequest *request)
{
    ProductRequest known = *request;

    known.tile_loss = 0; /* there is but one size: it is in the rate */
    return cut(&known, OWN_TILE, OWN_TILE, 1);
}

Product product_library(const ProductRequest *request)
{
    Product best = { 0 };
    double least_us = INFINITY;

    for (gsize t = 0; t < G_N_ELEMENTS(library_tiles); t++)
        for (gsize s = 0; s < G_N_ELEMENTS(library_splits); s++) {
            uint64_t n_splits = library_splits[s];
            Product one;

            if (n_splits > 1 && request->k < n_splits * LEAST_K)
                continue;
            one =
                cut(request, library_tiles[t].m, library_tiles[t].n, n_splits);
            if (time_us(request, &one) >= least_us)
                continue;
            least_us = time_us(request, &one);
            best = one;
        }
    return best;
}

uint64_t product_waves(const Product *product, uint64_t n_sms)
{
    return ceil_div(product->n_tiles, n_sms);
}

uint64_t product_waves_of_grid(const Product *product, uint64_t n_counted_on,
                               uint64_t n_sms)
{
    uint64_t n_blocks = MIN(product->n_tiles, n_counted_on);

    return product_waves(product, n_counted_on) * ceil_div(n_blocks, n_sms);
}
