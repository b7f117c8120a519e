/*
 * search.h - the least of a function of a few variables, without derivatives
 *
 * Pattern search: each variable in turn goes a step up or down while that
 * helps, then all go once more the way they came; where nothing helps, steps
 * are halved.  Deterministic: the same function and start give the same end.
 *
 * Units    variables lie in [0, 1]
 * Sources  R. Hooke, T. Jeeves, "Direct search", JACM 8(2), 1961
 */
#ifndef VALIDATE_FIT_SEARCH_H
#define VALIDATE_FIT_SEARCH_H

#include <glib.h>

#define SEARCH_MAX_VARIABLES 16

typedef double (*SearchFn)(gpointer self, const double *x);

/* Improves @x, which has @n variables, until steps are below @least_step.
 * Returns the value reached. */
double search_minimum(SearchFn value, gpointer self, double *x, guint n,
                      double least_step);

#endif
