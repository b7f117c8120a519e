/*
 * work_split.h - divides work among blocks and threads: index arithmetic
 * without memory accesses
 *
 * Kernels and tests share this arithmetic.  A test on the CPU walks all threads
 * of a launch and checks that every element is produced exactly once.
 *
 * Units    vectors of 16 bytes, unless a name says otherwise
 */
#ifndef VALIDATE_GPU_HOST_WORK_SPLIT_H
#define VALIDATE_GPU_HOST_WORK_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "validate/gpu/host/random_operands.h"

/* ---- persistent blocks: one slice per block, adjacent threads in it ------ */

typedef struct {
    uint64_t at, end;
    uint64_t step;   /* The distance of the vectors of one round. */
    uint64_t stride; /* The distance of two rounds. */
} Walk;

/* Vectors that the 32 threads of a warp move with one instruction: 512 bytes,
 * which are four cache lines of 128 bytes. */
#define WARP_VECTORS 32

/* Returns the first vector of part @part of @n_parts.  Part @n_parts would
 * begin at @n.
 *
 * All parts begin at multiples of WARP_VECTORS.  Each access of a warp then
 * touches four cache lines.  If a part began between two lines, each access
 * would touch five, and its SM would be slower: on an H200, 3 SMs copied
 * 245 GB/s where 2 SMs copied 194 and 4 copied 386.  The lengths of the parts
 * differ by at most WARP_VECTORS, and the last one that is not empty also gets
 * the remainder of fewer vectors. */
static inline MEASURE_HD uint64_t slice_begin_of_part(uint64_t n,
                                                      uint32_t n_parts,
                                                      uint32_t part)
{
    uint64_t n_units = (n + WARP_VECTORS - 1) / WARP_VECTORS;
    uint64_t rest = n_units % n_parts;
    uint64_t begin =
        (n_units / n_parts * part + (part < rest ? part : rest)) * WARP_VECTORS;

    return begin < n ? begin : n;
}

/* The block and the thread for which a walk is made, and their numbers. */
typedef struct {
    uint32_t n_blocks, block, n_threads, thread;
} WalkPlace;

/* Returns the vectors that one thread processes in the slice of its block, in
 * rounds of @n_loads vectors. */
static inline MEASURE_HD Walk slice_walk_of_thread(uint64_t n, WalkPlace place,
                                                   uint32_t n_loads)
{
    Walk walk;

    walk.at =
        slice_begin_of_part(n, place.n_blocks, place.block) + place.thread;
    walk.end = slice_begin_of_part(n, place.n_blocks, place.block + 1);
    walk.step = place.n_threads;
    walk.stride = n_loads * walk.step;
    return walk;
}

/* Returns the vectors that one thread processes if tiles are dealt to the
 * blocks in rotation.  A tile is what a block processes in one round.  Slices
 * of a power of two may all begin at the same memory channel, and tiles in
 * rotation do not. */
static inline MEASURE_HD Walk tile_walk_of_thread(uint64_t n, WalkPlace place,
                                                  uint32_t n_loads)
{
    Walk walk;
    uint64_t tile = (uint64_t)n_loads * place.n_threads;

    walk.at = place.block * tile + place.thread;
    walk.end = n;
    walk.step = place.n_threads;
    walk.stride = place.n_blocks * tile;
    return walk;
}

/* Returns whether all @n_loads vectors of the next round are in the walk.  At
 * most one round is incomplete, and it is the last. */
static inline MEASURE_HD bool strided_walk_has_next(const Walk *walk,
                                                    uint32_t n_loads)
{
    return walk->at + (n_loads - 1) * walk->step < walk->end;
}

static inline MEASURE_HD void strided_walk_advance(Walk *walk)
{
    walk->at += walk->stride;
}

/* ---- shared memory: how many blocks fit on an SM ------------------------- */

/* Returns how many bytes a block must request so that no two blocks fit on an
 * SM of @per_sm bytes.  The driver adds @reserved bytes to each request.  The
 * result is a multiple of 128, the allocation unit. */
static inline MEASURE_HD uint64_t
shared_memory_bytes_above_half_of_sm(uint64_t per_sm, uint64_t reserved)
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
static inline MEASURE_HD GemmTile gemm_tile_of_block(uint32_t block,
                                                     uint32_t n_rows,
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
