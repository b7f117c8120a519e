/*
 * file_name_ranks.h - numbers ranks by the names of their files
 *
 * Many traces do not say which rank they are of, but their files are named
 * "rank3.json" or "worker3.pt.trace.json".  The order in which files are given
 * is no substitute: a shell sorts rank10 before rank2.
 */
#ifndef WORKLOADS_RECORDING_FILE_NAME_RANKS_H
#define WORKLOADS_RECORDING_FILE_NAME_RANKS_H

#include "workloads/recording/recording.h"

/* Sets the numbers of ranks that have none, if there are several ranks and the
 * names of their files have numbers that are different and not taken.  A number
 * follows the word "rank" or "worker"; or the files have names that are equal
 * but for one number, and these numbers are 0 to n - 1.  Otherwise, changes
 * nothing. */
void record_number_ranks_by_file_names(Recording *recording);

#endif
