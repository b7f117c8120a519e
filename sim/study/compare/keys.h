/*
 * keys.h - which axes of a sweep vary something of their own
 *
 * A column before `workload` is a key when two rows of the same workload,
 * n_npus and endpoint differ in it.  What a zip axis changes along with the
 * endpoint is none, and neither is the platform that gives n_npus.  Rows whose
 * `status` is not ok do not count.
 *
 * Order    of the columns
 * Owner    the caller owns the array
 */
#ifndef SIM_STUDY_COMPARE_KEYS_H
#define SIM_STUDY_COMPARE_KEYS_H

#include "sim/core/csv.h"

/* An array of guint: columns of @table. */
GArray *keys_find(const CsvTable *table, guint workload, guint n_npus,
                  guint endpoint);

/* An array of guint: rows whose `status` is ok, all where there is none. */
GArray *keys_ok_rows(const CsvTable *table);

#endif
