/*
 * timeline_pipeline.c - the units of a pipeline schedule, a thread for each
 * stage
 *
 * A slice is a unit, from its first kernel to the end of its last one on the
 * first simulated NPU of the stage: F3 is the forward pass of micro-batch 3, B3
 * its backward pass, I3 and W3 the gradients of inputs and of weights, and F3.1
 * the forward pass through chunk 1.  The gaps are the bubble and exposed
 * communication.
 */
#include "sim/view/timeline/timeline_impl.h"

#define NO_NPU UINT32_MAX

static const OpUnit *schedule_unit_of_op(const Timeline *timeline, uint32_t op)
{
    const OpGraph *graph = system_graph(timeline->system);
    const Op *o = op_graph_op(graph, op);

    return o->unit > 0 && o->stream == OP_STREAM_MAIN
               ? &g_array_index(graph->units, OpUnit, o->unit - 1)
               : NULL;
}

static TraceTrack track_of_stage(const Timeline *timeline, uint32_t stage)
{
    return (TraceTrack){ .process = timeline->pipeline_process,
                         .thread = stage + 1 };
}

/* Returns the stage, whose NPU is the first that shows itself, or NULL if @npu
 * is another one. */
static PipelineStage *
find_or_add_timeline_stage(Timeline *timeline, uint32_t npu, const OpUnit *unit)
{
    const PipelineStage none = { .npu = NO_NPU };
    PipelineStage *stage;

    while (timeline->stages->len <= unit->stage)
        g_array_append_val(timeline->stages, none);
    stage = &g_array_index(timeline->stages, PipelineStage, unit->stage);
    if (stage->npu == NO_NPU) {
        g_autofree char *name =
            g_strdup_printf("stage %u (NPU %u)", unit->stage, npu);

        stage->npu = npu;
        trace_file_name_thread(timeline->file,
                               track_of_stage(timeline, unit->stage), name);
    }
    return stage->npu == npu ? stage : NULL;
}

static void end_unit_slice(const Timeline *timeline, PipelineStage *stage,
                           uint32_t number)
{
    if (stage->has_open_slice)
        trace_file_end_slice(timeline->file, track_of_stage(timeline, number),
                             stage->name, stage->end_ps);
    stage->has_open_slice = FALSE;
}

static void begin_unit_slice(const Timeline *timeline, PipelineStage *stage,
                             const OpUnit *unit, SimTime now_ps)
{
    if (g_str_equal(unit->pass, "update"))
        g_strlcpy(stage->name, unit->pass, sizeof stage->name);
    else if (unit->chunk > 0)
        g_snprintf(stage->name, sizeof stage->name, "%c%u.%u",
                   g_ascii_toupper(unit->pass[0]), unit->micro_batch,
                   unit->chunk);
    else
        g_snprintf(stage->name, sizeof stage->name, "%c%u",
                   g_ascii_toupper(unit->pass[0]), unit->micro_batch);
    stage->has_open_slice = trace_file_begin_slice(
        timeline->file, track_of_stage(timeline, unit->stage), stage->name,
        unit->pass, now_ps, NULL);
}

static void begin_kernel_slice(gpointer self, uint32_t npu, uint32_t op,
                               uint64_t iteration, SimTime now_ps)
{
    Timeline *timeline = self;
    const OpUnit *unit = schedule_unit_of_op(timeline, op);
    PipelineStage *stage =
        unit ? find_or_add_timeline_stage(timeline, npu, unit) : NULL;

    if (!stage || (stage->unit == unit && stage->iteration == iteration))
        return;
    end_unit_slice(timeline, stage, unit->stage);
    stage->unit = unit;
    stage->iteration = iteration;
    begin_unit_slice(timeline, stage, unit, now_ps);
}

static void end_kernel_slice(gpointer self, uint32_t npu, uint32_t op,
                             uint64_t iteration, SimTime now_ps)
{
    Timeline *timeline = self;
    const OpUnit *unit = schedule_unit_of_op(timeline, op);
    PipelineStage *stage =
        unit ? find_or_add_timeline_stage(timeline, npu, unit) : NULL;

    (void)iteration;
    if (stage)
        stage->end_ps = now_ps;
}

void timeline_finish_pipeline(Timeline *timeline)
{
    for (guint s = 0; s < timeline->stages->len; s++)
        end_unit_slice(timeline,
                       &g_array_index(timeline->stages, PipelineStage, s), s);
}

const TraceOps timeline_pipeline = {
    .kernel_begins = begin_kernel_slice,
    .kernel_ends = end_kernel_slice,
};
