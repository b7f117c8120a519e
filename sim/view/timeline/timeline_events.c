/* timeline_events.c - trace events of a run as slices and counts */
#include "sim/view/timeline/timeline_impl.h"

static Watched *watched_at(gpointer self, uint32_t npu)
{
    return timeline_watched(self, npu);
}

static const Op *op_at(const Timeline *t, uint32_t op)
{
    return op_graph_op(system_graph(t->system), op);
}

static const char *layer_of(const Timeline *t, uint32_t op)
{
    return g_ptr_array_index(system_graph(t->system)->layers,
                             op_at(t, op)->layer);
}

/* Returns the name of @op, which the caller owns. */
static char *make_name(const Timeline *t, uint32_t op)
{
    const Op *o = op_at(t, op);

    if (o->type == OP_STAGE)
        return g_strconcat(op_stage_names[o->stage], " of ", layer_of(t, op),
                           NULL);
    if (o->type == OP_COMPUTE)
        return g_strconcat(layer_of(t, op),
                           o->work.is_elementwise ? " elementwise" : NULL,
                           NULL);
    return g_strdup_printf("%s of %s", coll_kind_name(o->kind),
                           layer_of(t, op));
}

/* Returns a name such as "all-reduce of conv1", "conv1" or "conv1 elementwise",
 * which is borrowed.  Names are made once, because there are millions of slices
 * but few names. */
static const char *timeline_op_name(const Timeline *t, uint32_t op)
{
    gpointer *at;

    if (op >= t->op_names->len)
        g_ptr_array_set_size(t->op_names, (gint)op + 1);
    at = &g_ptr_array_index(t->op_names, op);
    if (!*at)
        *at = make_name(t, op);
    return *at;
}

/* ---- choosing threads for overlapping slices ----------------------------- */

/* Takes the first free thread, numbered from 1. */
static uint32_t take_thread(Timeline *t, Watched *w, uint32_t process)
{
    GArray *lanes = w->lanes[process];
    const gboolean taken = TRUE;
    g_autofree char *name = NULL;

    for (guint i = 0; i < lanes->len; i++) {
        if (g_array_index(lanes, gboolean, i))
            continue;
        g_array_index(lanes, gboolean, i) = TRUE;
        return i + 1;
    }
    g_array_append_val(lanes, taken);
    name = g_strdup_printf("%s %u",
                           process == PROCESS_CHUNKS ? "chunk" : "collective",
                           lanes->len);
    trace_file_name_thread(t->file, timeline_track(w, process, lanes->len),
                           name);
    return lanes->len;
}

static void release_thread(Watched *w, uint32_t process, uint32_t lane)
{
    g_array_index(w->lanes[process], gboolean, lane - 1) = FALSE;
}

Piece *timeline_piece(GArray *pieces, uint32_t i)
{
    if (i >= pieces->len)
        g_array_set_size(pieces, i + 1);
    return &g_array_index(pieces, Piece, i);
}

/* ---- slices of kernels and waits ----------------------------------------- */

static void add_wait(Timeline *t, const Watched *w, const char *name,
                     SimTime to_ps)
{
    TraceTrack track = timeline_track(w, PROCESS_NPU, THREAD_WAITS);

    if (w->since_ps < to_ps &&
        trace_file_begin(t->file, track, name, "exposed", w->since_ps, NULL))
        trace_file_end(t->file, track, name, to_ps);
}

void timeline_add_wait(Timeline *t, const Watched *w, uint32_t op,
                       SimTime to_ps)
{
    add_wait(t, w, timeline_op_name(t, op), to_ps);
}

static gboolean begin_kernel(const Timeline *t, const Watched *w, uint32_t op,
                             uint64_t iteration, SimTime now_ps)
{
    const Op *o = op_at(t, op);
    g_auto(TraceArgs) args = { 0 };

    trace_args_text(&args, "pass", op_pass_names[o->pass]);
    trace_args_number(&args, "iteration", iteration);
    trace_args_number(&args, "flop", o->work.flop);
    trace_args_number(&args, "HBM bytes", o->work.bytes);
    trace_args_number(&args, "written bytes", o->work.written_bytes);
    timeline_add_dependencies(t, w, op, iteration, &args);
    return trace_file_begin(
        t->file, timeline_track(w, PROCESS_NPU, THREAD_MAIN + o->stream),
        timeline_op_name(t, op), op_pass_names[o->pass], now_ps, &args);
}

static void on_kernel_begins(gpointer self, uint32_t npu, uint32_t op,
                             uint64_t iteration, SimTime now_ps)
{
    Timeline *t = self;
    Watched *w = watched_at(t, npu);
    OpStream stream = op_at(t, op)->stream;

    if (!w)
        return;
    w->shows_kernel[stream] = begin_kernel(t, w, op, iteration, now_ps);
    if (stream != OP_STREAM_MAIN)
        return;
    timeline_add_wait(t, w, w->last_op, now_ps);
    w->runs = TRUE;
}

static void on_kernel_ran(gpointer self, uint32_t npu, const TracePiece *piece,
                          SimTime now_ps)
{
    Timeline *t = self;
    Watched *w = watched_at(t, npu);

    if (!w || piece->stream != OP_STREAM_MAIN || piece->total_ps > 0)
        return;
    if (piece->from_ps == now_ps)
        w->since_ps = now_ps;
    else
        add_wait(t, w, "no SMs or no HBM bandwidth", now_ps);
}

static void on_kernel_ends(gpointer self, uint32_t npu, uint32_t op,
                           uint64_t iteration, SimTime now_ps)
{
    Timeline *t = self;
    Watched *w = watched_at(t, npu);
    OpStream stream = op_at(t, op)->stream;

    (void)iteration;
    if (!w)
        return;
    w->last_op = op;
    if (w->shows_kernel[stream])
        trace_file_end(t->file,
                       timeline_track(w, PROCESS_NPU, THREAD_MAIN + stream),
                       timeline_op_name(t, op), now_ps);
    if (stream != OP_STREAM_MAIN)
        return;
    w->runs = FALSE;
    w->since_ps = now_ps;
}

/* ---- slices of collectives and chunks ------------------------------------ */

/* Uses a separate thread until the end. */
void timeline_begin_piece(Timeline *t, Watched *w, uint32_t process,
                          Piece *piece, uint32_t op, const TraceArgs *args,
                          SimTime now_ps)
{
    *piece = (Piece){ .op = op, .lane = take_thread(t, w, process) };
    piece->shown = trace_file_begin(
        t->file, timeline_track(w, process, piece->lane),
        timeline_op_name(t, op),
        process == PROCESS_CHUNKS ? "chunk" : "collective", now_ps, args);
}

void timeline_end_piece(Timeline *t, Watched *w, uint32_t process, Piece *piece,
                        SimTime now_ps)
{
    if (piece->shown)
        trace_file_end(t->file, timeline_track(w, process, piece->lane),
                       timeline_op_name(t, piece->op), now_ps);
    release_thread(w, process, piece->lane);
    piece->lane = 0;
}

static void on_collective_begins(gpointer self, uint32_t npu, uint32_t op,
                                 uint64_t iteration, SimTime now_ps)
{
    Timeline *t = self;
    Watched *w = watched_at(t, npu);
    g_auto(TraceArgs) args = { 0 };

    if (!w || op_at(t, op)->lane != OP_NO_LANE)
        return;
    trace_args_text(&args, "pass", op_pass_names[op_at(t, op)->pass]);
    trace_args_number(&args, "iteration", iteration);
    trace_args_number(&args, "payload bytes", op_at(t, op)->payload_bytes);
    timeline_add_dependencies(t, w, op, iteration, &args);
    timeline_begin_piece(t, w, PROCESS_COLLECTIVES,
                         timeline_piece(w->collectives, op), op, &args, now_ps);
}

static void on_collective_ends(gpointer self, uint32_t npu, uint32_t op,
                               uint64_t iteration, SimTime now_ps)
{
    Watched *w = watched_at(self, npu);

    (void)iteration;
    if (!w)
        return;
    w->last_op = op;
    if (op_at(self, op)->lane == OP_NO_LANE)
        timeline_end_piece(self, w, PROCESS_COLLECTIVES,
                           timeline_piece(w->collectives, op), now_ps);
}

static void on_chunk_begins(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps)
{
    Watched *w = watched_at(self, chunk->npu);
    g_auto(TraceArgs) args = { 0 };

    if (!w)
        return;
    trace_args_number(&args, "chunk", chunk->index);
    trace_args_number(&args, "iteration", chunk->iteration);
    trace_args_number(&args, "bytes", chunk->bytes);
    timeline_begin_piece(self, w, PROCESS_CHUNKS,
                         timeline_piece(w->chunks, chunk->slot), chunk->op,
                         &args, now_ps);
}

static void on_chunk_ends(gpointer self, const TraceChunk *chunk,
                          SimTime now_ps)
{
    Watched *w = watched_at(self, chunk->npu);

    if (w)
        timeline_end_piece(self, w, PROCESS_CHUNKS,
                           timeline_piece(w->chunks, chunk->slot), now_ps);
}

/* Begins a phase of a chunk, or a transfer through a DMA engine; only one at a
 * time. */
void timeline_begin_part(const Timeline *t, const Watched *w, uint32_t process,
                         Piece *piece, const char *name, const char *category,
                         SimTime now_ps)
{
    piece->shows_part =
        trace_file_begin(t->file, timeline_track(w, process, piece->lane), name,
                         category, now_ps, NULL);
}

void timeline_end_part(const Timeline *t, const Watched *w, uint32_t process,
                       const Piece *piece, const char *name, SimTime now_ps)
{
    if (piece->shows_part)
        trace_file_end(t->file, timeline_track(w, process, piece->lane), name,
                       now_ps);
}

/* Returns the name, which is borrowed. */
static const char *phase_name(const Timeline *t, const TraceChunk *chunk,
                              uint32_t phase)
{
    const CollPhase *p = &chunk->plan->phases[phase];
    gpointer key = GUINT_TO_POINTER((phase * COLL_N_ALL_KINDS + p->group.kind) *
                                        TOPOLOGY_MAX_DIMS +
                                    p->dim);
    char *name = g_hash_table_lookup(t->phase_names, key);

    if (name)
        return name;
    name = g_strdup_printf("phase %u: %s, dimension %u", phase,
                           coll_kind_name(p->group.kind), p->dim);
    g_hash_table_insert(t->phase_names, key, name);
    return name;
}

static void on_phase_begins(gpointer self, const TraceChunk *chunk,
                            uint32_t phase, SimTime now_ps)
{
    Watched *w = watched_at(self, chunk->npu);
    Piece *piece;

    if (!w)
        return;
    piece = timeline_piece(w->chunks, chunk->slot);
    timeline_begin_part(self, w, PROCESS_CHUNKS, piece,
                        phase_name(self, chunk, phase), "phase", now_ps);
    piece->had_phase = TRUE;
}

static void on_phase_ends(gpointer self, const TraceChunk *chunk,
                          uint32_t phase, SimTime now_ps)
{
    Watched *w = watched_at(self, chunk->npu);

    if (w)
        timeline_end_part(self, w, PROCESS_CHUNKS,
                          timeline_piece(w->chunks, chunk->slot),
                          phase_name(self, chunk, phase), now_ps);
}

static const char *move_name(const Piece *piece)
{
    return piece->had_phase ? "DMA out" : "DMA in";
}

static void on_chunk_handed(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps)
{
    Watched *w = watched_at(self, chunk->npu);
    Piece *piece;

    if (!w)
        return;
    piece = timeline_piece(w->chunks, chunk->slot);
    timeline_begin_part(self, w, PROCESS_CHUNKS, piece, move_name(piece), "dma",
                        now_ps);
}

static void on_chunk_moved(gpointer self, const TraceChunk *chunk,
                           TraceResource by, SimTime free_ps, SimTime now_ps)
{
    Watched *w = watched_at(self, chunk->npu);
    const Piece *piece;

    (void)by;
    (void)free_ps;
    if (!w)
        return;
    piece = timeline_piece(w->chunks, chunk->slot);
    timeline_end_part(self, w, PROCESS_CHUNKS, piece, move_name(piece), now_ps);
}

const TraceOps timeline_ops = {
    .kernel_begins = on_kernel_begins,
    .kernel_ran = on_kernel_ran,
    .kernel_ends = on_kernel_ends,
    .collective_begins = on_collective_begins,
    .collective_ends = on_collective_ends,
    .chunk_begins = on_chunk_begins,
    .phase_begins = on_phase_begins,
    .phase_ends = on_phase_ends,
    .chunk_ends = on_chunk_ends,
    .chunk_submitted = on_chunk_handed,
    .chunk_moved = on_chunk_moved,
};
