/* repetition_statistics.h - percentiles of repetitions, and bytes moved in a
 * window */
#ifndef VALIDATE_GPU_HOST_REPETITION_STATISTICS_H
#define VALIDATE_GPU_HOST_REPETITION_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double median, p10, p90;
} Summary;

/* Returns percentiles of @samples, and sorts them.  @n is at least 1. */
Summary summary_of_samples(double *samples, size_t n);

/* Returns a percentile of @n sorted samples, interpolated linearly between
 * the two nearest.  Share 0 is the smallest sample, 0.5 the median, 1 the
 * largest. */
double interpolated_percentile(const double *sorted, size_t n, double share);

/* Returns how many bytes were moved between @from_us and @to_us.  @n copies of
 * @copy_bytes run one after the other; copy i ends at @end_us[i], and the first
 * begins at @begin_us.  Each copy is assumed to proceed at a constant rate. */
double bytes_copied_in_window(double begin_us, const double *end_us, size_t n,
                              uint64_t copy_bytes, double from_us,
                              double to_us);

#ifdef __cplusplus
}
#endif

#endif
