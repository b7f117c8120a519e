/*
 * timeline_collective_lanes.c - lanes as slices: waiting and admitted
 * operations
 *
 * An operation has a slice from its submission to its admission by the lane.
 * An admitted operation has another slice until it ends.  A fusion buffer is
 * named by its members; its slice contains the negotiation and the copies.
 */
#include "sim/view/timeline/timeline_impl.h"

static const char *name_of_lane(const Timeline *timeline, uint32_t lane)
{
    return op_graph_lane(system_graph(timeline->system), lane)->name;
}

static const Op *get_op_of_timeline(const Timeline *timeline, uint32_t op)
{
    return op_graph_op(system_graph(timeline->system), op);
}

static void on_operation_submitted(gpointer self, uint32_t npu, uint32_t op,
                                   uint64_t iteration, SimTime now_ps)
{
    Timeline *timeline = self;
    WatchedNpu *watched_npu = timeline_find_watched(timeline, npu);
    g_auto(TraceArgs) args = { 0 };

    if (!watched_npu)
        return;
    trace_args_add_text(
        &args, "waits in lane",
        name_of_lane(timeline, get_op_of_timeline(timeline, op)->lane));
    trace_args_add_number(&args, "iteration", iteration);
    trace_args_add_number(&args, "payload bytes",
                          get_op_of_timeline(timeline, op)->payload_bytes);
    timeline_add_dependencies(timeline, watched_npu, op, iteration, &args);
    timeline_begin_slice_on_free_thread(
        timeline, watched_npu, PROCESS_COLLECTIVES,
        timeline_piece_at(watched_npu->collectives, op), op, &args, now_ps);
}

/* Returns the layers in the buffer.  The caller owns the text. */
static char *fused_layers_text(const Timeline *timeline, const TraceLoad *load)
{
    GString *of = g_string_new(NULL);

    for (uint32_t i = 0; i < load->n_members; i++)
        g_string_append_printf(
            of, "%s%s", i > 0 ? ", " : "",
            (const char *)g_ptr_array_index(
                system_graph(timeline->system)->layers,
                get_op_of_timeline(timeline, load->members[i].op)->layer));
    return g_string_free(of, FALSE);
}

#define TALK "negotiation"
#define COPY "copy"

static void begin_admitted_slice(Timeline *timeline, WatchedNpu *watched_npu,
                                 const TraceLoad *load, SimTime now_ps)
{
    TimelinePiece *piece = timeline_piece_at(watched_npu->loads, load->slot);
    g_autofree char *of = fused_layers_text(timeline, load);
    g_auto(TraceArgs) args = { 0 };

    trace_args_add_text(&args, "lane", name_of_lane(timeline, load->lane));
    trace_args_add_number(&args, "payload bytes", load->bytes);
    trace_args_add_text(&args, "of", of);
    for (uint32_t i = 0; i < load->n_members; i++)
        timeline_end_slice_on_thread(
            timeline, watched_npu, PROCESS_COLLECTIVES,
            timeline_piece_at(watched_npu->collectives, load->members[i].op),
            now_ps);
    timeline_begin_slice_on_free_thread(timeline, watched_npu,
                                        PROCESS_COLLECTIVES, piece, load->op,
                                        &args, now_ps);
    if (load->begin_ps > now_ps)
        timeline_begin_child_slice(timeline, watched_npu, PROCESS_COLLECTIVES,
                                   piece, TALK, "lane", now_ps);
}

static void on_load_admitted(gpointer self, const TraceLoad *load,
                             SimTime now_ps)
{
    Timeline *timeline = self;

    for (guint i = 0; i < timeline->n_npus; i++) {
        WatchedNpu *watched_npu = timeline->watched[i];

        if (watched_npu &&
            coll_placement_npu_runs_op(system_placement(timeline->system),
                                       watched_npu->npu,
                                       get_op_of_timeline(timeline, load->op)))
            begin_admitted_slice(timeline, watched_npu, load, now_ps);
    }
}

static void end_fusion_buffer_slice(Timeline *timeline, uint32_t npu,
                                    const TraceLoad *load, const char *name,
                                    SimTime now_ps)
{
    WatchedNpu *watched_npu = timeline_find_watched(timeline, npu);

    if (watched_npu)
        timeline_end_child_slice(
            timeline, watched_npu, PROCESS_COLLECTIVES,
            timeline_piece_at(watched_npu->loads, load->slot), name, now_ps);
}

static void on_load_begins(gpointer self, uint32_t npu, const TraceLoad *load,
                           SimTime now_ps)
{
    end_fusion_buffer_slice(self, npu, load, TALK, now_ps);
}

static void on_load_copy_begins(gpointer self, uint32_t npu,
                                const TraceLoad *load, SimTime now_ps)
{
    WatchedNpu *watched_npu = timeline_find_watched(self, npu);

    if (watched_npu)
        timeline_begin_child_slice(
            self, watched_npu, PROCESS_COLLECTIVES,
            timeline_piece_at(watched_npu->loads, load->slot), COPY, "lane",
            now_ps);
}

static void on_load_copy_ends(gpointer self, uint32_t npu,
                              const TraceLoad *load, SimTime now_ps)
{
    end_fusion_buffer_slice(self, npu, load, COPY, now_ps);
}

static void on_load_ends(gpointer self, uint32_t npu, const TraceLoad *load,
                         SimTime now_ps)
{
    WatchedNpu *watched_npu = timeline_find_watched(self, npu);

    if (watched_npu)
        timeline_end_slice_on_thread(
            self, watched_npu, PROCESS_COLLECTIVES,
            timeline_piece_at(watched_npu->loads, load->slot), now_ps);
}

const TraceOps timeline_lanes = {
    .collective_queued = on_operation_submitted,
    .load_released = on_load_admitted,
    .load_begins = on_load_begins,
    .load_copies = on_load_copy_begins,
    .load_copied = on_load_copy_ends,
    .load_ends = on_load_ends,
};
