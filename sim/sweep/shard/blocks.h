/*
 * blocks.h - which points are whose, where many processes work on one sweep
 *
 * The points are cut into blocks of one length, whoever asks, and each block
 * is a claim in a folder that all workers see:
 *
 *   BLOCK.GENERATION   somebody has it; whoever takes it over makes one more,
 *                      and the last counts
 *   BLOCK.GENERATION/WHO  who that is, if he says so
 *   BLOCK.done         its points have been run, or failed
 *
 * A worker begins with its own part, in order.  Then it takes from the end of
 * the part that has most left, and last what dead workers had.  What is said
 * here only saves work: that a point is done its rows say, in a journal.
 *
 * Assumes  all workers cut the same points
 * Units    microseconds by the clock of the file server
 * Errors   G_FILE_ERROR
 * Owner    the caller owns the Blocks, which borrow the clock
 */
#ifndef SIM_SWEEP_SHARD_BLOCKS_H
#define SIM_SWEEP_SHARD_BLOCKS_H

#include "sim/sweep/shard/claim.h"

/* More would make listing them a cost, fewer leave too much to the last. */
#define BLOCKS_MAX 2048

typedef struct Blocks Blocks;

/* A worker's own part: the @index-th of @n, from 0. */
typedef struct {
    guint index, n;
} ShardPart;

typedef struct {
    guint first, n_points;
    gboolean is_taken_over; /* some of it may be done */
} Block;

typedef enum { BLOCKS_ONE, BLOCKS_NONE, BLOCKS_FAILED } BlocksResult;

typedef struct {
    guint n_own, n_stolen, n_taken_over; /* claimed */
    guint n_unsure; /* after BLOCKS_NONE: others have them, and gave no sign of
                       life since they were first looked at */
    guint n_open;   /* likewise: not done */
} BlocksCount;

/* @folder is there, and holds claims alone.  Who gave no sign of life for
 * @stale_us is dead. */
Blocks *blocks_new(const char *folder, guint n_points, ShardPart part,
                   gint64 stale_us, const ClaimClock *clock);

/* From now on claims say that they are of @who, see life.h, whose journal is in
 * the folder @results and locked; and of who is of this machine, and is no
 * more, they are taken over at once. */
void blocks_sign(Blocks *blocks, const char *results, const char *who);
void blocks_free(Blocks *blocks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Blocks, blocks_free)

/* Claims one more. */
G_GNUC_WARN_UNUSED_RESULT
BlocksResult blocks_next(Blocks *blocks, Block *ret, GError **error);

/* A point of a block of ours has been run, or need not be. */
void blocks_point_done(Blocks *blocks, guint point);

/* Touches those that we have. */
void blocks_touch(Blocks *blocks);

/* Whoever wants what we have and have not done need not wait. */
void blocks_let_go(Blocks *blocks);

/* Blocks that are ours and not done. */
guint blocks_n_held(const Blocks *blocks);

const BlocksCount *blocks_count(const Blocks *blocks);

#endif
