/*
 * reader.h - the configurations of a sweep's points, one after the other
 *
 * Reading a run file anew costs a hundred times more than what differs between
 * two points of a grid: a number or two.  Where the points differ only in axes
 * whose values are single numbers, switches or choices, which nothing set
 * afterwards hides, these are put into the configuration that was read last.
 * Whatever else is different is read as a whole, and so is what is wrong, so
 * that messages say the same whichever points were read before.
 *
 * Errors   CONFIG_ERROR
 * Owner    the caller owns the reader, which owns the configuration; the plan
 *          must outlive it
 */
#ifndef SIM_SWEEP_READING_READER_H
#define SIM_SWEEP_READING_READER_H

#include "models/run/system.h"
#include "sim/study/rows/rows.h"
#include "sim/sweep/sweep_plan.h"

typedef struct SweepReader SweepReader;

SweepReader *sweep_reader_new(const SweepPlan *plan);
void sweep_reader_free(SweepReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SweepReader, sweep_reader_free)

/* What @point has; it lasts, as it is, until the next call. */
G_GNUC_WARN_UNUSED_RESULT
const SystemConfig *sweep_reader_read(SweepReader *reader, guint point,
                                      GError **error);

/* The same, read as a whole, for those who then complain: positions in the
 * text are those of this point. */
G_GNUC_WARN_UNUSED_RESULT
const SystemConfig *sweep_reader_read_whole(SweepReader *reader, guint point,
                                            GError **error);

/* A value that is not that of the point that was read before. */
typedef struct {
    const char *path;
    const ConfigField *field;
    gconstpointer slot;     /* in the configuration */
    const ConfigNode *node; /* what it was read from */
    guint section;          /* index into system_fields */
} SweepChange;

/* Of the point that was read last, of SweepChange; NULL: it was read as a
 * whole, and sweep_reader_doc() is what it was read from. */
const GArray *sweep_reader_changes(const SweepReader *reader);
ConfigDoc *sweep_reader_doc(const SweepReader *reader);

/* The sweep_id() of the point that was read last.  Owner: the caller. */
char *sweep_reader_id(SweepReader *reader, const gboolean *wanted,
                      FoldMode fold);

#endif
