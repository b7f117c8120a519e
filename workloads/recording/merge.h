/*
 * merge.h - sizes of one file, brought to the times of another
 *
 * A host ET says how much each operation communicates and not when; a trace of
 * Kineto's of before 2024 says when and not how much.  This takes kinds,
 * payloads, uneven splits and groups from the one to the other, rank by rank,
 * and the ranks that never ran out of the recording.
 *
 * Which rank belongs to which, is told by their numbers, or by their order
 * where a number is not known or there twice.  Within a rank it is told by the
 * ids of the framework's operations (RecordComm.asked_by), where the files have
 * the same; else by the order in which the host asked, if both have as many and
 * of kinds that can be the same; else by ids that lie apart by one distance.
 *
 * What is known already stays as it is.
 */
#ifndef WORKLOADS_RECORDING_MERGE_H
#define WORKLOADS_RECORDING_MERGE_H

#include "workloads/recording/recording.h"

typedef struct {
    uint32_t n_ranks;             /* that sizes were brought to */
    uint32_t n_ranks_left;        /* of sizes, of no rank that ran */
    uint32_t n_by_id, n_by_order; /* communications that are matched */
    uint32_t n_unmatched; /* of ranks that ran and had sizes brought to */
    uint32_t n_left;      /* of the ranks of sizes, that match none */
} RecordMergeReport;

/* Nothing is done where no rank has sizes alone. */
void record_merge_sizes(Recording *recording, RecordMergeReport *ret);

#endif
