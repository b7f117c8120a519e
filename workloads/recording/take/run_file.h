/*
 * run_file.h - a run of an imported program, as it was recorded
 *
 * Times of kernels and of communication are those of the recording, and so are
 * gaps; one iteration.  The platform is what the recording says of its device
 * and as many NPUs: a switch, as recordings know nothing of links.
 *
 * Owner    the caller owns the text
 */
#ifndef WORKLOADS_RECORDING_TAKE_RUN_FILE_H
#define WORKLOADS_RECORDING_TAKE_RUN_FILE_H

#include "workloads/recording/take/script.h"

/* @program and @run are the paths of both files. */
GString *run_file_of(const Script *script, const char *program,
                     const char *run);

#endif
