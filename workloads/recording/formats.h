/* formats.h - which readers' files a recording is of */
#ifndef WORKLOADS_RECORDING_FORMATS_H
#define WORKLOADS_RECORDING_FORMATS_H

#include "workloads/recording/recording.h"

/* Of the files that were read, in the order of their first. */
typedef struct {
    const char *name; /* static: the reader's */
    guint n_files;
} RecordFormat;

/* One more file of a format. */
void record_add_file(Recording *recording, const char *format);
/* "8 files of kineto, 8 of host-et".  Owner: the caller. */
char *record_files_text(const Recording *recording);

#endif
