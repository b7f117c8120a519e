/*
 * lint_impl.h - for lint and its faults only: what they look things up in, and
 * how they tell what they found
 */
#ifndef WORKLOADS_RECORDING_LINT_IMPL_H
#define WORKLOADS_RECORDING_LINT_IMPL_H

#include "workloads/recording/found.h"
#include "workloads/recording/lint.h"
#include "workloads/recording/match.h"

typedef struct {
    uint64_t id;
    uint32_t node;
} LintId;

typedef struct {
    GArray *ids;    /* of LintId, by id, then by node */
    GArray *device; /* of uint32_t: nodes on streams of the device that have a
                     * begin, by stream, then by begin, then by node */
} LintRank;

struct Lint {
    const Recording *recording; /* borrowed */
    LintRank *ranks;            /* as those of the recording */
    RecordMatch *match;         /* collectives and messages across ranks */
    int64_t first_ns;           /* of all .base_ns */
    guint n_places;
    const FaultKind *kind; /* that is being looked for */
    LintReport *report;
};

static inline const RecordRank *lint_rank(const Lint *lint, guint i)
{
    return record_rank(lint->recording, i);
}

/* The node of this id, RECORD_NONE where there is none. */
uint32_t lint_find(const Lint *lint, guint rank, uint64_t id);

/* Whether the rank has nodes that ran on a stream of its device. */
static inline gboolean lint_ran(const Lint *lint, guint rank)
{
    return lint->ranks[rank].device->len > 0;
}

/* The end of a node that has a begin. */
static inline int64_t lint_end_ps(const RecordNode *node)
{
    int64_t end_ps;

    if (__builtin_add_overflow(node->begin_ps, node->duration_ps, &end_ps))
        return INT64_MAX;
    return end_ps;
}

/* One of its control dependencies is itself; and whether any node's is. */
gboolean lint_calls_itself(const RecordRank *rank, const RecordNode *node);
gboolean lint_has_stale_control(const RecordRank *rank);

/* What is wrong with @node of @rank; RECORD_NONE: with the rank, or with the
 * recording. */
void lint_tell(Lint *lint, uint32_t rank, uint32_t node, const char *format,
               ...) G_GNUC_PRINTF(4, 5);

void lint_index(Lint *lint);
void lint_clear(Lint *lint);

#endif
