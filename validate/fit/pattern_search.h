/*
 * pattern_search.h - minimises a function of a few variables without
 * derivatives
 *
 * Two methods alternate until neither improves the value.  Pattern search: each
 * variable moves a step up or down if that helps, then all repeat the joint
 * move; if nothing helps, the steps are halved.  It stops too early in a narrow
 * valley that is not parallel to a variable.  Therefore the second method
 * rotates its directions: steps grow after a success and shrink after a
 * failure, and the first direction becomes that of the joint move.  The search
 * is deterministic: the same function and start give the same result.
 *
 * Units    variables are in [0, 1]
 * Sources  R. Hooke, T. Jeeves, "Direct search", JACM 8(2), 1961;
 *          H. Rosenbrock, "An automatic method for finding the greatest or
 *          least value of a function", Computer Journal 3(3), 1960
 */
#ifndef VALIDATE_FIT_PATTERN_SEARCH_H
#define VALIDATE_FIT_PATTERN_SEARCH_H

#include <glib.h>

#define SEARCH_MAX_VARIABLES 32

typedef double (*SearchFn)(gpointer self, const double *x);

/* Improves @x, which has @n variables, until the steps are below @least_step.
 * Returns the value reached. */
double search_minimum(SearchFn value, gpointer self, double *x, guint n,
                      double least_step);

#endif
