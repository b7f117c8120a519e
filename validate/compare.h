/*
 * compare.h - how far two numbers lie apart, and whether that is too far
 *
 * Errors   none: a reference of 0 is the programmer's mistake
 */
#ifndef VALIDATE_COMPARE_H
#define VALIDATE_COMPARE_H

#include <glib.h>

/* 100 (simulated - reference) / reference. */
double compare_deviation_percent(double simulated, double reference);

/* How far the simulated number may lie off the expected one.  A bound that
 * cannot be passed has only one of the two percentages. */
typedef struct {
    double slack; /* in the number's own unit, either way */
    double below_percent, above_percent;
} CompareTolerance;

gboolean compare_is_within(double simulated, double expected,
                           const CompareTolerance *tolerance);

/* Of @n >= 1 values; the mean is the arithmetic one. */
double compare_mean(const double *values, guint n);
double compare_max(const double *values, guint n);

#endif
