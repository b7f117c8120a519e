/*
 * read.h - other people's formats, as recordings
 *
 * A reader turns one file into ranks of a recording (recording/recording.h).
 * The file may be anybody's: what is wrong with it is an error at its place,
 * and what it makes is bounded by what it holds.  What is merely odd is no
 * error: lint says so.
 *
 * One kind is one file of this folder and one line in the table of read.c.
 *
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong"; of a binary file
 *          "FILE: byte N: what is wrong"; those of source.h
 * Owner    sources and recordings are the caller's
 */
#ifndef WORKLOADS_READERS_READ_H
#define WORKLOADS_READERS_READ_H

#include "sim/config/config_field.h"
#include "workloads/readers/source.h"
#include "workloads/recording/recording.h"

typedef struct {
    /* Of names of kernels that communicate, beside the readers' own: patterns
     * of g_pattern_spec.  NULL: none. */
    const char *const *comm_patterns;
    /* Of a plan that says what each does and not how many there are; 0: not
     * known. */
    uint32_t n_npus;
} ReadOptions;

typedef struct {
    ConfigKind base; /* .name is that of the table; it has no fields */
    /* TRUE: the file begins as such files do, whatever comes then.  Looks at
     * the source and skips nothing. */
    gboolean (*knows)(Source *source);
    /* Adds ranks to @recording, and to no rank that is there already. */
    gboolean (*read)(Source *source, const ReadOptions *options,
                     Recording *recording, GError **error);
} ReadOps;

extern const ConfigRegistry read_registry;

/* The values of a format: `auto`, then those of read.c. */
#define READ_AUTO 0
extern const char *const read_names[];

/* The reader whose files begin as @source does, by its name (static); NULL:
 * none.  Skips nothing but a mark of UTF-8; an error of the source stays for
 * source_finish(). */
const char *read_known_as(Source *source);
/* What reads files that have groups and no ranks. */
#define READ_COMM_GROUPS "comm-groups"

/* Reads @source by @format, or by how it begins.  Recording.format is that of
 * the first file; another reader's file may follow, as a host ET follows the
 * Kineto trace of its rank. */
G_GNUC_WARN_UNUSED_RESULT
gboolean read_source(int format, Source *source, const ReadOptions *options,
                     Recording *recording, GError **error);

#endif
