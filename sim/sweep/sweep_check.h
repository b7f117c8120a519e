/*
 * sweep_check.h - the configurations of a sweep's points, read and checked
 *
 * Errors   CONFIG_ERROR
 * Owner    documents own what a SystemConfig points to
 */
#ifndef SIM_SWEEP_SWEEP_CHECK_H
#define SIM_SWEEP_SWEEP_CHECK_H

#include "sim/sweep/reading/reader.h"

/* Who wants to see what is read anyway: @reader has read @point, and every one
 * is seen in its order. */
typedef void (*SweepReadFn)(gpointer self, guint point, SweepReader *reader,
                            const SystemConfig *config);

/* Reads the configuration of up to SWEEP_CHECK_POINTS points, gives each to
 * @seen (may be NULL), and with @build builds their systems; their rows have to
 * begin each in its own way, names.h; then checks the names under `compare:`,
 * when the endpoints of all points can be read.  FALSE:
 * *@error has all problems, each once and, unless all points
 * have it, with the point that has it first. */
#define SWEEP_CHECK_POINTS 10000
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_check(const SweepPlan *plan, gboolean build, SweepReadFn seen,
                     gpointer self, GError **error);

#endif
