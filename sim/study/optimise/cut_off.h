/*
 * cut_off.h - a run that is over as soon as it must take longer than a limit
 *
 * At any time a run takes at least until then, and whatever is still to be
 * computed on an NPU, as if nothing came between (system_alone_ps(): a kernel
 * is never faster than with the NPU for itself):
 *
 *     total >= max(now, end of the kernel that runs) + sum of those to come
 *
 * on the first NPU that trains and is simulated.  So who only wants to know
 * whether a run takes longer than a limit learns the same as from all of it;
 * one that is twice as slow is over in the first of several iterations.
 *
 * Units    ps
 * Order    listens to one run: cut_off_new(), cut_off_run()
 * Owner    the caller owns the CutOff; the system must outlive it
 */
#ifndef SIM_STUDY_OPTIMISE_CUT_OFF_H
#define SIM_STUDY_OPTIMISE_CUT_OFF_H

#include "models/run/system.h"

typedef struct CutOff CutOff;

/* Listens to @system, whose iterations may take @limit_ps each in the mean; 0:
 * as long as they like. */
CutOff *cut_off_new(System *system, SimTime limit_ps);
void cut_off_free(CutOff *cut_off);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CutOff, cut_off_free)

/* system_run(); FALSE with *@ret_is_cut and no error: it takes longer. */
G_GNUC_WARN_UNUSED_RESULT
gboolean cut_off_run(CutOff *cut_off, gboolean *ret_is_cut, GError **error);

#endif
