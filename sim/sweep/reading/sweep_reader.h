/*
 * sweep_reader.h - reads the configurations of a sweep's points, reusing what
 * consecutive points have in common
 *
 * Reading a whole run file costs a hundred times more than reading the few
 * numbers that differ between two points of a grid.  If the points differ only
 * in axes whose values are single numbers, switches or choices, and no later
 * setting hides these values, the reader changes only these values in the last
 * configuration.  In all other cases, and on errors, it reads the whole run
 * file, so that messages do not depend on the points that were read before.
 *
 * Errors   CONFIG_ERROR
 * Owner    the caller owns the reader, which owns the configuration; the plan
 *          must outlive it
 */
#ifndef SIM_SWEEP_READING_SWEEP_READER_H
#define SIM_SWEEP_READING_SWEEP_READER_H

#include "models/run/system.h"
#include "sim/study/rows/run_rows.h"
#include "sim/sweep/sweep_plan.h"

typedef struct SweepReader SweepReader;

SweepReader *sweep_reader_new(const SweepPlan *plan);
void sweep_reader_free(SweepReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SweepReader, sweep_reader_free)

/* Returns the configuration of @point, valid until the next call.  Returns NULL
 * and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
const SystemConfig *sweep_reader_read(SweepReader *reader, guint point,
                                      GError **error);

/* Same as sweep_reader_read(), but always reads the whole run file, so that
 * positions are those of this point. */
G_GNUC_WARN_UNUSED_RESULT
const SystemConfig *sweep_reader_read_point_afresh(SweepReader *reader,
                                                   guint point, GError **error);

/* A value that differs from the point that was read before. */
typedef struct {
    const char *path;
    const ConfigField *field;
    gconstpointer slot;     /* the value in the configuration */
    const ConfigNode *node; /* the node of the value */
    guint section;          /* index into system_fields */
} SweepChange;

/* Returns the changes (of SweepChange) made for the last point, or NULL if it
 * was read as a whole, from sweep_reader_document(). */
const GArray *sweep_reader_changes(const SweepReader *reader);
ConfigDoc *sweep_reader_document(const SweepReader *reader);

/* Returns the sweep_id() of the point that was read last.  The caller owns the
 * text. */
char *sweep_reader_point_id(SweepReader *reader, const gboolean *wanted,
                            FoldMode fold);

#endif
