/*
 * timeline_recorded.c - recorded ranks in a timeline
 *
 * If a rank was recorded with the number of a selected NPU, the timeline shows
 * its streams and threads as recorded.  Times start at the begin of the
 * iteration of the first rank, which is the start of the run.  If the recorded
 * and the simulated first iteration end at different times, a slice marks the
 * difference.
 */
#include "sim/view/timeline/timeline_impl.h"

/* ---- the end of the simulated iteration ---------------------------------- */

static void record_first_iteration_end(gpointer self, uint32_t npu, uint32_t op,
                                       uint64_t iteration, SimTime now_ps)
{
    const Timeline *timeline = self;
    WatchedNpu *watched_npu = timeline_find_watched(timeline, npu);

    (void)op;
    if (watched_npu && watched_npu->npu == npu && iteration == 0)
        watched_npu->first_end_ps = now_ps;
}

const TraceOps timeline_recorded_ops = {
    .kernel_ends = record_first_iteration_end,
    .stage_ends = record_first_iteration_end,
    .collective_ends = record_first_iteration_end,
};

/* ---- slices of the recorded streams -------------------------------------- */

typedef struct {
    const RecordNode *node;
    SimTime begin_ps, end_ps;
    uint32_t thread;
} RecordedSlice;

/* A thread of the trace that shows nested slices of one recorded stream. */
typedef struct {
    uint32_t stream;
    GArray *open; /* owned: of RecordedSlice, the open slices, innermost last */
} StreamThread;

typedef struct {
    Timeline *timeline;
    const WatchedNpu *watched;
    const RecordRank *rank;
    GPtrArray *threads; /* of StreamThread */
    SimTime end_ps;     /* end of the last recorded slice */
} RecordedRank;

static void free_stream_thread(gpointer data)
{
    StreamThread *thread = data;

    g_array_unref(thread->open);
    g_free(thread);
}

static TraceTrack track_of_thread(const RecordedRank *rank, uint32_t thread)
{
    return timeline_track_of_npu(rank->watched, PROCESS_RECORDED, thread + 1);
}

/* Ends the open slices of @thread that end at or before @at_ps. */
static void end_slices_until(const RecordedRank *rank, uint32_t thread,
                             SimTime at_ps)
{
    const StreamThread *of = g_ptr_array_index(rank->threads, thread);

    while (of->open->len > 0) {
        const RecordedSlice *last =
            &g_array_index(of->open, RecordedSlice, of->open->len - 1);

        if (last->end_ps > at_ps)
            return;
        trace_file_end_slice(rank->timeline->file,
                             track_of_thread(rank, thread), last->node->name,
                             last->end_ps);
        g_array_set_size(of->open, of->open->len - 1);
    }
}

static uint32_t add_stream_thread(RecordedRank *rank, uint32_t stream)
{
    const RecordStream *of =
        &g_array_index(rank->rank->streams, RecordStream, stream);
    StreamThread *thread = g_new0(StreamThread, 1);

    thread->stream = stream;
    thread->open = g_array_new(FALSE, FALSE, sizeof(RecordedSlice));
    g_ptr_array_add(rank->threads, thread);
    trace_file_name_thread(rank->timeline->file,
                           track_of_thread(rank, rank->threads->len - 1),
                           of->name);
    return rank->threads->len - 1;
}

/* Returns the first thread of the slice's stream on which @slice fits inside
 * the open slices. */
static uint32_t find_thread_for_slice(RecordedRank *rank,
                                      const RecordedSlice *slice)
{
    for (guint i = 0; i < rank->threads->len; i++) {
        const StreamThread *thread = g_ptr_array_index(rank->threads, i);
        const GArray *open = thread->open;

        if (thread->stream != slice->node->stream)
            continue;
        end_slices_until(rank, i, slice->begin_ps);
        if (open->len == 0 ||
            g_array_index(open, RecordedSlice, open->len - 1).end_ps >=
                slice->end_ps)
            return i;
    }
    return add_stream_thread(rank, slice->node->stream);
}

static void add_recorded_slice(RecordedRank *rank, const RecordedSlice *slice)
{
    uint32_t thread = find_thread_for_slice(rank, slice);
    const StreamThread *of = g_ptr_array_index(rank->threads, thread);

    if (!trace_file_begin_slice(
            rank->timeline->file, track_of_thread(rank, thread),
            slice->node->name, record_kind_names[slice->node->kind],
            slice->begin_ps, NULL))
        return;
    g_array_append_val(of->open, *slice);
    rank->end_ps = MAX(rank->end_ps, slice->end_ps);
}

/* Sorts by begin, the outer slice first. */
static gint compare_slice_begins(gconstpointer a, gconstpointer b)
{
    const RecordedSlice *slice = a, *y = b;

    if (slice->begin_ps != y->begin_ps)
        return slice->begin_ps < y->begin_ps ? -1 : 1;
    return slice->end_ps > y->end_ps ? -1 : slice->end_ps < y->end_ps;
}

/* Returns the slices of rank @r, with times relative to @first_ps.  The caller
 * owns the array. */
static GArray *timeline_slices_of_rank(const TimelineRecorded *from, guint r,
                                       int64_t first_ps)
{
    const RecordRank *rank = record_rank(from->recording, r);
    const RecordSpan *span = record_span_of_rank(from->window, r);
    GArray *slices = g_array_new(FALSE, FALSE, sizeof(RecordedSlice));

    for (uint32_t i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        int64_t begin_ps;
        RecordedSlice slice = { .node = node };

        if (!span->is_in_window[i] || node->begin_ps == RECORD_NO_TIME ||
            node->duration_ps == 0 || node->stream == RECORD_NONE ||
            (node->flags & RECORD_STEP) || node->kind == RECORD_OTHER)
            continue;
        begin_ps =
            record_begin_ps(rank, node, from->window->first_ns) - first_ps;
        slice.begin_ps = (SimTime)MAX(begin_ps, 0);
        slice.end_ps = slice.begin_ps + node->duration_ps;
        g_array_append_val(slices, slice);
    }
    g_array_sort(slices, compare_slice_begins);
    return slices;
}

/* Adds a slice between the ends of the simulated and the recorded iteration. */
static void add_end_difference_slice(const RecordedRank *rank)
{
    TraceTrack track = track_of_thread(rank, rank->threads->len);
    SimTime simulated_ps = rank->watched->first_end_ps;
    SimTime from_ps = MIN(simulated_ps, rank->end_ps);
    SimTime to_ps = MAX(simulated_ps, rank->end_ps);
    g_autofree char *name = g_strdup_printf(
        "simulated ends %.3f us %s", (double)(to_ps - from_ps) / 1e6,
        simulated_ps < rank->end_ps ? "earlier" : "later");

    if (from_ps == to_ps)
        return;
    trace_file_name_thread(rank->timeline->file, track, "difference of ends");
    if (trace_file_begin_slice(rank->timeline->file, track, name, "difference",
                               from_ps, NULL))
        trace_file_end_slice(rank->timeline->file, track, name, to_ps);
}

static void add_recorded_rank(Timeline *timeline, const WatchedNpu *watched_npu,
                              guint r, int64_t first_ps)
{
    const RecordRank *rank = record_rank(timeline->recorded->recording, r);
    g_autoptr(GPtrArray) threads =
        g_ptr_array_new_with_free_func(free_stream_thread);
    g_autoptr(GArray) slices =
        timeline_slices_of_rank(timeline->recorded, r, first_ps);
    g_autofree char *name = g_strdup_printf("rank %u recorded", rank->rank);
    int64_t host_end_ps =
        record_span_of_rank(timeline->recorded->window, r)->host_end_ps;
    RecordedRank b = { timeline, watched_npu, rank, threads, 0 };

    trace_file_name_process(
        timeline->file, track_of_thread(&b, 0).process,
        timeline_track_of_npu(watched_npu, PROCESS_NPU, 0).process, name);
    for (guint i = 0; i < slices->len; i++)
        add_recorded_slice(&b, &g_array_index(slices, RecordedSlice, i));
    for (guint i = 0; i < threads->len; i++)
        end_slices_until(&b, i, SIM_TIME_MAX);
    if (host_end_ps != RECORD_NO_TIME && host_end_ps > first_ps)
        b.end_ps = MAX(b.end_ps, (SimTime)(host_end_ps - first_ps));
    add_end_difference_slice(&b);
}

void timeline_add_recorded(Timeline *timeline)
{
    const TimelineRecorded *from = timeline->recorded;
    int64_t first_ps = INT64_MAX;

    for (guint r = 0; r < from->recording->ranks->len; r++) {
        const RecordSpan *span = record_span_of_rank(from->window, r);

        if (span->begin_ps != RECORD_NO_TIME)
            first_ps = MIN(first_ps, span->begin_ps);
    }
    for (guint r = 0; r < from->recording->ranks->len; r++) {
        uint32_t npu = record_rank(from->recording, r)->rank;

        npu = npu == RECORD_NO_RANK ? 0 : npu;
        for (guint i = 0; i < timeline->n_npus; i++)
            if (timeline->watched[i] && timeline->watched[i]->npu == npu)
                add_recorded_rank(timeline, timeline->watched[i], r, first_ps);
    }
}
