/* verify.c - checks of data at the start and the end of chunks and
 * operations */
#include "models/observe/verify.h"

#include "models/observe/verify_impl.h"
#include "models/observe/verify_reduction.h"

static void free_chunk(gpointer data)
{
    verify_chunk_free(data);
}

static void free_loads(gpointer data)
{
    g_queue_free_full(data, g_free);
}

static void free_reduction(gpointer data)
{
    verify_reduction_free(data);
}

static guint place_hash(gconstpointer data)
{
    const VerifyPlace *place = data;
    uint64_t hash = place->seq;

    hash = hash * 1000003 + place->npu;
    hash = hash * 1000003 + place->phase;
    hash = hash * 1000003 + place->lane;
    hash = hash * 1000003 + place->step;
    return (guint)(hash ^ hash >> 32);
}

/* Compares places by a fixed order, so that all runs report the same error. */
static int verify_compare_places(const VerifyPlace *a, const VerifyPlace *b)
{
    if (a->seq != b->seq)
        return a->seq < b->seq ? -1 : 1;
    if (a->npu != b->npu)
        return a->npu < b->npu ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

static gboolean place_equal(gconstpointer a, gconstpointer b)
{
    return verify_compare_places(a, b) == 0;
}

Verify *verify_new(const OpGraph *graph, uint32_t n_npus)
{
    Verify *verify = g_new0(Verify, 1);

    verify->graph = graph;
    verify->n_npus = n_npus;
    verify->all = coll_members_of_all(n_npus);
    verify->ops = verify_ops_new(graph, n_npus);
    verify->loads = verify_buffers_new(graph, verify->ops);
    verify->chunks =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_chunk);
    verify->in_flight =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    verify->arrived =
        g_hash_table_new_full(place_hash, place_equal, g_free, free_loads);
    verify->reductions =
        g_hash_table_new_full(place_hash, place_equal, g_free, free_reduction);
    return verify;
}

void verify_set_placement(Verify *verify, const CollPlacement *placement)
{
    verify->placement = placement;
    verify_ops_set_placement(verify->ops, placement);
}

/* Returns the groups of @op. */
static const CollMembers *verify_members(const Verify *verify, uint32_t op)
{
    return verify->placement
               ? coll_placement_members(verify->placement,
                                        op_graph_op(verify->graph, op))
               : &verify->all;
}

/* Returns the number of NPUs that take part in @op. */
static uint32_t count_participants(const Verify *verify, uint32_t op)
{
    uint32_t n = 0;

    for (uint32_t npu = 0; npu < verify->n_npus; npu++)
        if (!verify->placement ||
            coll_placement_runs(verify->placement, npu,
                                op_graph_op(verify->graph, op)))
            n++;
    return n;
}

void verify_free(Verify *verify)
{
    if (!verify)
        return;
    verify_buffers_free(verify->loads);
    verify_ops_free(verify->ops);
    g_hash_table_unref(verify->chunks);
    g_hash_table_unref(verify->in_flight);
    g_hash_table_unref(verify->arrived);
    g_hash_table_unref(verify->reductions);
    g_free(verify->error);
    g_free(verify);
}

const char *verify_error(const Verify *verify)
{
    return verify->error;
}

uint64_t verify_n_chunks(const Verify *verify)
{
    return verify->n_chunks;
}

/* Keeps @error if it is the first one, otherwise frees it.  @error may be
 * NULL. */
static void verify_keep_error(Verify *verify, char *error)
{
    if (verify->error)
        g_free(error);
    else
        verify->error = error;
}

void verify_take_error(Verify *verify, const TraceStep *at, char *what)
{
    const Chunk *chunk = at->chunk;
    g_autoptr(GString) text = NULL;

    if (!what)
        return;
    text = g_string_new(NULL);
    g_string_append_printf(text, "NPU %u, ", at->npu);
    op_graph_name(verify->graph, chunk->op, text);
    g_string_append_printf(text,
                           ", iteration %" G_GUINT64_FORMAT
                           ", chunk %u, phase %u, step %u, lane %u: %s",
                           chunk->iteration, chunk->index, at->phase, at->step,
                           at->lane, what);
    verify_keep_error(verify, g_string_free(g_steal_pointer(&text), FALSE));
    g_free(what);
}

void verify_add_error(Verify *verify, const TraceStep *at, const char *what)
{
    verify_take_error(verify, at, g_strdup(what));
}

VerifyChunk *verify_find(Verify *verify, const TraceStep *at)
{
    VerifyChunk *c = g_hash_table_lookup(verify->chunks, &at->chunk->seq);
    const CollPlan *plan = at->chunk->plan;

    if (verify->error)
        return NULL;
    if (!c)
        verify_add_error(verify, at, "the chunk is not in flight");
    else if (at->phase < plan->n_phases &&
             (at->step >= plan->phases[at->phase].n_steps ||
              at->lane >= chunk_n_lanes(at->chunk, at->phase)))
        verify_add_error(verify, at, "there is no such step");
    else
        return c;
    return NULL;
}

/* ---- start and end ------------------------------------------------------ */

void verify_begin_chunk(Verify *verify, const Chunk *chunk)
{
    const Op *op = op_graph_op(verify->graph, chunk->op);

    g_hash_table_insert(
        verify->chunks, g_memdup2(&chunk->seq, sizeof chunk->seq),
        verify_chunk_new(chunk, op->kind, verify_members(verify, chunk->op)));
}

void verify_leave_phase(Verify *verify, const Chunk *chunk, uint32_t npu,
                        uint32_t phase)
{
    TraceStep at = { .chunk = chunk, .npu = npu, .phase = phase };
    VerifyChunk *c = verify_find(verify, &at);

    if (c)
        verify_take_error(verify, &at, verify_chunk_leave(c, &at));
}

void verify_finish_chunk(Verify *verify, const Chunk *chunk, uint32_t npu)
{
    TraceStep at = { .chunk = chunk,
                     .npu = npu,
                     .phase = chunk->plan->n_phases };
    VerifyChunk *c = verify_find(verify, &at);

    if (!c)
        return;
    verify_take_error(verify, &at, verify_chunk_finish(c, &at));
    verify_keep_error(
        verify, op_graph_op(verify->graph, chunk->op)->is_buffer
                    ? verify_buffers_carried(verify->loads, npu, chunk->op,
                                             chunk->iteration, chunk->bytes)
                    : verify_ops_carried(verify->ops, npu, chunk->op,
                                         chunk->iteration, chunk->bytes));
}

void verify_end_chunk(Verify *verify, const Chunk *chunk)
{
    TraceStep at = { .chunk = chunk };
    const VerifyChunk *c = verify_find(verify, &at);

    if (!c)
        return;
    if (verify_chunk_n_finished(c) != count_participants(verify, chunk->op))
        verify_add_error(verify, &at, "some NPU never finished it");
    verify->n_chunks++;
    (void)g_hash_table_remove(verify->chunks, &chunk->seq);
}

void verify_begin_op(Verify *verify, uint32_t npu, uint32_t op,
                     uint64_t iteration)
{
    verify_keep_error(verify,
                      verify_ops_begin(verify->ops, npu, op, iteration));
}

void verify_end_op(Verify *verify, uint32_t npu, uint32_t op)
{
    verify_keep_error(verify, verify_ops_end(verify->ops, npu, op));
}

void verify_begin_load(Verify *verify, uint32_t npu, const TraceLoad *load)
{
    if (trace_is_fused(load))
        verify_keep_error(verify,
                          verify_buffers_begin(verify->loads, npu, load));
}

void verify_end_load(Verify *verify, uint32_t npu, const TraceLoad *load)
{
    if (trace_is_fused(load))
        verify_keep_error(verify, verify_buffers_end(verify->loads, npu, load));
}

/* Returns an error for the message in flight with the smallest number, so that
 * all runs report the same error, or NULL if no message is in flight. */
static char *describe_lost(const Verify *verify)
{
    GHashTableIter iter;
    gpointer message, load;
    const VerifyNumbers *first = NULL;
    guint least = G_MAXUINT;

    g_hash_table_iter_init(&iter, verify->in_flight);
    while (g_hash_table_iter_next(&iter, &message, &load))
        if (GPOINTER_TO_UINT(message) <= least) {
            least = GPOINTER_TO_UINT(message);
            first = load;
        }
    return first ? g_strdup_printf("what NPU %u sent in phase %u, step %u, "
                                   "lane %u of a chunk never came",
                                   first->npu, first->phase, first->step,
                                   first->lane)
                 : NULL;
}

/* Returns whether a message that arrived was not given to the endpoint,
 * although the NPU has reached the step that waits for it. */
static gboolean is_forgotten(const Verify *verify, const VerifyPlace *place,
                             const GQueue *loads)
{
    const VerifyChunk *c = g_hash_table_lookup(verify->chunks, &place->seq);
    const VerifyNumbers *last = g_queue_peek_tail((GQueue *)(gpointer)loads);
    TraceStep at = { NULL, place->npu, place->phase, place->lane, place->step };

    return c && !last->handed && verify_chunk_has_sent(c, &at);
}

/* Returns an error for the first message that arrived and was not given to the
 * endpoint, or NULL if there is none. */
static char *describe_forgotten(const Verify *verify)
{
    GHashTableIter iter;
    gpointer key, loads;
    const VerifyPlace *first = NULL;

    g_hash_table_iter_init(&iter, verify->arrived);
    while (g_hash_table_iter_next(&iter, &key, &loads))
        if (is_forgotten(verify, key, loads) &&
            (!first || verify_compare_places(key, first) < 0))
            first = key;
    return first ? g_strdup_printf("NPU %u, phase %u, step %u, lane %u of a "
                                   "chunk: what came was never handed on",
                                   first->npu, first->phase, first->step,
                                   first->lane)
                 : NULL;
}

void verify_close_run(Verify *verify, uint64_t n_iterations)
{
    verify_keep_error(verify, describe_lost(verify));
    if (g_hash_table_size(verify->arrived) > 0)
        verify_keep_error(verify,
                          g_strdup("messages arrived that no NPU has handled"));
    verify_keep_error(verify, verify_ops_close(verify->ops, n_iterations));
}

void verify_stall(Verify *verify, gboolean may_be_lost)
{
    if (may_be_lost)
        verify_keep_error(verify, describe_lost(verify));
    verify_keep_error(verify, describe_forgotten(verify));
}
