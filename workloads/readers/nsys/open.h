/*
 * open.h - for tables.c only: an SQLite file of anybody's, opened to be read
 *
 * Errors   G_FILE_ERROR, "FILE: cannot be read: REASON"; CONFIG_ERROR
 * Owner    the caller closes what is opened
 */
#ifndef WORKLOADS_READERS_NSYS_OPEN_H
#define WORKLOADS_READERS_NSYS_OPEN_H

#include <sqlite3.h>

#include "workloads/readers/source.h"

/* NULL on error.  *@ret_n_bytes is how long it is, unpacked. */
G_GNUC_WARN_UNUSED_RESULT
sqlite3 *nsys_open(Source *source, uint64_t *ret_n_bytes, GError **error);

#endif
