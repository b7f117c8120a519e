/*
 * split.h - which thread does which part: index arithmetic without memory
 *
 * Kernels and tests share it, so that a test on the CPU can walk all threads
 * of a launch and see every element produced exactly once.
 *
 * Units    vectors of 16 bytes, unless a name says otherwise
 */
#ifndef VALIDATE_GPU_HOST_SPLIT_H
#define VALIDATE_GPU_HOST_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "validate/gpu/host/values.h"

/* ---- persistent blocks: a slice a block, threads side by side in it ---- */

typedef struct {
    uint64_t at, end, step;
} Walk;

/* The first of the vectors of part @part of @n_parts; parts differ in length
 * by one at most, and part n_parts begins where all end. */
static inline MEASURE_HD uint64_t split_begin(uint64_t n, uint32_t n_parts,
                                              uint32_t part)
{
    uint64_t rest = n % n_parts;

    return n / n_parts * part + (part < rest ? part : rest);
}

/* The way of one thread through its block's slice. */
static inline MEASURE_HD Walk walk_of(uint64_t n, uint32_t n_blocks,
                                      uint32_t block, uint32_t n_threads,
                                      uint32_t thread)
{
    Walk walk;

    walk.at = split_begin(n, n_blocks, block) + thread;
    walk.end = split_begin(n, n_blocks, block + 1);
    walk.step = n_threads;
    return walk;
}

/* Are @n_loads more vectors, a step apart, inside the slice? */
static inline MEASURE_HD bool walk_has(const Walk *walk, uint32_t n_loads)
{
    return walk->at + (n_loads - 1) * walk->step < walk->end;
}

static inline MEASURE_HD void walk_next(Walk *walk, uint32_t n_loads)
{
    walk->at += n_loads * walk->step;
}

/* ---- shared memory: how many blocks fit on an SM ------------------------ */

/* What a block asks for so that no two fit on an SM of @per_sm bytes, where
 * the driver adds @reserved to each; in steps of 128, as it is dealt. */
static inline MEASURE_HD uint64_t shared_more_than_half(uint64_t per_sm,
                                                        uint64_t reserved)
{
    uint64_t bytes = per_sm / 2 < reserved ? 0 : per_sm / 2 - reserved;

    return (bytes / 128 + 1) * 128;
}

/* The part of @per_sm that holds @bytes, in percent, rounded up. */
static inline MEASURE_HD uint32_t shared_carveout_percent(uint64_t per_sm,
                                                          uint64_t bytes)
{
    uint64_t percent = per_sm ? (100 * bytes + per_sm - 1) / per_sm : 0;

    return percent < 100 ? (uint32_t)percent : 100;
}

/* ---- endless partners: chunks dealt to warps in turn -------------------- */

/* The chunk that a warp does after @chunk.  @n_warps is at most @n_chunks. */
static inline MEASURE_HD uint32_t chunk_after(uint32_t chunk, uint32_t n_warps,
                                              uint32_t n_chunks)
{
    chunk += n_warps;
    return chunk < n_chunks ? chunk : chunk - n_chunks;
}

/* ---- gemm: which tile a block has -------------------------------------- */

#define GEMM_TILE_M 128
#define GEMM_TILE_N 128
#define GEMM_TILE_K 64
/* Tiles of this many tile rows are done together: a wave of blocks then reads
 * about as many rows of A as columns of B, which the L2 cache holds. */
#define GEMM_BAND_ROWS 8

typedef struct {
    uint32_t row, column;
} GemmTile;

static inline MEASURE_HD uint32_t split_ceil(uint32_t n, uint32_t by)
{
    return (n + by - 1) / by;
}

/* Bands from the top down, in a band column by column, in a column from the
 * top down.  The last band may have fewer rows. */
static inline MEASURE_HD GemmTile gemm_tile_of(uint32_t block, uint32_t n_rows,
                                               uint32_t n_columns)
{
    uint32_t band = block / (GEMM_BAND_ROWS * n_columns);
    uint32_t first_row = band * GEMM_BAND_ROWS;
    uint32_t in_band = block - first_row * n_columns;
    uint32_t band_rows = n_rows - first_row < GEMM_BAND_ROWS
                             ? n_rows - first_row
                             : GEMM_BAND_ROWS;
    GemmTile tile;

    tile.row = first_row + in_band % band_rows;
    tile.column = in_band / band_rows;
    return tile;
}

#endif
