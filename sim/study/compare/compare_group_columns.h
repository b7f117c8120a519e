/*
 * compare_group_columns.h - finds the group columns of a sweep's table
 *
 * A column before `workload` is a key (a group column) if two rows with the
 * same workload, n_npus and endpoint differ in it.  A column that a zip axis
 * changes together with the endpoint is none, nor is the platform that
 * determines n_npus.  Rows whose `status` is not ok are ignored.
 *
 * Order    as in the table
 * Owner    the caller owns the array
 */
#ifndef SIM_STUDY_COMPARE_COMPARE_GROUP_COLUMNS_H
#define SIM_STUDY_COMPARE_COMPARE_GROUP_COLUMNS_H

#include "sim/core/csv.h"

/* Returns the key columns of @table (of guint). */
GArray *find_group_columns(const CsvTable *table, guint workload, guint n_npus,
                           guint endpoint);

/* Returns the rows whose `status` is ok (of guint); all rows if there is no
 * such column. */
GArray *list_ok_rows(const CsvTable *table);

#endif
