/* repetition_statistics.c - percentiles of repetitions, and bytes moved in a
 * window */
#include "validate/gpu/host/repetition_statistics.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

double interpolated_percentile(const double *sorted, size_t n, double share)
{
    double place = share * (double)(n - 1);
    size_t below = (size_t)place;

    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] +
           (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

Summary summary_of_samples(double *samples, size_t n)
{
    qsort(samples, n, sizeof *samples, compare_doubles);
    return (Summary){ .median = interpolated_percentile(samples, n, 0.5),
                      .p10 = interpolated_percentile(samples, n, 0.1),
                      .p90 = interpolated_percentile(samples, n, 0.9) };
}

/* Returns the share of the interval from @begin to @end that lies before
 * @at. */
static double share_of_copy_done_before(double begin, double end, double at)
{
    if (at <= begin)
        return 0;
    return at >= end ? 1 : (at - begin) / (end - begin);
}

double bytes_copied_in_window(double begin_us, const double *end_us, size_t n,
                              uint64_t copy_bytes, double from_us, double to_us)
{
    double n_copies = 0;

    for (size_t i = 0; i < n; i++) {
        n_copies += share_of_copy_done_before(begin_us, end_us[i], to_us) -
                    share_of_copy_done_before(begin_us, end_us[i], from_us);
        begin_us = end_us[i];
    }
    return n_copies * (double)copy_bytes;
}
