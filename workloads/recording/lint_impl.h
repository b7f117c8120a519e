/*
 * lint_impl.h - a running lint: its indices of nodes, and its report
 *
 * The header is private to the lint and faults/.
 */
#ifndef WORKLOADS_RECORDING_LINT_IMPL_H
#define WORKLOADS_RECORDING_LINT_IMPL_H

#include "workloads/recording/cross_rank_match.h"
#include "workloads/recording/inventory.h"
#include "workloads/recording/lint.h"

typedef struct {
    uint64_t id;
    uint32_t node;
} LintId;

typedef struct {
    /* Nodes sorted by id, then by index; the elements are LintId. */
    GArray *ids;
    /* Nodes with a begin on device streams, sorted by stream, begin and index;
     * the elements are uint32_t. */
    GArray *device;
} LintRank;

struct Lint {
    const Recording *recording; /* borrowed */
    /* Owned array with one element per rank of the recording. */
    LintRank *ranks;
    /* Owned: collectives and messages across ranks. */
    RecordMatch *match;
    int64_t first_ns; /* the earliest .base_ns of all ranks */
    guint n_places;
    const FaultKind *kind; /* the kind that is being checked */
    LintReport *report;
};

static inline const RecordRank *lint_rank(const Lint *lint, guint i)
{
    return record_rank(lint->recording, i);
}

/* Returns the node with @id, or RECORD_NONE if there is none. */
uint32_t lint_find_node(const Lint *lint, guint rank, uint64_t id);

/* Returns whether the rank has nodes that ran on a stream of its device. */
static inline gboolean lint_has_device_work(const Lint *lint, guint rank)
{
    return lint->ranks[rank].device->len > 0;
}

/* Returns the end of @node, which must have a begin. */
static inline int64_t lint_node_end_ps(const RecordNode *node)
{
    int64_t end_ps;

    if (__builtin_add_overflow(node->begin_ps, node->duration_ps, &end_ps))
        return INT64_MAX;
    return end_ps;
}

/* Return whether @node is a control dependency of itself, or whether any node
 * of the rank is. */
gboolean lint_node_depends_on_itself(const RecordRank *rank,
                                     const RecordNode *node);
gboolean lint_has_stale_control(const RecordRank *rank);

/* Reports a fault at @node of @rank.  @node RECORD_NONE means the whole rank,
 * and @rank RECORD_NONE the whole recording. */
void lint_add_fault(Lint *lint, uint32_t rank, uint32_t node,
                    const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Build and free the indices of @lint. */
void lint_index_ranks(Lint *lint);
void lint_clear_index(Lint *lint);

#endif
