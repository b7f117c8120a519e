/*
 * import_report.h - the report of an import: counts of what was found, inferred
 * and made
 *
 * Every pass counts its actions here.  Values that the recording lacks and a
 * pass has assumed are counted as `inferred`.
 *
 * Units    times in ps; other items are counts
 */
#ifndef WORKLOADS_RECORDING_IMPORT_REPORT_H
#define WORKLOADS_RECORDING_IMPORT_REPORT_H

#include <glib.h>
#include <stdint.h>

#include "sim/core/json_writer.h"

typedef enum {
    /* Items that were found in the recording. */
    REPORT_RANKS,
    REPORT_WORLD,
    REPORT_EVENTS,
    REPORT_KERNELS,
    REPORT_COPIES,
    REPORT_CALLS,
    REPORT_WAITS,
    REPORT_COLLECTIVES,
    REPORT_MESSAGES,
    REPORT_STEPS,
    REPORT_ITERATION,
    REPORT_ITERATION_PS,
    REPORT_BEYOND_PS,
    /* Items that were matched across ranks. */
    REPORT_BY_SEQUENCE,
    REPORT_BY_ORDER,
    REPORT_PAIRS,
    REPORT_SIZES_BY_ID,
    REPORT_SIZES_BY_ORDER,
    REPORT_SIZES_LEFT,
    REPORT_PARTIAL,
    REPORT_ALONE,
    REPORT_APART,
    /* Items that were inferred. */
    REPORT_STREAM_ORDER,
    REPORT_WAITS_INFERRED,
    REPORT_EVENTS_INFERRED,
    REPORT_AFTER_KERNEL,
    REPORT_BY_END,
    REPORT_THREADS,
    REPORT_UPPER_BOUNDS,
    REPORT_NO_STEPS,
    REPORT_NO_MARKS,
    REPORT_NO_BYTES,
    REPORT_NO_KIND,
    REPORT_ASSUMED_WORK,
    REPORT_FURTHER_DEVICES,
    REPORT_DEVICE_RANKS,
    REPORT_ROOFLINE,
    REPORT_NO_TIME,
    REPORT_NAMED_GROUPS,
    REPORT_SIZED_GROUPS,
    REPORT_CONTINUED_GROUPS,
    REPORT_UNEVEN_GROUPS,
    REPORT_UNEVEN,
    REPORT_NUMBERED,
    REPORT_NAMED_RANKS,
    REPORT_RANKS_ASSUMED,
    REPORT_RANKS_LIKE,
    REPORT_RANKS_LEFT_OUT,
    REPORT_BY_DIMS,
    REPORT_NO_GROUP,
    REPORT_ONE_RANK,
    /* Items that were taken as given. */
    REPORT_GIVEN,
    REPORT_BEGINS,
    REPORT_LAUNCHES,
    REPORT_WAITS_GIVEN,
    REPORT_EVENTS_GIVEN,
    /* Items that were dropped. */
    REPORT_ABSENT,
    REPORT_STALE,
    REPORT_BACKWARD,
    REPORT_IN_HOST_ORDER,
    REPORT_TRANSITIVE,
    REPORT_CIRCLES,
    REPORT_OUTSIDE,
    REPORT_FOLDED,
    REPORT_EMPTY,
    REPORT_ON_HOST,
    REPORT_WAITED_NOTHING,
    REPORT_OVERLAPS,
    REPORT_OVERLAP_PS,
    REPORT_STAGE_MESSAGES,
    REPORT_STAGE_BYTES,
    REPORT_SINGLE_RANK,
    /* Items of the written program. */
    REPORT_ROLES,
    REPORT_LOOSE,
    REPORT_OPS,
    REPORT_DEPS,
    REPORT_GROUPS,
    REPORT_GAPS,
    REPORT_GAP_PS,
    REPORT_SKEW_PS,
    /* Times of communication as recorded. */
    REPORT_COMM_PS,
    REPORT_COMM_LONGEST_PS,
    REPORT_NETWORK_PS,
    REPORT_EXPOSED_PS,
    REPORT_HOST_WAIT_PS,
    REPORT_N,
} ReportItem;

typedef struct {
    uint64_t n[REPORT_N];
    const char *format;
    const char *version; /* borrowed: version of the format; NULL: unknown */
} RecordReport;

/* Returns the report as a table without the items that are 0.  The caller frees
 * the text. */
GString *record_report_text(const RecordReport *report);
/* Returns a text, such as "inferred: 4 ranks ...", for each item that may
 * change the results of a run.  The caller owns the array and its texts. */
GPtrArray *record_report_notes(const RecordReport *report);
/* Writes the whole report as an object named `import`. */
void record_report_json(const RecordReport *report, Json *json);

#endif
