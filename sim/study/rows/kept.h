/*
 * kept.h - the rows of a run, kept for points of a sweep that share it
 *
 * Such points differ in their axes, and in how much there is of what an
 * endpoint has (models/run/report/slack.h).  No cell hangs on more of that than
 * `busiest_share` and `notes`, which are made anew: the rows are those of a run
 * of its own, byte for byte.
 *
 * Owner    the caller owns the RowsKept, which needs nothing of the run any
 *          more
 * Cost     the rows, as text
 */
#ifndef SIM_STUDY_ROWS_KEPT_H
#define SIM_STUDY_ROWS_KEPT_H

#include "sim/study/rows/rows.h"

typedef struct RowsKept RowsKept;

/* Of those files that are @wanted; @utilisation as in rows_add(). */
RowsKept *rows_keep(const gboolean *wanted, const SystemConfig *config,
                    const System *system, const Utilisation *utilisation);
void rows_kept_free(RowsKept *kept);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RowsKept, rows_kept_free)

gsize rows_kept_bytes(const RowsKept *kept);

/* What rows_add() would add of a point with @axes and @config; nothing of a
 * file that was not wanted. */
void rows_add_kept(GString *out, RowsFile file, const char *axes,
                   const SystemConfig *config, const RowsKept *kept);

#endif
