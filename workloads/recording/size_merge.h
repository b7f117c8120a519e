/*
 * size_merge.h - merges the sizes in one file with the times in another
 *
 * A host execution trace (ET) has the size of each communication but no times;
 * Kineto traces from before 2024 have times but no sizes.  This pass copies
 * kinds, payloads, uneven splits and groups from the ranks with sizes to the
 * ranks with times, and removes the ranks with sizes from the recording.
 *
 * Ranks are paired by their numbers, or by their order if numbers are unknown
 * or not unique.  Within a rank, communications are paired by the ids of the
 * framework's operations (RecordComm.framework_id) if the files have the same
 * ids; otherwise by the order of the host's calls, if both have the same number
 * of calls of compatible kinds; otherwise by ids with a constant offset.
 *
 * Known values are not overwritten.
 */
#ifndef WORKLOADS_RECORDING_SIZE_MERGE_H
#define WORKLOADS_RECORDING_SIZE_MERGE_H

#include "workloads/recording/recording.h"

typedef struct {
    uint32_t n_ranks; /* number of ranks that received sizes */
    /* Number of ranks with sizes that match no other rank. */
    uint32_t n_ranks_left;
    uint32_t n_by_id, n_by_order; /* number of paired communications */
    /* Number of unmatched communications in ranks that received sizes. */
    uint32_t n_unmatched;
    /* Number of communications in ranks with sizes that match none. */
    uint32_t n_left;
} RecordMergeReport;

/* Merges the sizes into the ranks with times.  Has no effect if no rank has
 * only sizes. */
void record_merge_size_files(Recording *recording, RecordMergeReport *ret);

#endif
