/* deviation.c - the deviation of two numbers, and a test against a tolerance */
#include "validate/deviation.h"

double compare_deviation_percent(double simulated, double reference)
{
    g_assert(reference != 0);
    return 100 * (simulated - reference) / reference;
}

gboolean deviation_is_within_tolerance(double simulated, double expected,
                                       const CompareTolerance *tolerance)
{
    double least = expected * (1 - tolerance->below_percent / 100);
    double most = expected * (1 + tolerance->above_percent / 100);

    return simulated >= least - tolerance->slack &&
           simulated <= most + tolerance->slack;
}

double mean_of_values(const double *values, guint n)
{
    double sum = 0;

    g_assert(n > 0);
    for (guint i = 0; i < n; i++)
        sum += values[i];
    return sum / n;
}

double max_of_values(const double *values, guint n)
{
    double most = values[0];

    g_assert(n > 0);
    for (guint i = 1; i < n; i++)
        most = MAX(most, values[i]);
    return most;
}
