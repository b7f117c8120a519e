/*
 * work_split.h - divides work among blocks and threads: index arithmetic
 * without memory accesses
 *
 * Kernels and tests share this arithmetic.  A test on the CPU walks all threads
 * of a launch and checks that every element is produced exactly once.
 *
 * Units    vectors of 16 bytes, unless a name says
 * otherwise */
#ifndef VALIDATE_GPU_HOST_WORK_SPLIT_H
#define VALIDATE_GPU_HOST_WORK_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "validate/gpu/host/random_operands.h"

/* ---- persistent blocks: one slice per block, adjacent threads in it ------ */

typedef struct {
    uint64_t at, end, step;
} Walk;

/* Returns the first vector of part @part of @n_parts.  The lengths of the parts
 * differ by at most one.  Part @n_parts would begin at @n. */
static inline MEASURE_HD uint64_t slice_begin_of_part(uint64_t n,
                                                      uint32_t n_parts,
                                                      uint32_t part)
{
    uint64_t rest = n % n_parts;

    return n / n_parts * part + (part < rest ? part : rest);
}

/* Returns the vectors that one thread processes in the slice of its block. */
static inline MEASURE_HD Walk strided_walk_of_thread(uint64_t n,
                                                     uint32_t n_blocks,
                                                     uint32_t block,
                                                     uint32_t n_threads,
                                                     uint32_t thread)
{
    Walk walk;

    walk.at = slice_begin_of_part(n, n_blocks, block) + thread;
    walk.end = slice_begin_of_part(n, n_blocks, block + 1);
    walk.step = n_threads;
    return walk;
}

/* Returns whether the next @n_loads vectors, one step apart, are in the
 * slice. */
static inline MEASURE_HD bool strided_walk_has_next(const Walk *walk,
                                                    uint32_t n_loads)
{
    return walk->at + (n_loads - 1) * walk->step < walk->end;
}

static inline MEASURE_HD void strided_walk_advance(Walk *walk, uint32_t n_loads)
{
    walk->at += n_loads * walk->step;
}

/* ---- shared memory: how many blocks fit on an SM ------------------------- */

/* Returns how many bytes a block must request so that no two blocks fit on an
 * SM of @per_sm bytes.  The driver adds @reserved bytes to each request.  The
 * result is a multiple of 128, the allocation unit. */
static inline MEASURE_HD uint64_t
shared_bytes_over_half_of_sm(uint64_t per_sm, uint64_t reserved)
{
    uint64_t bytes = per_sm / 2 < reserved ? 0 : per_sm / 2 - reserved;

    return (bytes / 128 + 1) * 128;
}

/* Returns the part of @per_sm that holds @bytes, in percent, rounded up. */
static inline MEASURE_HD uint32_t shared_carveout_percent(uint64_t per_sm,
                                                          uint64_t bytes)
{
    uint64_t percent = per_sm ? (100 * bytes + per_sm - 1) / per_sm : 0;

    return percent < 100 ? (uint32_t)percent : 100;
}

/* ---- resident partners: chunks are dealt to warps in rotation ------------ */

/* Returns the chunk that a warp processes after @chunk.  @n_warps is at most
 * @n_chunks. */
static inline MEASURE_HD uint32_t next_chunk_of_warp(uint32_t chunk,
                                                     uint32_t n_warps,
                                                     uint32_t n_chunks)
{
    chunk += n_warps;
    return chunk < n_chunks ? chunk : chunk - n_chunks;
}

/* ---- gemm: the tile of a thread block ------------------------------------ */

#define GEMM_TILE_M 128
#define GEMM_TILE_N 128
#define GEMM_TILE_K 64
/* Number of tile rows that form a band.  Blocks process band after band, so a
 * wave of blocks reads about as many rows of A as columns of B, and the L2
 * cache can hold both. */
#define GEMM_BAND_ROWS 8

typedef struct {
    uint32_t row, column;
} GemmTile;

/* Returns @n / @by, rounded up. */
static inline MEASURE_HD uint32_t divide_rounding_up(uint32_t n, uint32_t by)
{
    return (n + by - 1) / by;
}

/* Returns the tile of @block.  The bands are numbered from the top down, each
 * band column by column, and each column from the top down.  The last band may
 * have fewer rows. */
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
