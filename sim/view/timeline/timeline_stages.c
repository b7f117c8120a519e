/* timeline_stages.c - stages as slices, with one thread per queue */
#include "sim/view/timeline/timeline_impl.h"

static const Op *get_op_of_timeline(const Timeline *timeline, uint32_t op)
{
    return op_graph_op(system_graph(timeline->system), op);
}

static TraceTrack track_of_queue(const WatchedNpu *watched_npu, uint32_t queue)
{
    return timeline_track_of_npu(watched_npu, PROCESS_NPU,
                                 THREAD_QUEUES + queue);
}

/* Reading, decoding and copying a batch come before OP_STAGE_HOST. */
static gboolean is_input_stage(OpStage stage)
{
    return stage < OP_STAGE_HOST;
}

static void name_queue_thread(const Timeline *timeline, WatchedNpu *watched_npu,
                              uint32_t queue)
{
    const OpQueue *of = op_graph_queue(system_graph(timeline->system), queue);
    g_autofree char *name =
        is_input_stage(of->stage)
            ? g_strdup_printf("input: %s", of->name)
            : g_strdup_printf("%s %s", op_stage_names[of->stage], of->name);

    trace_file_name_thread(timeline->file, track_of_queue(watched_npu, queue),
                           name);
    watched_npu->has_queue[queue] = TRUE;
}

static const char *stage_slice_name(const Timeline *timeline, const Op *op)
{
    return is_input_stage(op->stage)
               ? op_stage_names[op->stage]
               : g_ptr_array_index(system_graph(timeline->system)->layers,
                                   op->layer);
}

static void begin_stage_slice(gpointer self, uint32_t npu, uint32_t op,
                              uint64_t iteration, SimTime now_ps)
{
    Timeline *timeline = self;
    WatchedNpu *watched_npu = timeline_find_watched(timeline, npu);
    const Op *o = get_op_of_timeline(timeline, op);
    g_auto(TraceArgs) args = { 0 };

    if (!watched_npu)
        return;
    if (!watched_npu->has_queue[o->queue])
        name_queue_thread(timeline, watched_npu, o->queue);
    trace_args_add_number(&args, "iteration", iteration);
    timeline_add_dependencies(timeline, watched_npu, op, iteration, &args);
    trace_args_add_text(
        &args, "queue",
        op_graph_queue(system_graph(timeline->system), o->queue)->name);
    watched_npu->shows_stage[o->queue] = trace_file_begin_slice(
        timeline->file, track_of_queue(watched_npu, o->queue),
        stage_slice_name(timeline, o),
        is_input_stage(o->stage) ? "input" : op_stage_names[o->stage], now_ps,
        &args);
}

static void end_stage_slice(gpointer self, uint32_t npu, uint32_t op,
                            uint64_t iteration, SimTime now_ps)
{
    Timeline *timeline = self;
    WatchedNpu *watched_npu = timeline_find_watched(timeline, npu);
    const Op *o = get_op_of_timeline(timeline, op);

    (void)iteration;
    if (!watched_npu)
        return;
    watched_npu->last_op = op;
    if (watched_npu->shows_stage[o->queue])
        trace_file_end_slice(timeline->file,
                             track_of_queue(watched_npu, o->queue),
                             stage_slice_name(timeline, o), now_ps);
}

const TraceOps timeline_stages = {
    .stage_begins = begin_stage_slice,
    .stage_ends = end_stage_slice,
};
