/* verify_collectives.c - checks of data at the start and the end of chunks and
 * operations */
#include "models/observe/verify_collectives.h"

#include "models/observe/verify_collectives_impl.h"
#include "models/observe/verify_reduction.h"

static void free_verify_chunk(gpointer data)
{
    verify_chunk_free(data);
}

static void free_arrived_messages(gpointer data)
{
    g_queue_free_full(data, g_free);
}

static void free_verify_reduction(gpointer data)
{
    verify_reduction_free(data);
}

static guint hash_step_place(gconstpointer data)
{
    const VerifyStepPlace *place = data;
    uint64_t hash = place->seq;

    hash = hash * 1000003 + place->npu;
    hash = hash * 1000003 + place->phase;
    hash = hash * 1000003 + place->lane;
    hash = hash * 1000003 + place->step;
    return (guint)(hash ^ hash >> 32);
}

/* Compares places by a fixed order, so that all runs report the same error. */
static int verify_compare_step_places(const VerifyStepPlace *a,
                                      const VerifyStepPlace *b)
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

static gboolean step_places_are_equal(gconstpointer a, gconstpointer b)
{
    return verify_compare_step_places(a, b) == 0;
}

Verify *collective_verifier_new(const OpGraph *graph, uint32_t n_npus)
{
    Verify *verify = g_new0(Verify, 1);

    verify->graph = graph;
    verify->n_npus = n_npus;
    verify->all_members = coll_members_all_npus(n_npus);
    verify->ops = verify_ops_new(graph, n_npus);
    verify->loads = verify_buffers_new(graph, verify->ops);
    verify->chunks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                           free_verify_chunk);
    verify->in_flight =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    verify->arrived = g_hash_table_new_full(
        hash_step_place, step_places_are_equal, g_free, free_arrived_messages);
    verify->reductions = g_hash_table_new_full(
        hash_step_place, step_places_are_equal, g_free, free_verify_reduction);
    return verify;
}

void verify_set_placement(Verify *verify, const CollPlacement *placement)
{
    verify->placement = placement;
    verify_ops_set_placement(verify->ops, placement);
}

/* Returns the groups of @op. */
static const CollMembers *verify_group_of_op(const Verify *verify, uint32_t op)
{
    return verify->placement
               ? coll_placement_members(verify->placement,
                                        op_graph_op(verify->graph, op))
               : &verify->all_members;
}

/* Returns the number of NPUs that take part in @op. */
static uint32_t count_participating_npus(const Verify *verify, uint32_t op)
{
    uint32_t n = 0;

    for (uint32_t npu = 0; npu < verify->n_npus; npu++)
        if (!verify->placement ||
            coll_placement_npu_runs_op(verify->placement, npu,
                                       op_graph_op(verify->graph, op)))
            n++;
    return n;
}

void collective_verifier_free(Verify *verify)
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

const char *verify_first_error(const Verify *verify)
{
    return verify->error;
}

uint64_t verify_n_finished_chunks(const Verify *verify)
{
    return verify->n_chunks;
}

/* Keeps @error if it is the first one, otherwise frees it.  @error may be
 * NULL. */
static void verify_record_first_error(Verify *verify, char *error)
{
    if (verify->error)
        g_free(error);
    else
        verify->error = error;
}

void verify_keep_error_at_step(Verify *verify, const TraceStep *step,
                               char *what)
{
    const Chunk *chunk = step->chunk;
    g_autoptr(GString) text = NULL;

    if (!what)
        return;
    text = g_string_new(NULL);
    g_string_append_printf(text, "NPU %u, ", step->npu);
    op_graph_append_op_name(verify->graph, chunk->op, text);
    g_string_append_printf(text,
                           ", iteration %" G_GUINT64_FORMAT
                           ", chunk %u, phase %u, step %u, lane %u: %s",
                           chunk->iteration, chunk->index, step->phase,
                           step->step, step->lane, what);
    verify_record_first_error(verify,
                              g_string_free(g_steal_pointer(&text), FALSE));
    g_free(what);
}

void verify_keep_constant_error_at_step(Verify *verify, const TraceStep *step,
                                        const char *what)
{
    verify_keep_error_at_step(verify, step, g_strdup(what));
}

VerifyChunk *verify_find_chunk_of_step(Verify *verify, const TraceStep *step)
{
    VerifyChunk *chunk = g_hash_table_lookup(verify->chunks, &step->chunk->seq);
    const CollPlan *plan = step->chunk->plan;

    if (verify->error)
        return NULL;
    if (!chunk)
        verify_keep_constant_error_at_step(verify, step,
                                           "the chunk is not in flight");
    else if (step->phase < plan->n_phases &&
             (step->step >= plan->phases[step->phase].n_steps ||
              step->lane >= chunk_n_lanes_of_phase(step->chunk, step->phase)))
        verify_keep_constant_error_at_step(verify, step,
                                           "there is no such step");
    else
        return chunk;
    return NULL;
}

/* ---- start and end ------------------------------------------------------ */

void verify_begin_chunk(Verify *verify, const Chunk *chunk)
{
    const Op *op = op_graph_op(verify->graph, chunk->op);

    g_hash_table_insert(
        verify->chunks, g_memdup2(&chunk->seq, sizeof chunk->seq),
        verify_chunk_new(chunk, op->kind,
                         verify_group_of_op(verify, chunk->op)));
}

void verify_leave_phase(Verify *verify, const Chunk *chunk, uint32_t npu,
                        uint32_t phase)
{
    TraceStep step = { .chunk = chunk, .npu = npu, .phase = phase };
    VerifyChunk *verify_chunk = verify_find_chunk_of_step(verify, &step);

    if (verify_chunk)
        verify_keep_error_at_step(
            verify, &step, verify_chunk_leave_phase(verify_chunk, &step));
}

void verify_finish_chunk(Verify *verify, const Chunk *chunk, uint32_t npu)
{
    TraceStep step = { .chunk = chunk,
                       .npu = npu,
                       .phase = chunk->plan->n_phases };
    VerifyChunk *verify_chunk = verify_find_chunk_of_step(verify, &step);

    if (!verify_chunk)
        return;
    verify_keep_error_at_step(verify, &step,
                              verify_chunk_finish_on_npu(verify_chunk, &step));
    verify_record_first_error(
        verify,
        op_graph_op(verify->graph, chunk->op)->is_buffer
            ? verify_buffers_add_carried_bytes(verify->loads, npu, chunk->op,
                                               chunk->iteration, chunk->bytes)
            : verify_ops_add_carried_bytes(verify->ops, npu, chunk->op,
                                           chunk->iteration, chunk->bytes));
}

void verify_end_chunk(Verify *verify, const Chunk *chunk)
{
    TraceStep step = { .chunk = chunk };
    const VerifyChunk *verify_chunk = verify_find_chunk_of_step(verify, &step);

    if (!verify_chunk)
        return;
    if (verify_chunk_n_finished(verify_chunk) !=
        count_participating_npus(verify, chunk->op))
        verify_keep_constant_error_at_step(verify, &step,
                                           "some NPU never finished it");
    verify->n_chunks++;
    (void)g_hash_table_remove(verify->chunks, &chunk->seq);
}

void verify_begin_op(Verify *verify, uint32_t npu, uint32_t op,
                     uint64_t iteration)
{
    verify_record_first_error(
        verify, verify_ops_begin_instance(verify->ops, npu, op, iteration));
}

void verify_end_op(Verify *verify, uint32_t npu, uint32_t op)
{
    verify_record_first_error(verify,
                              verify_ops_end_instance(verify->ops, npu, op));
}

void verify_begin_load(Verify *verify, uint32_t npu, const TraceLoad *load)
{
    if (trace_is_fused(load))
        verify_record_first_error(
            verify, verify_buffers_begin_load(verify->loads, npu, load));
}

void verify_end_load(Verify *verify, uint32_t npu, const TraceLoad *load)
{
    if (trace_is_fused(load))
        verify_record_first_error(
            verify, verify_buffers_end_load(verify->loads, npu, load));
}

/* Returns an error for the message in flight with the smallest number, so that
 * all runs report the same error, or NULL if no message is in flight. */
static char *describe_lost_message(const Verify *verify)
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
static gboolean message_is_unprocessed(const Verify *verify,
                                       const VerifyStepPlace *place,
                                       const GQueue *loads)
{
    const VerifyChunk *chunk = g_hash_table_lookup(verify->chunks, &place->seq);
    const VerifyNumbers *last = g_queue_peek_tail((GQueue *)(gpointer)loads);
    TraceStep step = { NULL, place->npu, place->phase, place->lane,
                       place->step };

    return chunk && !last->handed && verify_chunk_has_sent_step(chunk, &step);
}

/* Returns an error for the first message that arrived and was not given to the
 * endpoint, or NULL if there is none. */
static char *describe_unprocessed_message(const Verify *verify)
{
    GHashTableIter iter;
    gpointer key, loads;
    const VerifyStepPlace *first = NULL;

    g_hash_table_iter_init(&iter, verify->arrived);
    while (g_hash_table_iter_next(&iter, &key, &loads))
        if (message_is_unprocessed(verify, key, loads) &&
            (!first || verify_compare_step_places(key, first) < 0))
            first = key;
    return first ? g_strdup_printf("NPU %u, phase %u, step %u, lane %u of a "
                                   "chunk: what came was never handed on",
                                   first->npu, first->phase, first->step,
                                   first->lane)
                 : NULL;
}

void verify_close_finished_run(Verify *verify, uint64_t n_iterations)
{
    verify_record_first_error(verify, describe_lost_message(verify));
    if (g_hash_table_size(verify->arrived) > 0)
        verify_record_first_error(
            verify, g_strdup("messages arrived that no NPU has handled"));
    verify_record_first_error(
        verify, verify_ops_check_all_done(verify->ops, n_iterations));
}

void verify_close_stopped_run(Verify *verify, gboolean may_be_lost)
{
    if (may_be_lost)
        verify_record_first_error(verify, describe_lost_message(verify));
    verify_record_first_error(verify, describe_unprocessed_message(verify));
}
