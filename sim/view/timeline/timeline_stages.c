/* timeline_stages.c - stages of the input as slices, each on its thread */
#include "sim/view/timeline/timeline_impl.h"

static OpStage stage_of(const Timeline *t, uint32_t op)
{
    return op_graph_op(system_graph(t->system), op)->stage;
}

static TraceTrack track_of(const Watched *w, OpStage stage)
{
    return timeline_track(w, PROCESS_NPU, THREAD_STAGES + stage);
}

static void on_begins(gpointer self, uint32_t npu, uint32_t op,
                      uint64_t iteration, SimTime now_ps)
{
    Timeline *t = self;
    Watched *w = timeline_watched(t, npu);
    OpStage stage = stage_of(t, op);
    g_autofree char *args = NULL;

    if (!w)
        return;
    if (!w->has_stage[stage]) {
        g_autofree char *name =
            g_strdup_printf("input: %s", op_stage_names[stage]);

        trace_file_name_thread(t->file, track_of(w, stage), name);
        w->has_stage[stage] = TRUE;
    }
    args = g_strdup_printf("\"iteration\":%" G_GUINT64_FORMAT, iteration);
    w->shows_stage[stage] =
        trace_file_begin(t->file, track_of(w, stage), op_stage_names[stage],
                         "input", now_ps, args);
}

static void on_ends(gpointer self, uint32_t npu, uint32_t op,
                    uint64_t iteration, SimTime now_ps)
{
    Timeline *t = self;
    Watched *w = timeline_watched(t, npu);
    OpStage stage = stage_of(t, op);

    (void)iteration;
    if (!w)
        return;
    w->last_op = op;
    if (w->shows_stage[stage])
        trace_file_end(t->file, track_of(w, stage), op_stage_names[stage],
                       now_ps);
}

const TraceOps timeline_stages = {
    .stage_begins = on_begins,
    .stage_ends = on_ends,
};
