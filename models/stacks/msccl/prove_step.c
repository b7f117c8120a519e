/* prove_step.c - symbolic execution of one step of an MSCCL schedule */
#include "models/stacks/msccl/schedule_proof_impl.h"

/* A step of a thread block while it is executed. */
typedef struct {
    uint32_t tb, step; /* thread block and step, as indices over all GPUs */
    const MscclStep *s;
    MscclContributionSets
        *sets; /* owned: the chunks that the step has computed so far */
} StepExecution;

static uint32_t index_of_buffer_place(const MscclProof *proof,
                                      const StepExecution *execution,
                                      MscclPlace place, uint32_t i)
{
    uint32_t gpu = msccl_get_thread_block(proof->msccl, execution->tb)->gpu;

    return proof->first_place[gpu * MSCCL_N_BUFFERS + (uint32_t)place.buffer] +
           place.first_chunk + i;
}

/* Returns TRUE if @other is -1.  Otherwise sets @error: step @other accesses
 * the same chunk without a defined order. */
static gboolean check_no_race(const MscclProof *proof,
                              const StepExecution *execution, int64_t other,
                              gboolean writes, MscclPlace place, uint32_t i,
                              GError **error)
{
    if (other < 0)
        return TRUE;
    msccl_set_error(proof->msccl, execution->s, error,
                    "GPU %u %s chunk %u of '%s', which line %u %s, before it "
                    "or after it: nothing says which",
                    msccl_get_thread_block(proof->msccl, execution->tb)->gpu,
                    writes ? "writes" : "reads", place.first_chunk + i,
                    msccl_buffers[place.buffer],
                    msccl_get_step(proof->msccl, (uint32_t)other)->line,
                    writes ? "uses" : "writes");
    return FALSE;
}

/* Copies chunk @i of @place to the step's result, or adds it.  Checks for
 * races, unwritten chunks, different chunks and duplicate contributions. */
static gboolean read_chunk_symbolically(MscclProof *proof,
                                        StepExecution *execution,
                                        MscclPlace place, uint32_t i,
                                        gboolean adds, GError **error)
{
    uint32_t gpu = msccl_get_thread_block(proof->msccl, execution->tb)->gpu;
    uint32_t place_index = index_of_buffer_place(proof, execution, place, i);
    const char *buffer = msccl_buffers[place.buffer];
    int64_t duplicate;

    if (!check_no_race(
            proof, execution,
            msccl_happens_before_record_read(proof->before, execution->tb,
                                             execution->step, place_index),
            FALSE, place, i, error))
        return FALSE;
    if (proof->places->chunks[place_index] == MSCCL_UNWRITTEN) {
        msccl_set_error(proof->msccl, execution->s, error,
                        "reads chunk %u of '%s' of GPU %u, which nothing was "
                        "written to",
                        place.first_chunk + i, buffer, gpu);
        return FALSE;
    }
    if (!adds) {
        msccl_contributions_copy(execution->sets, i, proof->places,
                                 place_index);
        return TRUE;
    }
    if (proof->places->chunks[place_index] != execution->sets->chunks[i]) {
        msccl_set_error(
            proof->msccl, execution->s, error,
            "adds chunk %u of the payload to chunk %u, in chunk %u of "
            "'%s' of GPU %u",
            execution->sets->chunks[i], proof->places->chunks[place_index],
            place.first_chunk + i, buffer, gpu);
        return FALSE;
    }
    duplicate = msccl_contributions_find_common_gpu(execution->sets, i,
                                                    proof->places, place_index);
    if (duplicate >= 0) {
        msccl_set_error(proof->msccl, execution->s, error,
                        "adds GPU %" G_GINT64_FORMAT
                        "'s part of chunk %u a second "
                        "time, in chunk %u of '%s' of GPU %u",
                        duplicate, execution->sets->chunks[i],
                        place.first_chunk + i, buffer, gpu);
        return FALSE;
    }
    msccl_contributions_add(execution->sets, i, proof->places, place_index);
    return TRUE;
}

static gboolean read_chunks_symbolically(MscclProof *proof,
                                         StepExecution *execution,
                                         MscclPlace place, gboolean adds,
                                         GError **error)
{
    for (uint32_t i = 0; i < execution->s->n_chunks; i++)
        if (!read_chunk_symbolically(proof, execution, place, i, adds, error))
            return FALSE;
    return TRUE;
}

static gboolean write_chunks_symbolically(MscclProof *proof,
                                          StepExecution *execution,
                                          GError **error)
{
    for (uint32_t i = 0; i < execution->s->n_chunks; i++) {
        uint32_t place_index =
            index_of_buffer_place(proof, execution, execution->s->dst, i);

        if (!check_no_race(
                proof, execution,
                msccl_happens_before_record_write(proof->before, execution->tb,
                                                  execution->step, place_index),
                TRUE, execution->s->dst, i, error))
            return FALSE;
        msccl_contributions_copy(proof->places, place_index, execution->sets,
                                 i);
    }
    return TRUE;
}

static gboolean receive_message_symbolically(MscclProof *proof,
                                             StepExecution *execution,
                                             GError **error)
{
    MscclTbState *sender = &proof->tbs[proof->tbs[execution->tb].sender];
    MscclMessage *message = g_queue_pop_head(&sender->sent);

    msccl_happens_before_merge_clock(proof->before, execution->tb,
                                     message->clock);
    execution->sets = g_steal_pointer(&message->sets);
    if (execution->sets->n != execution->s->n_chunks)
        msccl_set_error(proof->msccl, execution->s, error,
                        "receives %u chunks where line %u sends %u",
                        execution->s->n_chunks,
                        msccl_get_step(proof->msccl, message->step)->line,
                        execution->sets->n);
    g_free(message->clock);
    g_free(message);
    return execution->sets->n == execution->s->n_chunks;
}

static void send_result_symbolically(MscclProof *proof,
                                     const StepExecution *execution)
{
    MscclMessage *message = g_new(MscclMessage, 1);

    *message = (MscclMessage){
        msccl_contributions_new(execution->s->n_chunks, proof->msccl->n_gpus),
        msccl_happens_before_copy_clock(proof->before, execution->tb),
        execution->step
    };
    for (uint32_t i = 0; i < execution->s->n_chunks; i++)
        msccl_contributions_copy(message->sets, i, execution->sets, i);
    g_queue_push_tail(&proof->tbs[execution->tb].sent, message);
}

/* Executes a step in the order of its parts: receive or read, add, write and
 * send. */
static gboolean execute_symbolic_step(MscclProof *proof,
                                      StepExecution *execution, GError **error)
{
    const MscclType *type = execution->s->type;
    gboolean is_local = !type->receives;

    if (!is_local && !receive_message_symbolically(proof, execution, error))
        return FALSE;
    if (is_local)
        execution->sets = msccl_contributions_new(execution->s->n_chunks,
                                                  proof->msccl->n_gpus);
    if (type->reads &&
        !read_chunks_symbolically(proof, execution, execution->s->src,
                                  !is_local, error))
        return FALSE;
    if (is_local && type->adds &&
        !read_chunks_symbolically(proof, execution, execution->s->dst, TRUE,
                                  error))
        return FALSE;
    if (type->writes && !write_chunks_symbolically(proof, execution, error))
        return FALSE;
    if (type->sends)
        send_result_symbolically(proof, execution);
    return TRUE;
}

gboolean msccl_prove_next_step(MscclProof *proof, uint32_t tb, GError **error)
{
    uint32_t step = msccl_get_thread_block(proof->msccl, tb)->first_step +
                    proof->tbs[tb].n_done;
    StepExecution d = { tb, step, msccl_get_step(proof->msccl, step), NULL };
    MscclDone done = { tb, step };
    gboolean is_right;

    msccl_happens_before_begin_step(proof->before, tb, proof->tbs[tb].n_done);
    if (d.s->dep_tb >= 0)
        msccl_happens_before_merge_clock(
            proof->before, tb,
            proof->clocks[msccl_index_of_awaited_step(proof->msccl, tb, d.s)]);
    is_right = execute_symbolic_step(proof, &d, error);
    g_clear_pointer(&d.sets, msccl_contributions_free);
    if (proof->is_awaited[step])
        proof->clocks[step] =
            msccl_happens_before_copy_clock(proof->before, tb);
    g_array_append_val(proof->done, done);
    proof->tbs[tb].n_done++;
    return is_right;
}
