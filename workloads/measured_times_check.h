/*
 * measured_times_check.h - checks that measured times belong to the workload
 *
 * Errors   CONFIG_ERROR_CONFLICT at the value that contradicts the times
 */
#ifndef WORKLOADS_MEASURED_TIMES_CHECK_H
#define WORKLOADS_MEASURED_TIMES_CHECK_H

#include "workloads/graph.h"

/* Adds notes to @graph about settings of @workload, with @batch samples and
 * @precision, that have less effect than expected.  @is_used: a kernel uses a
 * measured time.  @has_rate: times come from a rate in samples/s, so they do
 * not depend on the batch.  Returns FALSE and CONFIG_ERROR_CONFLICT if the
 * times cannot belong to this workload. */
G_GNUC_WARN_UNUSED_RESULT
gboolean measured_times_check(const MeasuredOn *measured_on,
                              const ConfigVariant *workload, uint64_t batch,
                              int precision, gboolean is_used,
                              gboolean has_rate, OpGraph *graph,
                              GError **error);

/* Adds a note if times were set that `compute: roofline` does not use. */
void measured_times_note_if_unused(const ConfigVariant *workload,
                                   OpGraph *graph);

#endif
