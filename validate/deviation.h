/*
 * deviation.h - the deviation of two numbers, and a test against a tolerance
 *
 * Errors   none; a reference of 0 is a programming
 * error */
#ifndef VALIDATE_DEVIATION_H
#define VALIDATE_DEVIATION_H

#include <glib.h>

/* Returns 100 (simulated - reference) / reference. */
double compare_deviation_percent(double simulated, double reference);

/* The allowed deviation of a simulated number from the expected one.  For a
 * bound that cannot be exceeded, one of the two percentages is 0. */
typedef struct {
    double slack; /* The absolute tolerance in the unit of the number. */
    double below_percent, above_percent;
} CompareTolerance;

/* Returns whether @simulated is within the tolerance of @expected. */
gboolean deviation_is_within_tolerance(double simulated, double expected,
                                       const CompareTolerance *tolerance);

/* Return the arithmetic mean and the maximum of @n values; @n is at least 1. */
double mean_of_values(const double *values, guint n);
double max_of_values(const double *values, guint n);

#endif
