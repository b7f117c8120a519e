/* verify_messages.c - messages with numbers: sent, reduced in a switch,
 * received */
#include "models/observe/verify_collectives_impl.h"
#include "models/observe/verify_data_atoms.h"
#include "models/observe/verify_reduction.h"

/* Checks that all parallel lanes together carry the atoms' share of the chunk.
 * Rounding up to whole bytes may add bytes for the chunk, for each block and
 * for each lane. */
static void check_bytes_of_equal_blocks(Verify *verify, const TraceStep *step,
                                        const VerifyNumbers *load,
                                        uint64_t bytes)
{
    uint64_t n_lanes = chunk_n_lanes_of_phase(step->chunk, step->phase);
    const VerifyChunk *chunk =
        g_hash_table_lookup(verify->chunks, &step->chunk->seq);
    uint32_t n = verify_chunk_n_atoms(chunk);
    uint64_t due = load->n * step->chunk->bytes;
    uint64_t padding = 2 * (uint64_t)load->n_blocks + n_lanes;

    if (bytes * n_lanes * n >= due && bytes * n_lanes * n <= due + padding * n)
        return;
    verify_keep_error_at_step(
        verify, step,
        g_strdup_printf(
            "sends %" G_GUINT64_FORMAT " bytes in %" G_GUINT64_FORMAT
            " lanes for %u of %u parts of %" G_GUINT64_FORMAT " bytes",
            bytes, n_lanes, load->n, n, step->chunk->bytes));
}

/* Checks that an all-to-allv sends exactly the receiver's bytes, except for
 * rounding in lanes. */
static void check_all_to_allv_bytes(Verify *verify, const TraceStep *step,
                                    uint64_t bytes)
{
    uint64_t n_lanes = chunk_n_lanes_of_phase(step->chunk, step->phase);
    CollStep what =
        verify_algorithm_step(step->chunk, step->phase, step->npu, step->step);
    uint64_t due =
        coll_block_bytes_for_rank(chunk_phase(step->chunk, step->phase),
                                  step->chunk->bytes, what.send_to);

    if (bytes * n_lanes < due || bytes * n_lanes > due + n_lanes)
        verify_keep_error_at_step(
            verify, step,
            g_strdup_printf("sends %" G_GUINT64_FORMAT
                            " bytes in %" G_GUINT64_FORMAT
                            " lanes to rank %u, whose weight makes it "
                            "%" G_GUINT64_FORMAT " bytes",
                            bytes, n_lanes, what.send_to, due));
}

static void check_message_bytes(Verify *verify, const TraceStep *step,
                                const VerifyNumbers *load, uint64_t bytes)
{
    if (chunk_phase(step->chunk, step->phase)->group.weights)
        check_all_to_allv_bytes(verify, step, bytes);
    else
        check_bytes_of_equal_blocks(verify, step, load, bytes);
}

/* ---- in a switch -------------------------------------------------------- */

static gboolean step_is_via_switch(const TraceStep *step)
{
    return chunk_phase(step->chunk, step->phase)->algorithm->via_switch;
}

static VerifyStepPlace place_of_switch_reduction(const TraceStep *step)
{
    const CollMembers *members =
        &chunk_phase(step->chunk, step->phase)->members;

    return (VerifyStepPlace){ step->chunk->seq,
                              coll_members_group_of_npu(members, step->npu),
                              step->phase, step->lane, step->step };
}

static void add_numbers_at_switch(Verify *verify, const TraceStep *step,
                                  const VerifyNumbers *load)
{
    VerifyStepPlace place = place_of_switch_reduction(step);
    VerifyReduction *reduction =
        g_hash_table_lookup(verify->reductions, &place);

    if (!reduction) {
        reduction = verify_reduction_new(
            chunk_phase(step->chunk, step->phase)->group.n_ranks,
            verify_chunk_n_atoms(
                g_hash_table_lookup(verify->chunks, &step->chunk->seq)));
        g_hash_table_insert(verify->reductions, g_memdup2(&place, sizeof place),
                            reduction);
    }
    verify_reduction_add_message(reduction, load);
}

/* Returns the numbers that return from the switch for @load, which is freed. */
static VerifyNumbers *receive_numbers_from_switch(Verify *verify,
                                                  const TraceStep *step,
                                                  VerifyNumbers *load,
                                                  uint64_t bytes)
{
    VerifyStepPlace place = place_of_switch_reduction(step);
    VerifyReduction *reduction =
        g_hash_table_lookup(verify->reductions, &place);
    VerifyChunk *chunk = g_hash_table_lookup(verify->chunks, &step->chunk->seq);
    VerifyNumbers *down = verify_chunk_expected_message(chunk, step);

    down->npu = load->npu;
    g_free(load);
    if (!reduction) {
        verify_keep_constant_error_at_step(
            verify, step,
            "came from a switch at which no messages "
            "were added");
        return down;
    }
    verify_keep_error_at_step(verify, step,
                              verify_reduction_set_result(reduction, down));
    check_message_bytes(verify, step, down, bytes);
    if (verify_reduction_is_received_by_all(reduction))
        g_hash_table_remove(verify->reductions, &place);
    return down;
}

/* ---- on links ----------------------------------------------------------- */

void verify_message_sent(Verify *verify, const TraceStep *step,
                         uint32_t message, uint64_t bytes)
{
    VerifyChunk *chunk = verify_find_chunk_of_step(verify, step);
    VerifyNumbers *load;

    if (!chunk)
        return;
    load = verify_chunk_send_step(chunk, step);
    check_message_bytes(verify, step, load, bytes);
    if (step_is_via_switch(step))
        add_numbers_at_switch(verify, step, load);
    if (!g_hash_table_insert(verify->in_flight, GUINT_TO_POINTER(message),
                             load))
        verify_keep_constant_error_at_step(
            verify, step, "its message belongs to another one in flight");
}

static gboolean steps_are_independent(const TraceStep *step)
{
    return chunk_phase(step->chunk, step->phase)->algorithm->independent;
}

static VerifyStepPlace place_of_trace_step(const TraceStep *step)
{
    return (VerifyStepPlace){ step->chunk->seq, step->npu, step->phase,
                              step->lane,
                              steps_are_independent(step) ? 0 : step->step };
}

/* Checks that the message that has arrived was sent to this NPU for this
 * step. */
static void check_message_label(Verify *verify, const TraceStep *step,
                                const VerifyNumbers *load)
{
    const CollPhase *phase = chunk_phase(step->chunk, step->phase);
    CollStep what =
        verify_algorithm_step(step->chunk, step->phase, step->npu, step->step);
    uint32_t from = coll_npu_of_rank(phase, step->npu, what.recv_from);

    if (load->seq != step->chunk->seq || load->phase != step->phase ||
        load->lane != step->lane || load->step != step->step)
        verify_keep_error_at_step(
            verify, step,
            g_strdup_printf("came what NPU %u sent for phase %u, step %u, "
                            "lane %u of %s chunk",
                            load->npu, load->phase, load->step, load->lane,
                            load->seq == step->chunk->seq ? "the" : "another"));
    else if (load->npu != from)
        verify_keep_error_at_step(
            verify, step,
            g_strdup_printf("came from NPU %u, is due from NPU %u", load->npu,
                            from));
}

void verify_message_arrives(Verify *verify, const TraceStep *step,
                            uint32_t message, uint64_t bytes)
{
    gpointer load;
    VerifyStepPlace place;
    GQueue *loads;

    if (!verify_find_chunk_of_step(verify, step))
        return;
    if (!g_hash_table_steal_extended(verify->in_flight,
                                     GUINT_TO_POINTER(message), NULL, &load)) {
        verify_keep_constant_error_at_step(
            verify, step, "a message arrived that no NPU sent");
        return;
    }
    check_message_label(verify, step, load);
    if (step_is_via_switch(step))
        load = receive_numbers_from_switch(verify, step, load, bytes);
    place = place_of_trace_step(step);
    loads = g_hash_table_lookup(verify->arrived, &place);
    if (loads && !steps_are_independent(step))
        verify_keep_constant_error_at_step(verify, step,
                                           "a message came twice");
    if (!loads) {
        loads = g_queue_new();
        g_hash_table_insert(verify->arrived, g_memdup2(&place, sizeof place),
                            loads);
    }
    g_queue_push_tail(loads, load);
}

void verify_give_message_to_endpoint(Verify *verify, const TraceStep *step)
{
    VerifyStepPlace place;
    GQueue *loads;
    GList *item;

    if (!verify_find_chunk_of_step(verify, step))
        return;
    place = place_of_trace_step(step);
    loads = g_hash_table_lookup(verify->arrived, &place);
    item = loads ? loads->head : NULL;
    while (item && ((VerifyNumbers *)item->data)->handed)
        item = item->next;
    if (item)
        ((VerifyNumbers *)item->data)->handed = TRUE;
    else
        verify_keep_constant_error_at_step(
            verify, step, "was handed on before it came, or twice");
}

/* Processes a message that has arrived.  Steps that wait for no other step
 * cannot be distinguished, so the first message that arrived is processed, for
 * any step that the endpoint names.  At the end all have been processed. */
void verify_process_message(Verify *verify, const TraceStep *step,
                            gboolean added)
{
    VerifyChunk *chunk = verify_find_chunk_of_step(verify, step);
    TraceStep actual = *step;
    VerifyStepPlace place;
    GQueue *loads;
    g_autofree VerifyNumbers *load = NULL;

    if (!chunk)
        return;
    place = place_of_trace_step(step);
    loads = g_hash_table_lookup(verify->arrived, &place);
    if (!loads) {
        verify_keep_constant_error_at_step(
            verify, step, "was handled before it came, or twice");
        return;
    }
    load = g_queue_pop_head(loads);
    actual.step = load->step;
    verify_keep_error_at_step(
        verify, &actual,
        verify_chunk_apply_message(chunk, &actual, load, added));
    if (g_queue_is_empty(loads))
        g_hash_table_remove(verify->arrived, &place);
}
