/*
 * product.h - how a matrix product is cut into tiles, and what that costs
 *
 * An SM works off one tile at a time, so time goes in waves; tiles at the
 * edges are whole ones; and the start and end of a tile cost as much as some
 * more of the sum over k would.  Our own product has one tile size.  A library
 * takes the tile, and the number of parts that k is split into, that are the
 * fastest on the SMs it counts on; smaller tiles move more operands for a
 * FLOP, and parts of a sum have to be added.
 *
 * Units    results of a tile; FLOP as they count in time
 * Sources  tiles: the usual ones of libraries (assumed); the rest is derived
 */
#ifndef VALIDATE_FIT_PRODUCT_H
#define VALIDATE_FIT_PRODUCT_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t m, n, k;
    double flop_per_us; /* of all SMs, busy with large tiles */
    double depth;       /* of k that a tile's start and end are worth */
    double tile_loss;   /* of tiles m x n: that x (1 / m + 1 / n) more time */
    double bytes_per_us;
    uint64_t n_sms; /* that the product counts on */
    uint64_t n_all; /* SMs that .flop_per_us is of */
} ProductRequest;

typedef struct {
    uint64_t tile_m, tile_n, n_splits;
    uint64_t n_tiles;
    double tile_flop;  /* of one tile, with what it loses */
    double more_bytes; /* for the parts of sums */
} Product;

/* Cut as validate/gpu's own kernel does. */
Product product_own(const ProductRequest *request);
/* The fastest of the cuts that a library may take. */
Product product_library(const ProductRequest *request);

/* Tiles that an SM does one after the other when there are @n_sms of them; and
 * when a grid made for @n_counted_on SMs, which stays on its SMs to the end,
 * finds @n_sms only. */
uint64_t product_waves(const Product *product, uint64_t n_sms);
uint64_t product_waves_of_grid(const Product *product, uint64_t n_counted_on,
                               uint64_t n_sms);

#endif
