/*
 * point_blocks.h - distributes the points of a sweep over several processes
 *
 * The points are cut into blocks of equal length, in the same way by every
 * worker.  The state of a block is shown by claims in a folder that all workers
 * see:
 *
 *   BLOCK.GENERATION      a worker has the block; a worker that takes it over
 *                         makes the next generation, and the last one counts
 *   BLOCK.GENERATION/NAME  the name of that worker, if it has one
 *   BLOCK.done            the points of the block have been run, or failed
 *
 * A worker starts with its own part of the blocks, in order.  Then it takes
 * blocks from the end of the part with the most blocks left, and at last it
 * takes over blocks of dead workers.  Claims only avoid duplicate work: a point
 * is done if a journal has its rows.
 *
 * Assumes  all workers have the same points
 * Units    microseconds by the clock of the file server
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the Blocks, which borrow the clock
 */
#ifndef SIM_SWEEP_SHARD_POINT_BLOCKS_H
#define SIM_SWEEP_SHARD_POINT_BLOCKS_H

#include "sim/sweep/shard/folder_claim.h"

/* With more blocks, listing the folder would be slow; with fewer, the last
 * worker would be left with too much work. */
#define BLOCKS_MAX 2048

typedef struct PointBlocks PointBlocks;

/* A worker's own part of the blocks: number @index of @n parts, counted from
 * 0. */
typedef struct {
    guint index, n;
} ShardPart;

typedef struct {
    guint first, n_points;
    gboolean is_taken_over; /* some of its points may already be done */
} PointBlock;

typedef enum { BLOCKS_CLAIMED, BLOCKS_NONE, BLOCKS_FAILED } BlocksResult;

typedef struct {
    /* The number of blocks that this worker has claimed, by their origin. */
    guint n_own, n_stolen, n_taken_over;
    /* The number of blocks of other workers whose claims were not touched since
     * they were first observed; valid after BLOCKS_NONE. */
    guint n_unsure;
    /* The number of blocks of other workers that are not done; valid after
     * BLOCKS_NONE. */
    guint n_open;
} PointBlockCount;

/* @folder must exist and contains only claims.  A worker whose claim was not
 * touched for @stale_us is dead. */
PointBlocks *point_blocks_new(const char *folder, guint n_points,
                              ShardPart part, gint64 stale_us,
                              const ClaimClock *clock);

/* From now on, claims carry the name @process (worker_liveness.h) of this
 * process, whose locked journal is in the folder @results.  Blocks of workers
 * of this machine that have ended are then taken over at once. */
void point_blocks_set_owner(PointBlocks *blocks, const char *results,
                            const char *process);
void point_blocks_free(PointBlocks *blocks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PointBlocks, point_blocks_free)

/* Claims the next block.  Returns BLOCKS_NONE if none can be claimed now. */
G_GNUC_WARN_UNUSED_RESULT
BlocksResult point_blocks_claim_next(PointBlocks *blocks, PointBlock *ret,
                                     GError **error);

/* Marks a point of a claimed block as done.  A block is done when all its
 * points are. */
void point_blocks_mark_point_done(PointBlocks *blocks, guint point);

/* Touches the claims of this worker's blocks, which shows that the worker is
 * alive. */
void point_blocks_touch_claims(PointBlocks *blocks);

/* Releases the claimed blocks that are not done, so that other workers may take
 * them over at once. */
void point_blocks_release_claims(PointBlocks *blocks);

/* Returns the number of claimed blocks that are not done. */
guint point_blocks_count_claimed(const PointBlocks *blocks);

const PointBlockCount *point_blocks_count_states(const PointBlocks *blocks);

#endif
