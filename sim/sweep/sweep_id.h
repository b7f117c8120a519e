/*
 * sweep_id.h - what a point's rows depend on, as one number
 *
 * Two points with one id have the same rows: the id is over every value of the
 * configuration, in base units and with its defaults, however and in however
 * many files it was written; over the sources of the models and the program's
 * version; and over what was asked for.
 */
#ifndef SIM_SWEEP_SWEEP_ID_H
#define SIM_SWEEP_SWEEP_ID_H

#include "models/run/system.h"
#include "sim/study/rows/rows.h"
#include "sim/sweep/sweep_plan.h"

/* @axes as rows_add() takes it, @wanted has ROWS_N_FILES flags.  SHA-256 in
 * hexadecimal.  Owner: the caller. */
char *sweep_id(const char *axes, const gboolean *wanted, FoldMode fold,
               const SystemConfig *config);

/* It, of parts that can be kept: of each of system_fields what was read of it
 * and from the files that it names.  @sections has one for each.  Owner: the
 * caller. */
#define SWEEP_ID_MAX_SECTIONS 16
char *sweep_id_section(const SystemConfig *config, guint section);
char *sweep_id_of(const char *axes, const gboolean *wanted, FoldMode fold,
                  char *const *sections);

/* The cells of the axes in @point's rows, which are part of what it hangs on.
 * Owner: the caller. */
char *sweep_cells(const SweepPlan *plan, guint point);

/* A word for all sources that rows can hang on. */
const char *sweep_model(void);

#endif
