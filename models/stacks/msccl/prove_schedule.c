/*
 * prove_schedule.c - symbolic execution of a schedule
 *
 * Thread blocks that can advance are in a queue.  A thread block that cannot is
 * listed at the thread block that it waits for, and returns to the queue when
 * that one has advanced.
 */
#include "models/stacks/msccl/prove_schedule.h"

#include "models/stacks/msccl/schedule_proof_impl.h"
#include "sim/config/config_error.h"

/* ---- construction ------------------------------------------------------ */

static void free_symbolic_message(gpointer data)
{
    MscclMessage *message = data;

    msccl_contributions_free(message->sets);
    g_free(message->clock);
    g_free(message);
}

/* Returns a key of the connection from GPU @from to GPU @to on @channel. */
static guint64 hash_key_of_connection(uint32_t from, uint32_t to,
                                      uint32_t channel)
{
    return ((guint64)from << 20 | to) << 20 | channel;
}

static void find_sending_thread_blocks(MscclProof *proof)
{
    g_autoptr(GHashTable) senders =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

    for (uint32_t t = 0; t < proof->msccl->tbs->len; t++) {
        const MscclThreadBlock *tb = msccl_get_thread_block(proof->msccl, t);
        guint64 key =
            hash_key_of_connection(tb->gpu, (uint32_t)tb->send_to, tb->channel);

        if (tb->send_to >= 0)
            g_hash_table_insert(senders, g_memdup2(&key, sizeof(key)),
                                GUINT_TO_POINTER(t + 1));
    }
    for (uint32_t t = 0; t < proof->msccl->tbs->len; t++) {
        const MscclThreadBlock *tb = msccl_get_thread_block(proof->msccl, t);
        guint64 key = hash_key_of_connection((uint32_t)tb->recv_from, tb->gpu,
                                             tb->channel);

        proof->tbs[t].sender = -1;
        if (tb->recv_from >= 0)
            proof->tbs[t].sender =
                (int64_t)GPOINTER_TO_UINT(g_hash_table_lookup(senders, &key)) -
                1;
    }
}

/* Sets the input buffers before the first step: each input chunk of a GPU holds
 * the GPU's own contribution. */
static void set_input_chunks_of_gpus(MscclProof *proof)
{
    const MscclSchedule *schedule = proof->msccl;
    uint32_t n = 0;

    proof->first_place = g_new(uint32_t, schedule->n_gpus * MSCCL_N_BUFFERS);
    for (uint32_t g = 0; g < schedule->n_gpus; g++)
        for (int b = 0; b < MSCCL_N_BUFFERS; b++) {
            proof->first_place[g * MSCCL_N_BUFFERS + (uint32_t)b] = n;
            n += msccl_get_gpu(schedule, g)->n_chunks[b];
        }
    proof->places = msccl_contributions_new(n, schedule->n_gpus);
    proof->before = msccl_happens_before_new(schedule, n);
    for (uint32_t g = 0; g < schedule->n_gpus; g++)
        for (uint32_t c = 0;
             c < msccl_get_gpu(schedule, g)->n_chunks[MSCCL_INPUT]; c++)
            msccl_contributions_set_single_gpu(
                proof->places, proof->first_place[g * MSCCL_N_BUFFERS] + c, c,
                g);
}

static void init_msccl_proof(MscclProof *proof, const MscclSchedule *schedule)
{
    *proof = (MscclProof){ .msccl = schedule };
    proof->tbs = g_new0(MscclTbState, schedule->tbs->len);
    proof->clocks = g_new0(uint32_t *, schedule->steps->len);
    proof->is_awaited = g_new0(guint8, schedule->steps->len);
    proof->done = g_array_sized_new(FALSE, FALSE, sizeof(MscclDone),
                                    schedule->steps->len);
    g_queue_init(&proof->ready);
    set_input_chunks_of_gpus(proof);
    for (uint32_t t = 0; t < schedule->tbs->len; t++) {
        g_queue_init(&proof->tbs[t].sent);
        proof->tbs[t].waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        g_queue_push_tail(&proof->ready, GUINT_TO_POINTER(t));
    }
    for (uint32_t t = 0; t < schedule->tbs->len; t++)
        for (uint32_t i = 0; i < msccl_get_thread_block(schedule, t)->n_steps;
             i++) {
            const MscclStep *step = msccl_get_step(
                schedule, msccl_get_thread_block(schedule, t)->first_step + i);

            if (step->dep_tb >= 0)
                proof->is_awaited[msccl_index_of_awaited_step(schedule, t,
                                                              step)] = 1;
        }
    find_sending_thread_blocks(proof);
}

static void clear_msccl_proof(MscclProof *proof)
{
    for (uint32_t t = 0; t < proof->msccl->tbs->len; t++) {
        g_queue_clear_full(&proof->tbs[t].sent, free_symbolic_message);
        g_array_free(proof->tbs[t].waiting, TRUE);
    }
    for (uint32_t s = 0; s < proof->msccl->steps->len; s++)
        g_free(proof->clocks[s]);
    g_queue_clear(&proof->ready);
    g_free(proof->tbs);
    g_free(proof->clocks);
    g_free(proof->is_awaited);
    g_free(proof->first_place);
    msccl_contributions_free(proof->places);
    msccl_happens_before_free(proof->before);
    g_clear_pointer(&proof->done, g_array_unref);
}

/* ---- execution --------------------------------------------------------- */

/* The reason why the next step of a thread block cannot be done. */
typedef struct {
    gboolean is_blocked;
    int64_t thread_block; /* a thread block; -1 if the step waits forever */
} Blocker;

static Blocker find_what_blocks_next_step(const MscclProof *proof, uint32_t tb)
{
    const MscclThreadBlock *block = msccl_get_thread_block(proof->msccl, tb);
    const MscclTbState *state = &proof->tbs[tb];
    const MscclStep *step =
        msccl_get_step(proof->msccl, block->first_step + state->n_done);

    if (step->dep_tb >= 0 &&
        !proof->clocks[msccl_index_of_awaited_step(proof->msccl, tb, step)])
        return (Blocker){ TRUE,
                          msccl_get_gpu(proof->msccl, block->gpu)->first_tb +
                              (uint32_t)step->dep_tb };
    if (!step->type->receives)
        return (Blocker){ FALSE, -1 };
    if (state->sender < 0)
        return (Blocker){ TRUE, -1 };
    return (Blocker){ g_queue_is_empty(&proof->tbs[state->sender].sent),
                      state->sender };
}

static gboolean block_has_more_steps(const MscclProof *proof, int64_t tb)
{
    return tb >= 0 &&
           proof->tbs[tb].n_done <
               msccl_get_thread_block(proof->msccl, (uint32_t)tb)->n_steps;
}

/* Executes the steps of thread block @tb as far as possible.  If any step was
 * executed, the thread blocks that wait for @tb become ready. */
static gboolean execute_ready_steps_of_block(MscclProof *proof, uint32_t tb,
                                             GError **error)
{
    GArray *waiting = proof->tbs[tb].waiting;
    uint32_t n_before = proof->tbs[tb].n_done;
    Blocker blocker = { FALSE, -1 };

    while (block_has_more_steps(proof, tb)) {
        blocker = find_what_blocks_next_step(proof, tb);
        if (blocker.is_blocked)
            break;
        if (!msccl_prove_next_step(proof, tb, error))
            return FALSE;
    }
    if (blocker.is_blocked && block_has_more_steps(proof, blocker.thread_block))
        g_array_append_val(proof->tbs[blocker.thread_block].waiting, tb);
    if (proof->tbs[tb].n_done == n_before)
        return TRUE;
    for (guint i = 0; i < waiting->len; i++)
        g_queue_push_tail(&proof->ready, GUINT_TO_POINTER(g_array_index(
                                             waiting, uint32_t, i)));
    g_array_set_size(waiting, 0);
    return TRUE;
}

static gboolean execute_all_ready_steps(MscclProof *proof, GError **error)
{
    while (!g_queue_is_empty(&proof->ready))
        if (!execute_ready_steps_of_block(
                proof, GPOINTER_TO_UINT(g_queue_pop_head(&proof->ready)),
                error))
            return FALSE;
    return TRUE;
}

/* ---- errors at the end ------------------------------------------------- */

static const MscclStep *next_step_of_thread_block(const MscclProof *proof,
                                                  uint32_t tb)
{
    return msccl_get_step(proof->msccl,
                          msccl_get_thread_block(proof->msccl, tb)->first_step +
                              proof->tbs[tb].n_done);
}

/* Appends a clause about what the next step of @tb waits for. */
static void append_wait_description(const MscclProof *proof, uint32_t tb,
                                    GString *text)
{
    const MscclThreadBlock *block = msccl_get_thread_block(proof->msccl, tb);
    const MscclStep *step = next_step_of_thread_block(proof, tb);
    Blocker blocker = find_what_blocks_next_step(proof, tb);

    if (step->dep_tb >= 0 &&
        !proof->clocks[msccl_index_of_awaited_step(proof->msccl, tb, step)]) {
        g_string_append_printf(
            text, "for line %u",
            msccl_get_step(proof->msccl,
                           msccl_index_of_awaited_step(proof->msccl, tb, step))
                ->line);
        return;
    }
    g_string_append_printf(text,
                           "for what GPU %d sends to GPU %u on channel %u",
                           block->recv_from, block->gpu, block->channel);
    if (blocker.thread_block < 0)
        g_string_append(text, ", which is nothing");
    else if (!block_has_more_steps(proof, blocker.thread_block))
        g_string_append(text, ", which is no more");
}

#define MAX_WAITS 6 /* longest chain of waits in a message */

/* Follows the waits from @tb.  Returns the last thread block of the chain, or
 * the first one that repeats. */
static uint32_t find_end_of_wait_chain(const MscclProof *proof, uint32_t tb)
{
    g_autofree guint8 *is_met = g_new0(guint8, proof->msccl->tbs->len);

    while (!is_met[tb]) {
        int64_t by = find_what_blocks_next_step(proof, tb).thread_block;

        is_met[tb] = 1;
        if (!block_has_more_steps(proof, by))
            break;
        tb = (uint32_t)by;
    }
    return tb;
}

static gboolean check_all_blocks_finished(const MscclProof *proof,
                                          GError **error)
{
    g_autoptr(GString) text = g_string_new("waits for ever ");
    uint32_t tb = 0, root;
    int64_t by;

    while (tb < proof->msccl->tbs->len && !block_has_more_steps(proof, tb))
        tb++;
    if (tb == proof->msccl->tbs->len)
        return TRUE;
    root = find_end_of_wait_chain(proof, tb);
    append_wait_description(proof, root, text);
    by = find_what_blocks_next_step(proof, root).thread_block;
    for (int n = 0;
         block_has_more_steps(proof, by) && by != root && n < MAX_WAITS; n++) {
        g_string_append_printf(
            text, "; line %u waits ",
            next_step_of_thread_block(proof, (uint32_t)by)->line);
        append_wait_description(proof, (uint32_t)by, text);
        by = find_what_blocks_next_step(proof, (uint32_t)by).thread_block;
    }
    if (by == root)
        g_string_append(text, ", of this thread block");
    msccl_set_error(proof->msccl, next_step_of_thread_block(proof, root), error,
                    "%s", text->str);
    return FALSE;
}

static gboolean check_all_messages_received(const MscclProof *proof,
                                            GError **error)
{
    for (uint32_t t = 0; t < proof->msccl->tbs->len; t++) {
        const MscclMessage *message = g_queue_peek_head(&proof->tbs[t].sent);

        if (!message)
            continue;
        msccl_set_error(proof->msccl,
                        msccl_get_step(proof->msccl, message->step), error,
                        "what it sends GPU %d on channel %u is never received",
                        msccl_get_thread_block(proof->msccl, t)->send_to,
                        msccl_get_thread_block(proof->msccl, t)->channel);
        return FALSE;
    }
    return TRUE;
}

/* Checks that chunk @chunk of the result is complete on @gpu.  The error is at
 * the last step that wrote it, or at the GPU if no step did. */
static gboolean check_result_chunk_complete(const MscclProof *proof,
                                            uint32_t gpu, uint32_t chunk,
                                            GError **error)
{
    const MscclSchedule *schedule = proof->msccl;
    int b = schedule->is_in_place ? MSCCL_INPUT : MSCCL_OUTPUT;
    uint32_t position =
        proof->first_place[gpu * MSCCL_N_BUFFERS + (uint32_t)b] + chunk;
    MscclStep gpu_position = { .line = msccl_get_gpu(schedule, gpu)->line,
                               .column = 1 };
    int64_t writer, missing;

    if (chunk >= msccl_get_gpu(schedule, gpu)->n_chunks[b]) {
        msccl_set_error(schedule, &gpu_position, error,
                        "GPU %u has %u chunks of '%s' for %u", gpu,
                        msccl_get_gpu(schedule, gpu)->n_chunks[b],
                        msccl_buffers[b], schedule->n_chunks);
        return FALSE;
    }
    writer = msccl_happens_before_last_writer(proof->before, position);
    missing = msccl_contributions_find_missing_gpu(proof->places, position);
    if (proof->places->chunks[position] == chunk && missing < 0)
        return TRUE;
    if (proof->places->chunks[position] == chunk)
        msccl_set_error(schedule,
                        writer < 0 ? &gpu_position
                                   : msccl_get_step(schedule, (uint32_t)writer),
                        error,
                        "chunk %u of GPU %u ends without GPU %" G_GINT64_FORMAT
                        "'s part",
                        chunk, gpu, missing);
    else
        msccl_set_error(schedule,
                        writer < 0 ? &gpu_position
                                   : msccl_get_step(schedule, (uint32_t)writer),
                        error, "chunk %u of GPU %u ends as %s", chunk, gpu,
                        writer < 0 ? "nothing" : "another chunk");
    return FALSE;
}

static gboolean check_result_complete(const MscclProof *proof, GError **error)
{
    for (uint32_t g = 0; g < proof->msccl->n_gpus; g++)
        for (uint32_t c = 0; c < proof->msccl->n_chunks; c++)
            if (!check_result_chunk_complete(proof, g, c, error))
                return FALSE;
    return TRUE;
}

/* ---- proof ------------------------------------------------------------- */

/* Checks the size of the proof: clocks, and sets in buffers and in messages. */
static gboolean check_proof_size(const MscclSchedule *schedule, GError **error)
{
    uint64_t n_tbs = schedule->tbs->len, n_chunks = 0;

    for (uint32_t g = 0; g < schedule->n_gpus; g++)
        for (int b = 0; b < MSCCL_N_BUFFERS; b++)
            n_chunks += msccl_get_gpu(schedule, g)->n_chunks[b];
    for (uint32_t s = 0; s < schedule->steps->len; s++)
        n_chunks += msccl_get_step(schedule, s)->n_chunks;
    if (n_tbs * MAX(n_tbs, schedule->steps->len) <= MSCCL_MAX_WORK &&
        n_chunks * schedule->n_gpus <= MSCCL_MAX_WORK)
        return TRUE;
    g_set_error(
        error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
        "%s:%u:1: too large to be proved: %u steps of %u thread blocks, "
        "on %" G_GUINT64_FORMAT " chunks",
        schedule->file, schedule->line, schedule->steps->len,
        schedule->tbs->len, n_chunks);
    return FALSE;
}

gboolean msccl_prove_all_reduce(const MscclSchedule *msccl, GArray **ret_order,
                                GError **error)
{
    gboolean holds;
    MscclProof p;

    if (!check_proof_size(msccl, error))
        return FALSE;
    init_msccl_proof(&p, msccl);
    holds = execute_all_ready_steps(&p, error) &&
            check_all_blocks_finished(&p, error) &&
            check_all_messages_received(&p, error) &&
            check_result_complete(&p, error);
    if (holds && ret_order)
        *ret_order = g_steal_pointer(&p.done);
    clear_msccl_proof(&p);
    return holds;
}
