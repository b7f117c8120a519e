/*
 * soak_bounds.h - what no run of a case can beat, by pencil
 *
 * Written from the definitions of docs/model.md; nothing here asks the models
 * (but for the graph, which says what there is to do).
 *
 * Units    ps and bytes, of an NPU and an iteration, not rounded
 */
#ifndef TESTS_SOAK_SOAK_BOUNDS_H
#define TESTS_SOAK_SOAK_BOUNDS_H

#include "tests/soak/soak_case.h"

/* All kernels of the main stream one after the other, on the share that is
 * left to them when nothing communicates; *@ret_is_exact: it never changes,
 * and so this is the time that they take. */
double soak_compute_ps(const SoakCase *c, const OpGraph *graph,
                       gboolean *ret_is_exact);

/* What an NPU sends, before blocks are padded: the least and the most, where
 * chunks choose among orders of dimensions. */
typedef struct {
    double least, most;
} SoakRange;

SoakRange soak_sent_bytes(const SoakCase *c, const OpGraph *graph);

/* The busiest links, if they never stopped. */
double soak_links_ps(const SoakCase *c, const OpGraph *graph);

/* What soak_case_make_exact() has made: the whole run. */
double soak_exact_ps(const SoakCase *c);

#endif
