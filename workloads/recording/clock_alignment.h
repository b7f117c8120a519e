/*
 * clock_alignment.h - aligns the clocks of several hosts
 *
 * All ranks of a host have one clock; without host names, each rank has its
 * own.  The alignment uses three assumptions:
 *
 *   - A collective in which each rank gets data from every other rank ends on
 *     all ranks at the same time.
 *   - Messages between two hosts take equally long in both directions.
 *   - No operation ends before an operation that it depends on has begun.
 *
 * The first clock is the reference, and the other clocks are shifted
 * (clock_least_squares.h).
 *
 * Units    ps
 * Owner    the caller owns an Align; texts belong to the recording
 */
#ifndef WORKLOADS_RECORDING_CLOCK_ALIGNMENT_H
#define WORKLOADS_RECORDING_CLOCK_ALIGNMENT_H

#include "sim/core/json_writer.h"
#include "workloads/recording/clock_least_squares.h"
#include "workloads/recording/cross_rank_match.h"

typedef struct {
    const char *host; /* name of the host; NULL: unknown */
    uint32_t rank;    /* index of its first rank in Recording.ranks */
    uint32_t n_ranks;
} AlignHost;

typedef struct {
    GArray *hosts;     /* the host of each clock; the elements are AlignHost */
    uint32_t *host_of; /* owned: the host of each rank of the recording */
    uint32_t n_ranks;
    /* Number of constraints between different clocks. */
    uint64_t n_collectives, n_messages;
    uint64_t n_bounds;
    AlignSolution *solution;
    double max_shift_us; /* maximum correction of any clock in the recording */
    /* The clocks differ: the file names several hosts, or some effect precedes
     * its cause. */
    gboolean is_needed;
} Align;

/* Returns whether @effect needs data from @cause, so that it cannot end before
 * @cause begins.  Both are members of one collective or message. */
gboolean align_effect_needs_cause(const Recording *recording, CollKind kind,
                                  const RecordMember *effect,
                                  const RecordMember *cause);

/* Computes the alignment; @recording is not changed. */
Align *align_clocks(const Recording *recording, const RecordMatch *match);
void align_free(Align *align);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Align, align_free)

/* Corrects all begins of @recording.  A match made before still has the old
 * times. */
void align_apply_corrections(const Align *align, Recording *recording);

/* Returns a line about the alignment for a report, which the caller frees. */
char *align_text(const Align *align);
/* Writes each clock with its correction, as the value of @key. */
void align_json(const Align *align, Json *json, const char *key);

#endif
