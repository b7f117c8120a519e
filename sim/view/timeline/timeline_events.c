/* timeline_events.c - trace events of a run as slices and counts */
#include "sim/view/timeline/timeline_impl.h"

static WatchedNpu *find_watched_npu(gpointer self, uint32_t npu)
{
    return timeline_find_watched(self, npu);
}

static const Op *get_op_of_timeline(const Timeline *timeline, uint32_t op)
{
    return op_graph_op(system_graph(timeline->system), op);
}

static const char *layer_of_recorded_operation(const Timeline *timeline,
                                               uint32_t op)
{
    return g_ptr_array_index(system_graph(timeline->system)->layers,
                             get_op_of_timeline(timeline, op)->layer);
}

/* Returns the name of @op, which the caller owns. */
static char *make_operation_name(const Timeline *timeline, uint32_t op)
{
    const Op *o = get_op_of_timeline(timeline, op);

    if (o->type == OP_STAGE)
        return g_strconcat(op_stage_names[o->stage], " of ",
                           layer_of_recorded_operation(timeline, op), NULL);
    if (o->type == OP_COMPUTE)
        return g_strconcat(layer_of_recorded_operation(timeline, op),
                           o->work->is_elementwise ? " elementwise" : NULL,
                           NULL);
    return g_strdup_printf("%s of %s", coll_kind_name(o->kind),
                           layer_of_recorded_operation(timeline, op));
}

/* Returns a name such as "all-reduce of conv1", "conv1" or "conv1 elementwise",
 * which is borrowed.  Names are made once, because there are millions of slices
 * but few names. */
static const char *name_of_operation(const Timeline *timeline, uint32_t op)
{
    gpointer *at;

    if (op >= timeline->op_names->len)
        g_ptr_array_set_size(timeline->op_names, (gint)op + 1);
    at = &g_ptr_array_index(timeline->op_names, op);
    if (!*at)
        *at = make_operation_name(timeline, op);
    return *at;
}

/* ---- choosing threads for overlapping slices ----------------------------- */

/* Takes the first free thread, numbered from 1. */
static uint32_t take_free_slice_thread(Timeline *timeline,
                                       WatchedNpu *watched_npu,
                                       uint32_t process)
{
    GArray *is_taken = watched_npu->is_thread_taken[process];
    const gboolean taken = TRUE;
    g_autofree char *name = NULL;

    for (guint i = 0; i < is_taken->len; i++) {
        if (g_array_index(is_taken, gboolean, i))
            continue;
        g_array_index(is_taken, gboolean, i) = TRUE;
        return i + 1;
    }
    g_array_append_val(is_taken, taken);
    name = g_strdup_printf("%s %u",
                           process == PROCESS_CHUNKS ? "chunk" : "collective",
                           is_taken->len);
    trace_file_name_thread(
        timeline->file,
        timeline_track_of_npu(watched_npu, process, is_taken->len), name);
    return is_taken->len;
}

static void release_slice_thread(WatchedNpu *watched_npu, uint32_t process,
                                 uint32_t thread)
{
    g_array_index(watched_npu->is_thread_taken[process], gboolean, thread - 1) =
        FALSE;
}

TimelinePiece *timeline_piece_at(GArray *pieces, uint32_t i)
{
    if (i >= pieces->len)
        g_array_set_size(pieces, i + 1);
    return &g_array_index(pieces, TimelinePiece, i);
}

/* ---- slices of kernels and waits ----------------------------------------- */

static void add_exposed_wait(Timeline *timeline, const WatchedNpu *watched_npu,
                             const char *name, SimTime to_ps)
{
    TraceTrack track =
        timeline_track_of_npu(watched_npu, PROCESS_NPU, THREAD_WAITS);

    if (watched_npu->since_ps < to_ps &&
        trace_file_begin_slice(timeline->file, track, name, "exposed",
                               watched_npu->since_ps, NULL))
        trace_file_end_slice(timeline->file, track, name, to_ps);
}

void timeline_add_wait(Timeline *timeline, const WatchedNpu *watched_npu,
                       uint32_t op, SimTime to_ps)
{
    add_exposed_wait(timeline, watched_npu, name_of_operation(timeline, op),
                     to_ps);
}

static gboolean begin_kernel_slice(const Timeline *timeline,
                                   const WatchedNpu *watched_npu, uint32_t op,
                                   uint64_t iteration, SimTime now_ps)
{
    const Op *o = get_op_of_timeline(timeline, op);
    g_auto(TraceArgs) args = { 0 };

    trace_args_add_text(&args, "pass", op_pass_names[o->pass]);
    trace_args_add_number(&args, "iteration", iteration);
    trace_args_add_number(&args, "flop", o->work->flop);
    trace_args_add_number(&args, "HBM bytes", o->work->bytes);
    trace_args_add_number(&args, "written bytes", o->work->written_bytes);
    timeline_add_dependencies(timeline, watched_npu, op, iteration, &args);
    return trace_file_begin_slice(
        timeline->file,
        timeline_track_of_npu(watched_npu, PROCESS_NPU,
                              THREAD_MAIN + o->stream),
        name_of_operation(timeline, op), op_pass_names[o->pass], now_ps, &args);
}

static void begin_kernel_slice_after_wait(gpointer self, uint32_t npu,
                                          uint32_t op, uint64_t iteration,
                                          SimTime now_ps)
{
    Timeline *timeline = self;
    WatchedNpu *watched_npu = find_watched_npu(timeline, npu);
    OpStream stream = get_op_of_timeline(timeline, op)->stream;

    if (!watched_npu)
        return;
    watched_npu->shows_kernel[stream] =
        begin_kernel_slice(timeline, watched_npu, op, iteration, now_ps);
    if (stream != OP_STREAM_MAIN)
        return;
    timeline_add_wait(timeline, watched_npu, watched_npu->last_op, now_ps);
    watched_npu->runs = TRUE;
}

static void record_kernel_wait(gpointer self, uint32_t npu,
                               const TracePiece *piece, SimTime now_ps)
{
    Timeline *timeline = self;
    WatchedNpu *watched_npu = find_watched_npu(timeline, npu);

    if (!watched_npu || piece->stream != OP_STREAM_MAIN || piece->total_ps > 0)
        return;
    if (piece->from_ps == now_ps)
        watched_npu->since_ps = now_ps;
    else
        add_exposed_wait(timeline, watched_npu, "no SMs or no HBM bandwidth",
                         now_ps);
}

static void end_kernel_slice(gpointer self, uint32_t npu, uint32_t op,
                             uint64_t iteration, SimTime now_ps)
{
    Timeline *timeline = self;
    WatchedNpu *watched_npu = find_watched_npu(timeline, npu);
    OpStream stream = get_op_of_timeline(timeline, op)->stream;

    (void)iteration;
    if (!watched_npu)
        return;
    watched_npu->last_op = op;
    if (watched_npu->shows_kernel[stream])
        trace_file_end_slice(timeline->file,
                             timeline_track_of_npu(watched_npu, PROCESS_NPU,
                                                   THREAD_MAIN + stream),
                             name_of_operation(timeline, op), now_ps);
    if (stream != OP_STREAM_MAIN)
        return;
    watched_npu->runs = FALSE;
    watched_npu->since_ps = now_ps;
}

/* ---- slices of collectives and chunks ------------------------------------ */

/* Uses a separate thread until the end. */
void timeline_begin_slice_on_free_thread(Timeline *timeline,
                                         WatchedNpu *watched_npu,
                                         uint32_t process, TimelinePiece *piece,
                                         uint32_t op, const TraceArgs *args,
                                         SimTime now_ps)
{
    *piece = (TimelinePiece){ .op = op,
                              .thread = take_free_slice_thread(
                                  timeline, watched_npu, process) };
    piece->has_open_slice = trace_file_begin_slice(
        timeline->file,
        timeline_track_of_npu(watched_npu, process, piece->thread),
        name_of_operation(timeline, op),
        process == PROCESS_CHUNKS ? "chunk" : "collective", now_ps, args);
}

void timeline_end_slice_on_thread(Timeline *timeline, WatchedNpu *watched_npu,
                                  uint32_t process, TimelinePiece *piece,
                                  SimTime now_ps)
{
    if (piece->has_open_slice)
        trace_file_end_slice(
            timeline->file,
            timeline_track_of_npu(watched_npu, process, piece->thread),
            name_of_operation(timeline, piece->op), now_ps);
    release_slice_thread(watched_npu, process, piece->thread);
    piece->thread = 0;
}

static void begin_collective_slice(gpointer self, uint32_t npu, uint32_t op,
                                   uint64_t iteration, SimTime now_ps)
{
    Timeline *timeline = self;
    WatchedNpu *watched_npu = find_watched_npu(timeline, npu);
    g_auto(TraceArgs) args = { 0 };

    if (!watched_npu || get_op_of_timeline(timeline, op)->lane != OP_NO_LANE)
        return;
    trace_args_add_text(&args, "pass",
                        op_pass_names[get_op_of_timeline(timeline, op)->pass]);
    trace_args_add_number(&args, "iteration", iteration);
    trace_args_add_number(&args, "payload bytes",
                          get_op_of_timeline(timeline, op)->payload_bytes);
    timeline_add_dependencies(timeline, watched_npu, op, iteration, &args);
    timeline_begin_slice_on_free_thread(
        timeline, watched_npu, PROCESS_COLLECTIVES,
        timeline_piece_at(watched_npu->collectives, op), op, &args, now_ps);
}

static void end_collective_slice(gpointer self, uint32_t npu, uint32_t op,
                                 uint64_t iteration, SimTime now_ps)
{
    WatchedNpu *watched_npu = find_watched_npu(self, npu);

    (void)iteration;
    if (!watched_npu)
        return;
    watched_npu->last_op = op;
    if (get_op_of_timeline(self, op)->lane == OP_NO_LANE)
        timeline_end_slice_on_thread(
            self, watched_npu, PROCESS_COLLECTIVES,
            timeline_piece_at(watched_npu->collectives, op), now_ps);
}

static void begin_chunk_slice(gpointer self, const TraceChunk *chunk,
                              SimTime now_ps)
{
    WatchedNpu *watched_npu = find_watched_npu(self, chunk->npu);
    g_auto(TraceArgs) args = { 0 };

    if (!watched_npu)
        return;
    trace_args_add_number(&args, "chunk", chunk->index);
    trace_args_add_number(&args, "iteration", chunk->iteration);
    trace_args_add_number(&args, "bytes", chunk->bytes);
    timeline_begin_slice_on_free_thread(
        self, watched_npu, PROCESS_CHUNKS,
        timeline_piece_at(watched_npu->chunks, chunk->slot), chunk->op, &args,
        now_ps);
}

static void end_chunk_slice(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps)
{
    WatchedNpu *watched_npu = find_watched_npu(self, chunk->npu);

    if (watched_npu)
        timeline_end_slice_on_thread(
            self, watched_npu, PROCESS_CHUNKS,
            timeline_piece_at(watched_npu->chunks, chunk->slot), now_ps);
}

/* Begins a phase of a chunk, or a transfer through a DMA engine; only one at a
 * time. */
void timeline_begin_child_slice(const Timeline *timeline,
                                const WatchedNpu *watched_npu, uint32_t process,
                                TimelinePiece *piece, const char *name,
                                const char *category, SimTime now_ps)
{
    piece->has_open_phase_slice = trace_file_begin_slice(
        timeline->file,
        timeline_track_of_npu(watched_npu, process, piece->thread), name,
        category, now_ps, NULL);
}

void timeline_end_child_slice(const Timeline *timeline,
                              const WatchedNpu *watched_npu, uint32_t process,
                              const TimelinePiece *piece, const char *name,
                              SimTime now_ps)
{
    if (piece->has_open_phase_slice)
        trace_file_end_slice(
            timeline->file,
            timeline_track_of_npu(watched_npu, process, piece->thread), name,
            now_ps);
}

/* Returns the name, which is borrowed. */
static const char *name_of_chunk_phase(const Timeline *timeline,
                                       const TraceChunk *chunk, uint32_t phase)
{
    const CollPhase *coll_phase = &chunk->plan->phases[phase];
    gpointer key =
        GUINT_TO_POINTER((phase * COLL_N_ALL_KINDS + coll_phase->group.kind) *
                             TOPOLOGY_MAX_DIMS +
                         coll_phase->dim);
    char *name = g_hash_table_lookup(timeline->phase_names, key);

    if (name)
        return name;
    name = g_strdup_printf("phase %u: %s, dimension %u", phase,
                           coll_kind_name(coll_phase->group.kind),
                           coll_phase->dim);
    g_hash_table_insert(timeline->phase_names, key, name);
    return name;
}

static void begin_phase_slice(gpointer self, const TraceChunk *chunk,
                              uint32_t phase, SimTime now_ps)
{
    WatchedNpu *watched_npu = find_watched_npu(self, chunk->npu);
    TimelinePiece *piece;

    if (!watched_npu)
        return;
    piece = timeline_piece_at(watched_npu->chunks, chunk->slot);
    timeline_begin_child_slice(self, watched_npu, PROCESS_CHUNKS, piece,
                               name_of_chunk_phase(self, chunk, phase), "phase",
                               now_ps);
    piece->had_phase = TRUE;
}

static void end_phase_slice(gpointer self, const TraceChunk *chunk,
                            uint32_t phase, SimTime now_ps)
{
    WatchedNpu *watched_npu = find_watched_npu(self, chunk->npu);

    if (watched_npu)
        timeline_end_child_slice(
            self, watched_npu, PROCESS_CHUNKS,
            timeline_piece_at(watched_npu->chunks, chunk->slot),
            name_of_chunk_phase(self, chunk, phase), now_ps);
}

static const char *name_of_transfer(const TimelinePiece *piece)
{
    return piece->had_phase ? "DMA out" : "DMA in";
}

static void begin_dma_slice(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps)
{
    WatchedNpu *watched_npu = find_watched_npu(self, chunk->npu);
    TimelinePiece *piece;

    if (!watched_npu)
        return;
    piece = timeline_piece_at(watched_npu->chunks, chunk->slot);
    timeline_begin_child_slice(self, watched_npu, PROCESS_CHUNKS, piece,
                               name_of_transfer(piece), "dma", now_ps);
}

static void end_dma_slice(gpointer self, const TraceChunk *chunk,
                          TraceResource by, SimTime free_ps, SimTime now_ps)
{
    WatchedNpu *watched_npu = find_watched_npu(self, chunk->npu);
    const TimelinePiece *piece;

    (void)by;
    (void)free_ps;
    if (!watched_npu)
        return;
    piece = timeline_piece_at(watched_npu->chunks, chunk->slot);
    timeline_end_child_slice(self, watched_npu, PROCESS_CHUNKS, piece,
                             name_of_transfer(piece), now_ps);
}

const TraceOps timeline_ops = {
    .kernel_begins = begin_kernel_slice_after_wait,
    .kernel_ran = record_kernel_wait,
    .kernel_ends = end_kernel_slice,
    .collective_begins = begin_collective_slice,
    .collective_ends = end_collective_slice,
    .chunk_begins = begin_chunk_slice,
    .phase_begins = begin_phase_slice,
    .phase_ends = end_phase_slice,
    .chunk_ends = end_chunk_slice,
    .chunk_submitted = begin_dma_slice,
    .chunk_moved = end_dma_slice,
};
