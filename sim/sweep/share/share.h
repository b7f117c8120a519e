/*
 * share.h - runs that other points of a sweep share
 *
 * Points are asked for one after the other.  Of those that were run, what
 * slack.h needs and the rows are kept; a point that differs from one of them
 * in what did not matter gets its rows from there.
 *
 * Owner    the caller owns the Share; what it keeps owes nothing to a run
 * Cost     SHARE_MOST_BYTES at most: what was of use longest ago is dropped
 */
#ifndef SIM_SWEEP_SHARE_SHARE_H
#define SIM_SWEEP_SHARE_SHARE_H

#include "sim/study/rows/kept.h"

#define SHARE_MOST_BYTES (8U << 20)

typedef struct Share Share;

Share *share_new(void);
void share_free(Share *share);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Share, share_free)

/* What all points have alike that may share a run: a sum over what was asked
 * for and all values but those that slack.h judges. */
typedef struct {
    guint8 sum[32];
} ShareKey;

ShareKey share_key(const gboolean *wanted, FoldMode fold,
                   const SystemConfig *config);

/* The rows of a run that would be the same with @config, whose key is @key and
 * which may be no larger than @most; NULL: none is known.  Borrowed until the
 * next call. */
const RowsKept *share_find(Share *share, const ShareKey *key, FoldMode fold,
                           SystemSize most, const SystemConfig *config);

/* Keeps what @system, run with @config, came to.  @utilisation as in
 * rows_add(). */
void share_keep(Share *share, const ShareKey *key, const gboolean *wanted,
                const SystemConfig *config, const System *system,
                const Utilisation *utilisation);

/* How many runs are kept, for tests. */
guint share_n_kept(const Share *share);

/*
 * Of those that are shared some are run all the same: the first @n that are
 * asked about, and of the k-th the n / k-th part, so that any @n are as likely.
 * @point is the point's number, which is what is drawn by.
 */
gboolean share_draws(Share *share, guint n, guint point);

#endif
