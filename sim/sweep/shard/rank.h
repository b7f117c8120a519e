/*
 * rank.h - which of how many this process is, as whoever started it says
 *
 * Schedulers and launchers tell a process by variables of its environment; a
 * kind of them is a line of a table.  An array of jobs whose tasks are several
 * processes is both.
 *
 * Errors   G_OPTION_ERROR
 */
#ifndef SIM_SWEEP_SHARD_RANK_H
#define SIM_SWEEP_SHARD_RANK_H

#include "sim/sweep/shard/blocks.h"

/* Finds the part that is ours; *@found says where it is from, owned by the
 * caller.  @n is how many there are, for those who are not told; 0: it is not
 * known.  FALSE: nobody says so, and *@error has all that was looked for. */
G_GNUC_WARN_UNUSED_RESULT
gboolean rank_find(guint n, ShardPart *ret, char **found, GError **error);

/* How many processors are ours, where somebody says so; else 0. */
guint rank_n_processors(void);

#endif
