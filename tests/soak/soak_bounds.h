/*
 * soak_bounds.h - analytic bounds for random systems
 *
 * The bounds are derived from the definitions in docs/model.md, without code of
 * the models.  Only the graph of operations is taken from them.
 *
 * Units: picoseconds and bytes, per NPU and iteration, not
 * rounded. */
#ifndef TESTS_SOAK_SOAK_BOUNDS_H
#define TESTS_SOAK_SOAK_BOUNDS_H

#include "tests/soak/soak_case.h"

/* Returns the time of all kernels of the main stream, one after the other, with
 * the resources that are left if nothing communicates. *@ret_is_exact is TRUE
 * if these resources are constant, so that this is the exact time. */
double soak_compute_bound_ps(const SoakCase *c, const OpGraph *graph,
                             gboolean *ret_is_exact);

/* The bytes that an NPU sends, before blocks are padded. They are a range if
 * chunks choose among orders of dimensions. */
typedef struct {
    double min, max;
} SoakRange;

SoakRange soak_sent_bytes_range(const SoakCase *c, const OpGraph *graph);

/* Returns the time that the busiest links need at full utilisation. */
double soak_link_bound_ps(const SoakCase *c, const OpGraph *graph);

/* Returns the duration of the whole run.  @c must come from
 * soak_case_make_exact(). */
double soak_exact_time_ps(const SoakCase *c);

#endif
