/* prove_step.c - symbolic execution of one step of an MSCCL schedule */
#include "models/stacks/msccl/schedule_proof_impl.h"

/* A step of a thread block while it is executed. */
typedef struct {
    uint32_t tb, step; /* thread block and step, as indices over all GPUs */
    const MscclStep *s;
    MscclContributionSets
        *sets; /* owned: the chunks that the step has computed so far */
} StepExecution;

static uint32_t index_of_buffer_place(const MscclProof *p,
                                      const StepExecution *d, MscclPlace place,
                                      uint32_t i)
{
    uint32_t gpu = msccl_get_thread_block(p->msccl, d->tb)->gpu;

    return p->first_place[gpu * MSCCL_N_BUFFERS + (uint32_t)place.buffer] +
           place.at + i;
}

/* Returns TRUE if @other is -1.  Otherwise sets @error: step @other accesses
 * the same chunk without a defined order. */
static gboolean check_no_race(const MscclProof *p, const StepExecution *d,
                              int64_t other, gboolean writes, MscclPlace place,
                              uint32_t i, GError **error)
{
    if (other < 0)
        return TRUE;
    msccl_set_error(p->msccl, d->s, error,
                    "GPU %u %s chunk %u of '%s', which line %u %s, before it "
                    "or after it: nothing says which",
                    msccl_get_thread_block(p->msccl, d->tb)->gpu,
                    writes ? "writes" : "reads", place.at + i,
                    msccl_buffers[place.buffer],
                    msccl_get_step(p->msccl, (uint32_t)other)->line,
                    writes ? "uses" : "writes");
    return FALSE;
}

/* Copies chunk @i of @place to the step's result, or adds it.  Checks for
 * races, unwritten chunks, different chunks and duplicate contributions. */
static gboolean read_chunk_symbolically(MscclProof *p, StepExecution *d,
                                        MscclPlace place, uint32_t i,
                                        gboolean adds, GError **error)
{
    uint32_t gpu = msccl_get_thread_block(p->msccl, d->tb)->gpu;
    uint32_t place_index = index_of_buffer_place(p, d, place, i);
    const char *buffer = msccl_buffers[place.buffer];
    int64_t duplicate;

    if (!check_no_race(p, d,
                       msccl_happens_before_record_read(p->before, d->tb,
                                                        d->step, place_index),
                       FALSE, place, i, error))
        return FALSE;
    if (p->places->chunks[place_index] == MSCCL_UNWRITTEN) {
        msccl_set_error(p->msccl, d->s, error,
                        "reads chunk %u of '%s' of GPU %u, which nothing was "
                        "written to",
                        place.at + i, buffer, gpu);
        return FALSE;
    }
    if (!adds) {
        msccl_contributions_copy(d->sets, i, p->places, place_index);
        return TRUE;
    }
    if (p->places->chunks[place_index] != d->sets->chunks[i]) {
        msccl_set_error(
            p->msccl, d->s, error,
            "adds chunk %u of the payload to chunk %u, in chunk %u of "
            "'%s' of GPU %u",
            d->sets->chunks[i], p->places->chunks[place_index], place.at + i,
            buffer, gpu);
        return FALSE;
    }
    duplicate =
        msccl_contributions_find_common_gpu(d->sets, i, p->places, place_index);
    if (duplicate >= 0) {
        msccl_set_error(
            p->msccl, d->s, error,
            "adds GPU %" G_GINT64_FORMAT "'s part of chunk %u a second "
            "time, in chunk %u of '%s' of GPU %u",
            duplicate, d->sets->chunks[i], place.at + i, buffer, gpu);
        return FALSE;
    }
    msccl_contributions_add(d->sets, i, p->places, place_index);
    return TRUE;
}

static gboolean read_chunks_symbolically(MscclProof *p, StepExecution *d,
                                         MscclPlace place, gboolean adds,
                                         GError **error)
{
    for (uint32_t i = 0; i < d->s->n_chunks; i++)
        if (!read_chunk_symbolically(p, d, place, i, adds, error))
            return FALSE;
    return TRUE;
}

static gboolean write_chunks_symbolically(MscclProof *p, StepExecution *d,
                                          GError **error)
{
    for (uint32_t i = 0; i < d->s->n_chunks; i++) {
        uint32_t place_index = index_of_buffer_place(p, d, d->s->dst, i);

        if (!check_no_race(p, d,
                           msccl_happens_before_record_write(
                               p->before, d->tb, d->step, place_index),
                           TRUE, d->s->dst, i, error))
            return FALSE;
        msccl_contributions_copy(p->places, place_index, d->sets, i);
    }
    return TRUE;
}

static gboolean receive_message_symbolically(MscclProof *p, StepExecution *d,
                                             GError **error)
{
    MscclTbState *sender = &p->tbs[p->tbs[d->tb].sender];
    MscclMessage *message = g_queue_pop_head(&sender->sent);

    msccl_happens_before_merge_clock(p->before, d->tb, message->clock);
    d->sets = g_steal_pointer(&message->sets);
    if (d->sets->n != d->s->n_chunks)
        msccl_set_error(
            p->msccl, d->s, error, "receives %u chunks where line %u sends %u",
            d->s->n_chunks, msccl_get_step(p->msccl, message->step)->line,
            d->sets->n);
    g_free(message->clock);
    g_free(message);
    return d->sets->n == d->s->n_chunks;
}

static void send_result_symbolically(MscclProof *p, const StepExecution *d)
{
    MscclMessage *message = g_new(MscclMessage, 1);

    *message = (MscclMessage){
        msccl_contributions_new(d->s->n_chunks, p->msccl->n_gpus),
        msccl_happens_before_copy_clock(p->before, d->tb), d->step
    };
    for (uint32_t i = 0; i < d->s->n_chunks; i++)
        msccl_contributions_copy(message->sets, i, d->sets, i);
    g_queue_push_tail(&p->tbs[d->tb].sent, message);
}

/* Executes a step in the order of its parts: receive or read, add, write and
 * send. */
static gboolean execute_symbolic_step(MscclProof *p, StepExecution *d,
                                      GError **error)
{
    const MscclType *type = d->s->type;
    gboolean is_local = !type->receives;

    if (!is_local && !receive_message_symbolically(p, d, error))
        return FALSE;
    if (is_local)
        d->sets = msccl_contributions_new(d->s->n_chunks, p->msccl->n_gpus);
    if (type->reads &&
        !read_chunks_symbolically(p, d, d->s->src, !is_local, error))
        return FALSE;
    if (is_local && type->adds &&
        !read_chunks_symbolically(p, d, d->s->dst, TRUE, error))
        return FALSE;
    if (type->writes && !write_chunks_symbolically(p, d, error))
        return FALSE;
    if (type->sends)
        send_result_symbolically(p, d);
    return TRUE;
}

gboolean msccl_prove_next_step(MscclProof *p, uint32_t tb, GError **error)
{
    uint32_t step =
        msccl_get_thread_block(p->msccl, tb)->first_step + p->tbs[tb].n_done;
    StepExecution d = { tb, step, msccl_get_step(p->msccl, step), NULL };
    MscclDone done = { tb, step };
    gboolean is_right;

    msccl_happens_before_begin_step(p->before, tb, p->tbs[tb].n_done);
    if (d.s->dep_tb >= 0)
        msccl_happens_before_merge_clock(
            p->before, tb,
            p->clocks[msccl_index_of_awaited_step(p->msccl, tb, d.s)]);
    is_right = execute_symbolic_step(p, &d, error);
    g_clear_pointer(&d.sets, msccl_contributions_free);
    if (p->is_awaited[step])
        p->clocks[step] = msccl_happens_before_copy_clock(p->before, tb);
    g_array_append_val(p->done, done);
    p->tbs[tb].n_done++;
    return is_right;
}
