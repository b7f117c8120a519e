/*
 * open_sqlite.h - opens an untrusted SQLite file for reading; private to
 * sqlite_tables.c
 *
 * Errors   G_FILE_ERROR, "FILE: cannot be read: REASON"; CONFIG_ERROR
 * Owner    the caller closes the database
 */
#ifndef WORKLOADS_READERS_NSYS_OPEN_SQLITE_H
#define WORKLOADS_READERS_NSYS_OPEN_SQLITE_H

#include <sqlite3.h>

#include "sim/core/byte_source.h"

/* Opens the file of @source.  Returns NULL and sets @error on failure.  Sets
 * @ret_n_bytes to the unpacked size of the file. */
G_GNUC_WARN_UNUSED_RESULT
sqlite3 *nsys_open_database(Source *source, uint64_t *ret_n_bytes,
                            GError **error);

#endif
