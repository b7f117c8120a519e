/*
 * file_format_counts.h - counts the files of a recording by format
 *
 * Owner    the recording owns the counts
 */
#ifndef WORKLOADS_RECORDING_FILE_FORMAT_COUNTS_H
#define WORKLOADS_RECORDING_FILE_FORMAT_COUNTS_H

#include "workloads/recording/recording.h"

/* A format and its number of files, in the order of the first file of each. */
typedef struct {
    const char *name; /* static: name of the format's reader */
    guint n_files;
} RecordFormat;

/* Counts one more file of @format. */
void record_add_file(Recording *recording, const char *format);
/* Returns a text like "8 files of kineto, 8 of host-et", which the caller
 * frees. */
char *record_files_text(const Recording *recording);

#endif
