/*
 * descent.h - the step of a ladder with the least cost, by looking at few
 *
 * Step i gives i + 1 of something.  The cost falls with it and then rises, as
 * a / (i + 1) + b (i + 1) does: what is served takes the inverse of what it
 * has, and each unit costs the others the same.  That is convex in i + 1 and
 * in its inverse.  So lines, over either, through two steps that were looked
 * at bound what lies beyond them from below; where that is not less than the
 * least by a tolerance nobody looks.  The walk begins at .first with
 * steps that grow by a third, downwards and then upwards, and ends by looking
 * between the least and its neighbours.
 *
 * Of a function with several dips it finds one, and never hands back more than
 * the least of what it has looked at.
 *
 * Range    costs from 0; G_MAXDOUBLE where there is none
 * Order    deterministic
 * Cost     3 to 5 looks where .first is near, the logarithm of the way else
 */
#ifndef SIM_STUDY_DESCENT_H
#define SIM_STUDY_DESCENT_H

#include <glib.h>

#define DESCENT_UNKNOWN G_MAXDOUBLE

typedef struct {
    guint n, first;   /* steps from 0; where the walk begins */
    double tolerance; /* of the cost, as a part of it */
    double rise;      /* what a step above the last would cost more than the
                       * last; DESCENT_UNKNOWN */
    /* Asked once for each step. */
    double (*cost)(gpointer self, guint step);
    gpointer self; /* borrowed */
} Descent;

typedef struct {
    guint step;  /* with the least cost; of equals the lowest */
    double rise; /* a step, to what was looked at above it; may be unknown */
} DescentResult;

DescentResult descent_run(const Descent *descent);

#endif
