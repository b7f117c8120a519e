/*
 * reader.h - other people's formats, as graphs of operations
 *
 * A reader turns the text of one file into the operations of one iteration.
 * The file may be anybody's: what is wrong with it is an error at its line and
 * column, and what it makes is bounded by what it holds.
 *
 * Units    bytes, ps
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong"
 * Owner    files are the caller's; the graph keeps nothing of them
 */
#ifndef WORKLOADS_READERS_READER_H
#define WORKLOADS_READERS_READER_H

#include "workloads/workload.h"

#define READER_MAX_FILE_BYTES (64 * 1024 * 1024)
#define READER_MAX_LAYERS     100000
#define READER_MAX_PS         UINT64_C(1000000000000000) /* of a kernel */
#define READER_MAX_BYTES      (UINT64_C(1) << 40)        /* of a payload */

typedef struct {
    const char *name; /* as messages say it */
    const char *text; /* a NUL stands behind it, none within */
    gsize n_bytes;
} ReaderFile;

typedef struct {
    ConfigKind base; /* .name is that of the table; it has no fields */
    /* TRUE: the file begins as such files do, whatever comes then. */
    gboolean (*knows)(const ReaderFile *file);
    /* Adds the operations to the empty @graph. */
    gboolean (*read)(const ReaderFile *file, const TrainingConfig *training,
                     OpGraph *graph, GError **error);
} ReaderOps;

extern const ConfigRegistry reader_registry;

/* The values of "format:": `auto`, then those of reader.c. */
#define READER_AUTO 0
extern const char *const reader_names[];

/* By @format, or by how the file begins.  NULL: nobody knows it. */
G_GNUC_WARN_UNUSED_RESULT
const ReaderOps *reader_find(int format, const ReaderFile *file,
                             GError **error);

#endif
