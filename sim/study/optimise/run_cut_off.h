/*
 * run_cut_off.h - a run that stops as soon as it must take longer than a limit
 *
 * At any time of a run there is a lower bound on its total time.  The first NPU
 * that trains and is simulated must still execute all kernels that have not
 * begun, and no kernel is faster than alone on its NPU
 * (system_isolated_op_time_ps()):
 *
 *     total >= max(now, earliest end of the running kernel)
 *              + sum of the times of the kernels to come, each alone
 *
 * A caller that only asks whether a run takes longer than a limit gets the same
 * answer as from the whole run.  A run that takes twice the limit usually stops
 * in the first of several iterations.
 *
 * Units    ps
 * Order    listens to one run: cut_off_new(), cut_off_run_until_limit()
 * Owner    the caller owns the CutOff; the system must outlive it
 */
#ifndef SIM_STUDY_OPTIMISE_RUN_CUT_OFF_H
#define SIM_STUDY_OPTIMISE_RUN_CUT_OFF_H

#include "models/run/system.h"

typedef struct CutOff CutOff;

/* Listens to @system, whose iterations may take @limit_ps each in the mean; 0:
 * no limit. */
CutOff *cut_off_new(System *system, SimTime limit_ps);
void cut_off_free(CutOff *cut_off);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CutOff, cut_off_free)

/* Runs the system as system_run() does.  Returns FALSE without an error, and
 * sets *@ret_is_cut, if the run must exceed the limit. */
G_GNUC_WARN_UNUSED_RESULT
gboolean cut_off_run_until_limit(CutOff *cut_off, gboolean *ret_is_cut,
                                 GError **error);

#endif
