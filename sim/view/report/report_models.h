/*
 * report_models.h - a table of the language models of a sweep, for its report
 *
 * Units    rates of an NPU; shares of the iteration
 */
#ifndef SIM_VIEW_REPORT_REPORT_MODELS_H
#define SIM_VIEW_REPORT_REPORT_MODELS_H

#include "sim/sweep/sweep_results.h"

/* Appends the table with the first points, or nothing if the results have no
 * language model. */
void report_write_models(GString *out, const SweepResults *results);

#endif
