/*
 * iteration_window.h - selects the nodes of one iteration of a recording
 *
 * Iterations are the spans of RECORD_STEP nodes.  Those of several ranks are
 * the same iteration if their names have the same number, or without numbers if
 * they have the same order; only iterations that all ranks have count.  A
 * recording without steps is one iteration.  It also is one if the selected
 * iteration has no device nodes.  A node belongs to
 *
 *   - on a host thread, the iteration in which it begins;
 *   - on the device, the iteration of its launch.  Without a launch, it belongs
 *     to
 *       - the iteration of the launched node before it on its stream, or of the
 *         next one if the former has none;
 *       - no iteration, before all launched nodes of its stream: it was
 *         launched before the recording began;
 *       - the iteration in which it begins, after all launched nodes of its
 *         stream, and on a device without launches.
 *
 * A host often runs ahead of its device.  The iteration of a rank lasts from
 * its boundary to the next one.  The boundary is the begin of the host's step
 * or the time at which the device has finished the earlier iterations,
 * whichever is later.  If the host is ahead of the boundary, its calls before
 * the boundary are assumed to be those of the next iteration, shifted by
 * RecordSpan.shift_ps.
 *
 * Units    ps since the earliest RecordRank.base_ns
 * Errors   CONFIG_ERROR if the iteration does not exist
 * Owner    the caller owns the window
 */
#ifndef WORKLOADS_RECORDING_ITERATION_WINDOW_H
#define WORKLOADS_RECORDING_ITERATION_WINDOW_H

#include "workloads/recording/recording.h"

/* Selects the iteration of median length, among those in which the devices do
 * at least half of the work of the busiest iteration. */
#define RECORD_ITERATION_MEDIAN 0

typedef struct {
    uint8_t
        *is_in_window; /* owned: for each node, whether it is in the window */
    /* Begin of the iteration, its boundary; RECORD_NO_TIME: no node has a
     * begin. */
    int64_t begin_ps;
    /* The host's calls before .begin_ps count as calls of the next
     * iteration, which is later by this time; 0 if there are none. */
    int64_t shift_ps;
    int64_t end_ps;
    /* End of the host's step or of the last call; RECORD_NO_TIME: none; with
     * .shift_ps, the end of that period. */
    int64_t host_end_ps;
    gboolean is_first; /* the recording has no earlier host node */
} RecordSpan;

typedef struct {
    guint n_steps; /* number of steps that all ranks have */
    /* Selected iteration, counted from 1; 0: the whole recording. */
    guint iteration;
    /* The iteration has no device nodes, so the window is the whole
     * recording. */
    gboolean is_empty;
    int64_t first_ns; /* the earliest .base_ns of all ranks */
    /* Mean over ranks from boundary to boundary; in the last iteration or
     * the whole recording, from the first begin to the last end; 0: unknown. */
    uint64_t iteration_ps;
    /* The span of each rank of the recording; the elements are RecordSpan. */
    GArray *spans;
} RecordWindow;

/* Selects iteration @iteration, counted from 1, or RECORD_ITERATION_MEDIAN. */
G_GNUC_WARN_UNUSED_RESULT
RecordWindow *record_select_window(const Recording *recording, guint iteration,
                                   GError **error);
/* Selects the whole recording, even if it has steps. */
RecordWindow *record_select_whole(const Recording *recording);
void record_window_free(RecordWindow *window);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordWindow, record_window_free)

static inline RecordSpan *record_span_of_rank(const RecordWindow *window,
                                              guint rank)
{
    return &g_array_index(window->spans, RecordSpan, rank);
}

/* Returns the earliest .base_ns of all ranks. */
int64_t record_earliest_clock_base_ns(const Recording *recording);

static inline gboolean record_is_host(const RecordNode *node)
{
    return (node->flags & RECORD_ON_HOST) != 0;
}

/* Returns the end of @node, or RECORD_NO_TIME if it has no begin. */
static inline int64_t record_end_ps(const RecordRank *rank,
                                    const RecordNode *node, int64_t first_ns)
{
    return node->begin_ps == RECORD_NO_TIME
               ? RECORD_NO_TIME
               : record_begin_ps(rank, node, first_ns) +
                     (int64_t)node->duration_ps;
}

#endif
