/*
 * convex_descent.h - finds the cheapest step of a ladder with few evaluations
 *
 * Step i provides x = i + 1 units.  The cost falls and then rises with x, for
 * example as a / x + b x: the served work takes time inverse to the units, and
 * each unit costs other work the same time.  Such a cost is convex in x and in
 * 1 / x.  Therefore a line through two known steps, in x or in 1 / x, is a
 * lower bound beyond them.  A step is evaluated only if its lower bound is less
 * than the best cost by more than the tolerance.
 *
 * The search begins at .first, with steps that grow by a third, downwards and
 * then upwards.  It ends with evaluations between the best step and its
 * neighbours.  If the function has several minima, it finds one of them.  It
 * always returns the best of the evaluated steps.
 *
 * Range    costs from 0; G_MAXDOUBLE if a step has none
 * Order    deterministic
 * Cost     3 to 5 evaluations if .first is near the minimum, otherwise
 *          logarithmic in the distance
 */
#ifndef SIM_STUDY_CONVEX_DESCENT_H
#define SIM_STUDY_CONVEX_DESCENT_H

#include <glib.h>

#define DESCENT_UNKNOWN G_MAXDOUBLE

typedef struct {
    guint n, first;   /* number of steps; index of the first one evaluated */
    double tolerance; /* a step must be cheaper by this share of the cost */
    double rise;      /* how much a step after the last would cost more than the
                       * last; may be DESCENT_UNKNOWN */
    /* Returns the cost of a step.  It is called at most once for each step. */
    double (*cost)(gpointer self, guint step);
    gpointer self; /* borrowed */
} Descent;

typedef struct {
    guint step;  /* the cheapest; of equals the lowest */
    double rise; /* per step, towards the next evaluated step above; may be
                  * DESCENT_UNKNOWN */
} DescentResult;

DescentResult descent_find_minimum(const Descent *descent);

#endif
