/*
 * reader_table.h - readers of foreign trace formats
 *
 * A reader turns one file into ranks of a recording (recording/recording.h).
 * Files are untrusted: an invalid file causes an error with its position, and
 * the memory used is bounded by the size of the file.  Unusual but valid
 * content is not an error; lint reports it.
 *
 * Some files describe a job, such as a launch script, and hold no recording.
 * Their readers write a model and a run file instead.
 *
 * Each format is one file of this folder and one line in the table of
 * reader_table.c.
 *
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong"; for binary files
 *          "FILE: byte N: what is wrong"; and the errors of byte_source.h
 * Owner    sources and recordings are the caller's
 */
#ifndef WORKLOADS_READERS_READER_TABLE_H
#define WORKLOADS_READERS_READER_TABLE_H

#include "sim/config/config_field.h"
#include "sim/core/byte_source.h"
#include "workloads/recording/recording.h"

typedef struct {
    /* Additional name patterns of communication kernels, for g_pattern_spec.
     * NULL: none. */
    const char *const *comm_patterns;
    /* Number of NPUs, for formats that describe one NPU and not their number;
     * 0: not known. */
    uint32_t n_npus;
} ReadOptions;

typedef struct {
    const char *name;       /* of the model and the workload */
    const char *model_path; /* of the model, as the run file names it */
    uint32_t n_npus;        /* 0: as the file says */
} ReadJobOptions;

/* The files that a description of a job becomes. */
typedef struct {
    GString *model, *run; /* owned: texts of the two files */
    /* owned, of owned text: a note for each argument that was left out,
     * "FILE:LINE:COLUMN: note: ..." */
    GPtrArray *notes;
} ReadJob;

void read_job_free(ReadJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ReadJob, read_job_free)

typedef struct {
    /* Base of every kind: .name is the name in the table of reader_table.c;
     * there are no fields. */
    ConfigKind base;
    /* Returns whether the file begins like a file of this format.  Peeks at the
     * source and skips nothing. */
    gboolean (*recognises)(Source *source);
    /* Reads the file and adds its ranks to @recording; must not change existing
     * ranks.  NULL: the file describes a job. */
    gboolean (*read)(Source *source, const ReadOptions *options,
                     Recording *recording, GError **error);
    /* Reads the description of a job.  NULL: the file is a recording. */
    gboolean (*read_job)(Source *source, const ReadJobOptions *options,
                         ReadJob *ret, GError **error);
} ReadOps;

extern const ConfigRegistry read_registry;

/* Names of formats: `auto`, then the readers of reader_table.c. */
#define READ_AUTO 0
extern const char *const read_names[];

/* Returns the name (static) of the reader for the file in @source, or NULL if
 * no reader recognises it.  Skips only a byte order mark.  source_finish()
 * reports errors of the source. */
const char *reader_detect_format(Source *source);
/* Name of the reader of files that have groups and no ranks. */
#define READ_COMM_GROUPS "comm-groups"

/* Reads @source as @format, or detects the format.  Recording.format is the
 * format of the first file.  A file of another format may follow, such as a
 * host execution trace after the Kineto trace of the same rank. */
G_GNUC_WARN_UNUSED_RESULT
gboolean read_recording_file(int format, Source *source,
                             const ReadOptions *options, Recording *recording,
                             GError **error);

/* Returns whether @source is read as the description of a job.  Skips only a
 * byte order mark. */
gboolean reader_file_describes_job(int format, Source *source);

/* Reads @source, for which reader_file_describes_job() holds.  The caller owns
 * the result. */
G_GNUC_WARN_UNUSED_RESULT
ReadJob *read_job_file(int format, Source *source,
                       const ReadJobOptions *options, GError **error);

#endif
