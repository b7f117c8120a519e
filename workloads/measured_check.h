/*
 * measured_check.h - whether measured times are of the workload that is run
 *
 * Errors   CONFIG_ERROR_CONFLICT at the value that times do not go with
 */
#ifndef WORKLOADS_MEASURED_CHECK_H
#define WORKLOADS_MEASURED_CHECK_H

#include "workloads/graph.h"

/* Notes in @graph what of @workload, of @batch samples and @precision, does not
 * have the effect that it seems to have; @is_used: some time is measured;
 * @has_rate: times are by a rate of samples, whatever the batch.  FALSE and
 * CONFIG_ERROR_CONFLICT: times cannot be those of this workload. */
G_GNUC_WARN_UNUSED_RESULT
gboolean measured_on_check(const MeasuredOn *on, const ConfigVariant *workload,
                           uint64_t batch, int precision, gboolean is_used,
                           gboolean has_rate, OpGraph *graph, GError **error);

/* That compute: roofline leaves times out that were set. */
void measured_on_note_unused(const ConfigVariant *workload, OpGraph *graph);

#endif
