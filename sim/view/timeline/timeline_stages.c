/* timeline_stages.c - stages as slices, with one thread per queue */
#include "sim/view/timeline/timeline_impl.h"

static const Op *op_at(const Timeline *t, uint32_t op)
{
    return op_graph_op(system_graph(t->system), op);
}

static TraceTrack track_of(const Watched *w, uint32_t queue)
{
    return timeline_track(w, PROCESS_NPU, THREAD_QUEUES + queue);
}

static gboolean is_input(OpStage stage)
{
    return stage < OP_STAGE_HOST;
}

static void name_thread(const Timeline *t, Watched *w, uint32_t queue)
{
    const OpQueue *of = op_graph_queue(system_graph(t->system), queue);
    g_autofree char *name =
        is_input(of->stage)
            ? g_strdup_printf("input: %s", of->name)
            : g_strdup_printf("%s %s", op_stage_names[of->stage], of->name);

    trace_file_name_thread(t->file, track_of(w, queue), name);
    w->has_queue[queue] = TRUE;
}

static const char *slice_name(const Timeline *t, const Op *op)
{
    return is_input(op->stage)
               ? op_stage_names[op->stage]
               : g_ptr_array_index(system_graph(t->system)->layers, op->layer);
}

static void on_begins(gpointer self, uint32_t npu, uint32_t op,
                      uint64_t iteration, SimTime now_ps)
{
    Timeline *t = self;
    Watched *w = timeline_watched(t, npu);
    const Op *o = op_at(t, op);
    g_auto(TraceArgs) args = { 0 };

    if (!w)
        return;
    if (!w->has_queue[o->queue])
        name_thread(t, w, o->queue);
    trace_args_number(&args, "iteration", iteration);
    timeline_add_dependencies(t, w, op, iteration, &args);
    trace_args_text(&args, "queue",
                    op_graph_queue(system_graph(t->system), o->queue)->name);
    w->shows_stage[o->queue] = trace_file_begin(
        t->file, track_of(w, o->queue), slice_name(t, o),
        is_input(o->stage) ? "input" : op_stage_names[o->stage], now_ps, &args);
}

static void on_ends(gpointer self, uint32_t npu, uint32_t op,
                    uint64_t iteration, SimTime now_ps)
{
    Timeline *t = self;
    Watched *w = timeline_watched(t, npu);
    const Op *o = op_at(t, op);

    (void)iteration;
    if (!w)
        return;
    w->last_op = op;
    if (w->shows_stage[o->queue])
        trace_file_end(t->file, track_of(w, o->queue), slice_name(t, o),
                       now_ps);
}

const TraceOps timeline_stages = {
    .stage_begins = on_begins,
    .stage_ends = on_ends,
};
