/*
 * statistics.h - what many repetitions say
 */
#ifndef VALIDATE_GPU_HOST_STATISTICS_H
#define VALIDATE_GPU_HOST_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double median, p10, p90;
} Summary;

/* Sorts @samples, of which there is at least one. */
Summary summary_of(double *samples, size_t n);

/* Straight between the two nearest of @n sorted samples: share 0 is the
 * least, 1 the largest, 0.5 the median. */
double percentile(const double *sorted, size_t n, double share);

/* Copies of @copy_bytes end one after the other at @end_us, @n of them; the
 * first began at @begin_us.  How much of them was moved between @from_us and
 * @to_us, when a copy proceeds evenly. */
double bytes_between(double begin_us, const double *end_us, size_t n,
                     uint64_t copy_bytes, double from_us, double to_us);

#ifdef __cplusplus
}
#endif

#endif
