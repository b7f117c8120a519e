/*
 * sweep_id.h - the id of a point: a hash of everything that its rows depend on
 *
 * Two points with the same id have the same rows.  The id covers every value of
 * the configuration in base units, including defaults, but not how or in which
 * files it was written; the sources of the models and the version of the
 * program; and the requested outputs.
 */
#ifndef SIM_SWEEP_SWEEP_ID_H
#define SIM_SWEEP_SWEEP_ID_H

#include "models/run/system.h"
#include "sim/study/rows/run_rows.h"
#include "sim/sweep/sweep_plan.h"

/* Returns the id, SHA-256 in hexadecimal.  @axes is the text that rows_append()
 * takes; @wanted has ROWS_N_FILES flags.  The caller owns the text. */
char *sweep_id(const char *axes, const gboolean *wanted, FoldMode fold,
               const SystemConfig *config);

/* Return the same id in two steps, so that parts can be reused.
 * sweep_section_id() returns the hash of one section of system_fields and of
 * the files that it names; sweep_point_id_of_sections() combines the hashes of
 * all @sections. The caller owns the texts. */
#define SWEEP_ID_MAX_SECTIONS 16
char *sweep_section_id(const SystemConfig *config, guint section);
char *sweep_point_id_of_sections(const char *axes, const gboolean *wanted,
                                 FoldMode fold, char *const *sections);

/* Returns the cells of the axes in the rows of @point, which are part of its
 * id.  The caller owns the text. */
char *sweep_axis_cells(const SweepPlan *plan, guint point);

/* Returns a hash of all sources that rows can depend on. */
const char *sweep_model_hash(void);

#endif
