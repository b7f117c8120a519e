/*
 * search.h - the least of a function of a few variables, without derivatives
 *
 * Two ways in turn, until neither helps.  Pattern search: each variable goes a
 * step up or down while that helps, then all go once more the way they came;
 * where nothing helps, steps are halved.  It stops short in a narrow valley
 * that runs across the variables, so then directions turn: steps grow where
 * they help and shrink where not, and the first direction becomes the way that
 * all of them led.  Deterministic: the same function and start give the same
 * end.
 *
 * Units    variables lie in [0, 1]
 * Sources  R. Hooke, T. Jeeves, "Direct search", JACM 8(2), 1961;
 *          H. Rosenbrock, "An automatic method for finding the greatest or
 *          least value of a function", Computer Journal 3(3), 1960
 */
#ifndef VALIDATE_FIT_SEARCH_H
#define VALIDATE_FIT_SEARCH_H

#include <glib.h>

#define SEARCH_MAX_VARIABLES 32

typedef double (*SearchFn)(gpointer self, const double *x);

/* Improves @x, which has @n variables, until steps are below @least_step.
 * Returns the value reached. */
double search_minimum(SearchFn value, gpointer self, double *x, guint n,
                      double least_step);

#endif
