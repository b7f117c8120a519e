/*
 * worker_rank.h - finds the rank of this process among the workers of a sweep
 *
 * Schedulers and launchers pass the rank by environment variables; each kind is
 * a row of a table.  If the tasks of a job array start several processes each,
 * both ranks are combined.
 *
 * Errors   G_OPTION_ERROR
 */
#ifndef SIM_SWEEP_SHARD_WORKER_RANK_H
#define SIM_SWEEP_SHARD_WORKER_RANK_H

#include "sim/sweep/shard/point_blocks.h"

/* Sets *@ret to the part of this process, and *@found to the variables that it
 * is from, owned by the caller.  @n is the number of processes for launchers
 * that do not pass it, or 0 if it is unknown.  Returns FALSE if no variable is
 * set; @error then lists all that were tried. */
G_GNUC_WARN_UNUSED_RESULT
gboolean find_worker_rank(guint n, ShardPart *ret, char **found,
                          GError **error);

/* Returns the number of processors that the scheduler has assigned to this
 * process, or 0 if it is unknown. */
guint find_assigned_processors(void);

#endif
