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

static void find_sending_thread_blocks(MscclProof *p)
{
    g_autoptr(GHashTable) senders =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

    for (uint32_t t = 0; t < p->msccl->tbs->len; t++) {
        const MscclThreadBlock *tb = msccl_get_thread_block(p->msccl, t);
        guint64 key =
            hash_key_of_connection(tb->gpu, (uint32_t)tb->send_to, tb->channel);

        if (tb->send_to >= 0)
            g_hash_table_insert(senders, g_memdup2(&key, sizeof(key)),
                                GUINT_TO_POINTER(t + 1));
    }
    for (uint32_t t = 0; t < p->msccl->tbs->len; t++) {
        const MscclThreadBlock *tb = msccl_get_thread_block(p->msccl, t);
        guint64 key = hash_key_of_connection((uint32_t)tb->recv_from, tb->gpu,
                                             tb->channel);

        p->tbs[t].sender = -1;
        if (tb->recv_from >= 0)
            p->tbs[t].sender =
                (int64_t)GPOINTER_TO_UINT(g_hash_table_lookup(senders, &key)) -
                1;
    }
}

/* Sets the input buffers before the first step: each input chunk of a GPU holds
 * the GPU's own contribution. */
static void set_input_chunks_of_gpus(MscclProof *p)
{
    const MscclSchedule *m = p->msccl;
    uint32_t n = 0;

    p->first_place = g_new(uint32_t, m->n_gpus * MSCCL_N_BUFFERS);
    for (uint32_t g = 0; g < m->n_gpus; g++)
        for (int b = 0; b < MSCCL_N_BUFFERS; b++) {
            p->first_place[g * MSCCL_N_BUFFERS + (uint32_t)b] = n;
            n += msccl_get_gpu(m, g)->n_chunks[b];
        }
    p->places = msccl_contributions_new(n, m->n_gpus);
    p->before = msccl_happens_before_new(m, n);
    for (uint32_t g = 0; g < m->n_gpus; g++)
        for (uint32_t c = 0; c < msccl_get_gpu(m, g)->n_chunks[MSCCL_INPUT];
             c++)
            msccl_contributions_set_single_gpu(
                p->places, p->first_place[g * MSCCL_N_BUFFERS] + c, c, g);
}

static void init_msccl_proof(MscclProof *p, const MscclSchedule *m)
{
    *p = (MscclProof){ .msccl = m };
    p->tbs = g_new0(MscclTbState, m->tbs->len);
    p->clocks = g_new0(uint32_t *, m->steps->len);
    p->is_awaited = g_new0(guint8, m->steps->len);
    p->done = g_array_sized_new(FALSE, FALSE, sizeof(MscclDone), m->steps->len);
    g_queue_init(&p->ready);
    set_input_chunks_of_gpus(p);
    for (uint32_t t = 0; t < m->tbs->len; t++) {
        g_queue_init(&p->tbs[t].sent);
        p->tbs[t].waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        g_queue_push_tail(&p->ready, GUINT_TO_POINTER(t));
    }
    for (uint32_t t = 0; t < m->tbs->len; t++)
        for (uint32_t i = 0; i < msccl_get_thread_block(m, t)->n_steps; i++) {
            const MscclStep *s =
                msccl_get_step(m, msccl_get_thread_block(m, t)->first_step + i);

            if (s->dep_tb >= 0)
                p->is_awaited[msccl_index_of_awaited_step(m, t, s)] = 1;
        }
    find_sending_thread_blocks(p);
}

static void clear_msccl_proof(MscclProof *p)
{
    for (uint32_t t = 0; t < p->msccl->tbs->len; t++) {
        g_queue_clear_full(&p->tbs[t].sent, free_symbolic_message);
        g_array_free(p->tbs[t].waiting, TRUE);
    }
    for (uint32_t s = 0; s < p->msccl->steps->len; s++)
        g_free(p->clocks[s]);
    g_queue_clear(&p->ready);
    g_free(p->tbs);
    g_free(p->clocks);
    g_free(p->is_awaited);
    g_free(p->first_place);
    msccl_contributions_free(p->places);
    msccl_happens_before_free(p->before);
    g_clear_pointer(&p->done, g_array_unref);
}

/* ---- execution --------------------------------------------------------- */

/* The reason why the next step of a thread block cannot be done. */
typedef struct {
    gboolean is_blocked;
    int64_t by; /* a thread block; -1 if the step waits forever */
} Blocker;

static Blocker find_what_blocks_next_step(const MscclProof *p, uint32_t tb)
{
    const MscclThreadBlock *t = msccl_get_thread_block(p->msccl, tb);
    const MscclTbState *state = &p->tbs[tb];
    const MscclStep *s =
        msccl_get_step(p->msccl, t->first_step + state->n_done);

    if (s->dep_tb >= 0 &&
        !p->clocks[msccl_index_of_awaited_step(p->msccl, tb, s)])
        return (Blocker){ TRUE, msccl_get_gpu(p->msccl, t->gpu)->first_tb +
                                    (uint32_t)s->dep_tb };
    if (!s->type->receives)
        return (Blocker){ FALSE, -1 };
    if (state->sender < 0)
        return (Blocker){ TRUE, -1 };
    return (Blocker){ g_queue_is_empty(&p->tbs[state->sender].sent),
                      state->sender };
}

static gboolean block_has_more_steps(const MscclProof *p, int64_t tb)
{
    return tb >= 0 &&
           p->tbs[tb].n_done <
               msccl_get_thread_block(p->msccl, (uint32_t)tb)->n_steps;
}

/* Executes the steps of thread block @tb as far as possible.  If any step was
 * executed, the thread blocks that wait for @tb become ready. */
static gboolean execute_ready_steps_of_block(MscclProof *p, uint32_t tb,
                                             GError **error)
{
    GArray *waiting = p->tbs[tb].waiting;
    uint32_t n_before = p->tbs[tb].n_done;
    Blocker blocker = { FALSE, -1 };

    while (block_has_more_steps(p, tb)) {
        blocker = find_what_blocks_next_step(p, tb);
        if (blocker.is_blocked)
            break;
        if (!msccl_prove_next_step(p, tb, error))
            return FALSE;
    }
    if (blocker.is_blocked && block_has_more_steps(p, blocker.by))
        g_array_append_val(p->tbs[blocker.by].waiting, tb);
    if (p->tbs[tb].n_done == n_before)
        return TRUE;
    for (guint i = 0; i < waiting->len; i++)
        g_queue_push_tail(
            &p->ready, GUINT_TO_POINTER(g_array_index(waiting, uint32_t, i)));
    g_array_set_size(waiting, 0);
    return TRUE;
}

static gboolean execute_all_ready_steps(MscclProof *p, GError **error)
{
    while (!g_queue_is_empty(&p->ready))
        if (!execute_ready_steps_of_block(
                p, GPOINTER_TO_UINT(g_queue_pop_head(&p->ready)), error))
            return FALSE;
    return TRUE;
}

/* ---- errors at the end ------------------------------------------------- */

static const MscclStep *next_step_of_thread_block(const MscclProof *p,
                                                  uint32_t tb)
{
    return msccl_get_step(p->msccl,
                          msccl_get_thread_block(p->msccl, tb)->first_step +
                              p->tbs[tb].n_done);
}

/* Appends a clause about what the next step of @tb waits for. */
static void append_wait_description(const MscclProof *p, uint32_t tb,
                                    GString *text)
{
    const MscclThreadBlock *t = msccl_get_thread_block(p->msccl, tb);
    const MscclStep *s = next_step_of_thread_block(p, tb);
    Blocker blocker = find_what_blocks_next_step(p, tb);

    if (s->dep_tb >= 0 &&
        !p->clocks[msccl_index_of_awaited_step(p->msccl, tb, s)]) {
        g_string_append_printf(
            text, "for line %u",
            msccl_get_step(p->msccl,
                           msccl_index_of_awaited_step(p->msccl, tb, s))
                ->line);
        return;
    }
    g_string_append_printf(text,
                           "for what GPU %d sends to GPU %u on channel %u",
                           t->recv_from, t->gpu, t->channel);
    if (blocker.by < 0)
        g_string_append(text, ", which is nothing");
    else if (!block_has_more_steps(p, blocker.by))
        g_string_append(text, ", which is no more");
}

#define MAX_WAITS 6 /* longest chain of waits in a message */

/* Follows the waits from @tb.  Returns the last thread block of the chain, or
 * the first one that repeats. */
static uint32_t find_end_of_wait_chain(const MscclProof *p, uint32_t tb)
{
    g_autofree guint8 *is_met = g_new0(guint8, p->msccl->tbs->len);

    while (!is_met[tb]) {
        int64_t by = find_what_blocks_next_step(p, tb).by;

        is_met[tb] = 1;
        if (!block_has_more_steps(p, by))
            break;
        tb = (uint32_t)by;
    }
    return tb;
}

static gboolean check_all_blocks_finished(const MscclProof *p, GError **error)
{
    g_autoptr(GString) text = g_string_new("waits for ever ");
    uint32_t tb = 0, root;
    int64_t by;

    while (tb < p->msccl->tbs->len && !block_has_more_steps(p, tb))
        tb++;
    if (tb == p->msccl->tbs->len)
        return TRUE;
    root = find_end_of_wait_chain(p, tb);
    append_wait_description(p, root, text);
    by = find_what_blocks_next_step(p, root).by;
    for (int n = 0; block_has_more_steps(p, by) && by != root && n < MAX_WAITS;
         n++) {
        g_string_append_printf(
            text, "; line %u waits ",
            next_step_of_thread_block(p, (uint32_t)by)->line);
        append_wait_description(p, (uint32_t)by, text);
        by = find_what_blocks_next_step(p, (uint32_t)by).by;
    }
    if (by == root)
        g_string_append(text, ", of this thread block");
    msccl_set_error(p->msccl, next_step_of_thread_block(p, root), error, "%s",
                    text->str);
    return FALSE;
}

static gboolean check_all_messages_received(const MscclProof *p, GError **error)
{
    for (uint32_t t = 0; t < p->msccl->tbs->len; t++) {
        const MscclMessage *message = g_queue_peek_head(&p->tbs[t].sent);

        if (!message)
            continue;
        msccl_set_error(p->msccl, msccl_get_step(p->msccl, message->step),
                        error,
                        "what it sends GPU %d on channel %u is never received",
                        msccl_get_thread_block(p->msccl, t)->send_to,
                        msccl_get_thread_block(p->msccl, t)->channel);
        return FALSE;
    }
    return TRUE;
}

/* Checks that chunk @chunk of the result is complete on @gpu.  The error is at
 * the last step that wrote it, or at the GPU if no step did. */
static gboolean check_result_chunk_complete(const MscclProof *p, uint32_t gpu,
                                            uint32_t chunk, GError **error)
{
    const MscclSchedule *m = p->msccl;
    int b = m->is_in_place ? MSCCL_INPUT : MSCCL_OUTPUT;
    uint32_t at = p->first_place[gpu * MSCCL_N_BUFFERS + (uint32_t)b] + chunk;
    MscclStep gpu_position = { .line = msccl_get_gpu(m, gpu)->line,
                               .column = 1 };
    int64_t writer, missing;

    if (chunk >= msccl_get_gpu(m, gpu)->n_chunks[b]) {
        msccl_set_error(
            m, &gpu_position, error, "GPU %u has %u chunks of '%s' for %u", gpu,
            msccl_get_gpu(m, gpu)->n_chunks[b], msccl_buffers[b], m->n_chunks);
        return FALSE;
    }
    writer = msccl_happens_before_last_writer(p->before, at);
    missing = msccl_contributions_find_missing_gpu(p->places, at);
    if (p->places->chunks[at] == chunk && missing < 0)
        return TRUE;
    if (p->places->chunks[at] == chunk)
        msccl_set_error(
            m, writer < 0 ? &gpu_position : msccl_get_step(m, (uint32_t)writer),
            error,
            "chunk %u of GPU %u ends without GPU %" G_GINT64_FORMAT "'s part",
            chunk, gpu, missing);
    else
        msccl_set_error(
            m, writer < 0 ? &gpu_position : msccl_get_step(m, (uint32_t)writer),
            error, "chunk %u of GPU %u ends as %s", chunk, gpu,
            writer < 0 ? "nothing" : "another chunk");
    return FALSE;
}

static gboolean check_result_complete(const MscclProof *p, GError **error)
{
    for (uint32_t g = 0; g < p->msccl->n_gpus; g++)
        for (uint32_t c = 0; c < p->msccl->n_chunks; c++)
            if (!check_result_chunk_complete(p, g, c, error))
                return FALSE;
    return TRUE;
}

/* ---- proof ------------------------------------------------------------- */

/* Checks the size of the proof: clocks, and sets in buffers and in messages. */
static gboolean check_proof_size(const MscclSchedule *m, GError **error)
{
    uint64_t n_tbs = m->tbs->len, n_chunks = 0;

    for (uint32_t g = 0; g < m->n_gpus; g++)
        for (int b = 0; b < MSCCL_N_BUFFERS; b++)
            n_chunks += msccl_get_gpu(m, g)->n_chunks[b];
    for (uint32_t s = 0; s < m->steps->len; s++)
        n_chunks += msccl_get_step(m, s)->n_chunks;
    if (n_tbs * MAX(n_tbs, m->steps->len) <= MSCCL_MAX_WORK &&
        n_chunks * m->n_gpus <= MSCCL_MAX_WORK)
        return TRUE;
    g_set_error(
        error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
        "%s:%u:1: too large to be proved: %u steps of %u thread blocks, "
        "on %" G_GUINT64_FORMAT " chunks",
        m->file, m->line, m->steps->len, m->tbs->len, n_chunks);
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
