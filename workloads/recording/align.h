/*
 * align.h - clocks of several hosts, put right by what ranks did together
 *
 * Ranks of one host have one clock; where no host is told, each rank has its
 * own.  Collectives after which all ranks have something of each other end
 * together; messages between two hosts take as long either way; nothing ends
 * before what it needs has begun.  The first clock stands, and the others are
 * put forward or back (align_solve.h).
 *
 * Units    ps
 * Owner    the caller owns an Align; texts are the recording's
 */
#ifndef WORKLOADS_RECORDING_ALIGN_H
#define WORKLOADS_RECORDING_ALIGN_H

#include "sim/core/json.h"
#include "workloads/recording/align_solve.h"
#include "workloads/recording/match.h"

typedef struct {
    const char *host; /* NULL: not told */
    uint32_t rank;    /* of Recording.ranks: its first */
    uint32_t n_ranks;
} AlignHost;

typedef struct {
    GArray *hosts;     /* of AlignHost; a clock each, in that order */
    uint32_t *host_of; /* by rank of the recording */
    uint32_t n_ranks;
    uint64_t n_collectives, n_messages; /* between clocks */
    uint64_t n_bounds;
    AlignSolution *solution;
    double max_shift_us; /* of all clocks, within the recording */
    /* Several hosts are named, or an effect came before its cause: clocks are
     * not one. */
    gboolean is_needed;
} Align;

/* Whether @effect gets something that @cause has, so that it cannot end before
 * @cause begins; both are of one collective or message. */
gboolean align_needs(const Recording *recording, CollKind kind,
                     const RecordMember *effect, const RecordMember *cause);

/* What would put clocks right; @recording stays as it is. */
Align *align_clocks(const Recording *recording, const RecordMatch *match);
void align_free(Align *align);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Align, align_free)

/* Puts all begins right.  A match that was made before has the old times. */
void align_apply(const Align *align, Recording *recording);

/* One line for a report.  Owner: the caller. */
char *align_text(const Align *align);
/* Each clock and what it was put forward by, as the value of @key. */
void align_json(const Align *align, Json *json, const char *key);

#endif
