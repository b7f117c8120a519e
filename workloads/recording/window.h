/*
 * window.h - which nodes of a recording are of one iteration
 *
 * Iterations are what RECORD_STEP nodes span, the same one of all ranks.  What
 * runs on a thread of the host belongs to the iteration in which it begins,
 * what runs on a device to that which launched it.  Work without a launch
 * belongs to the iteration of the work that is launched next on its stream, if
 * that of the work before is the same; before all launched work of its stream
 * it was launched before the recording began and belongs to none.  On a device
 * without launches it belongs to the iteration in which it begins.  A recording
 * without steps is one iteration as a whole, and so is one of whose devices
 * nothing is of the iteration.
 *
 * A host often runs ahead of its device.  An iteration of a rank lasts from its
 * boundary to the next: the later of the begin of the host's step and the time
 * at which the device has ended the iterations before.  Where the host is ahead
 * of the boundary, its calls before it are taken to be those of the next
 * iteration, so much later (RecordSpan.shift_ps).
 *
 * Units    ps since the earliest RecordRank.base_ns
 * Errors   CONFIG_ERROR: there is no such iteration
 * Owner    the caller owns the window
 */
#ifndef WORKLOADS_RECORDING_WINDOW_H
#define WORKLOADS_RECORDING_WINDOW_H

#include "workloads/recording/recording.h"

/* The one of median length, among those in which devices do at least half of
 * what they do in the fullest. */
#define RECORD_ITERATION_MEDIAN 0

typedef struct {
    uint8_t *has;     /* by node: in the window */
    int64_t begin_ps; /* the boundary; RECORD_NO_TIME: no node has a begin */
    int64_t
        shift_ps; /* how much later the next iteration makes the host's calls
                   * that this one made before .begin_ps; 0: there are none */
    int64_t end_ps;
    int64_t host_end_ps; /* of the step, or of the last call; RECORD_NO_TIME:
                          * there is none; with .shift_ps, of that period */
    gboolean is_first;   /* nothing of the host is recorded before */
} RecordSpan;

typedef struct {
    guint n_steps;         /* of the rank that has fewest */
    guint iteration;       /* counted from 1; 0: the whole */
    gboolean is_empty;     /* no device worked in the iteration: all is taken */
    int64_t first_ns;      /* the earliest .base_ns */
    uint64_t iteration_ps; /* from boundary to boundary, mean over ranks, or to
                            * the end of the last to end; 0: not known */
    GArray *spans;         /* of RecordSpan, by rank of the recording */
} RecordWindow;

/* @iteration is counted from 1, or RECORD_ITERATION_MEDIAN. */
G_GNUC_WARN_UNUSED_RESULT
RecordWindow *record_window(const Recording *recording, guint iteration,
                            GError **error);
/* All of it, whatever steps there are. */
RecordWindow *record_window_all(const Recording *recording);
void record_window_free(RecordWindow *window);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordWindow, record_window_free)

static inline RecordSpan *record_span(const RecordWindow *window, guint rank)
{
    return &g_array_index(window->spans, RecordSpan, rank);
}

/* The earliest .base_ns. */
int64_t record_first_ns(const Recording *recording);

static inline gboolean record_is_host(const RecordNode *node)
{
    return (node->flags & RECORD_ON_HOST) != 0;
}

/* Without a begin, RECORD_NO_TIME. */
static inline int64_t record_end_ps(const RecordRank *rank,
                                    const RecordNode *node, int64_t first_ns)
{
    return node->begin_ps == RECORD_NO_TIME
               ? RECORD_NO_TIME
               : record_begin_ps(rank, node, first_ns) +
                     (int64_t)node->duration_ps;
}

#endif
