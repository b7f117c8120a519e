/* verify_messages.c - messages with numbers: sent, reduced in a switch,
 * received */
#include "models/observe/verify_impl.h"
#include "models/observe/verify_reduction.h"
#include "models/observe/verify_sets.h"

/* Checks that all lanes together carry the atoms' share of the chunk.  Rounding
 * up to whole bytes may add bytes for the chunk, for each block and for each
 * lane. */
static void check_even_bytes(Verify *verify, const TraceStep *at,
                             const VerifyNumbers *load, uint64_t bytes)
{
    uint64_t n_lanes = chunk_n_lanes(at->chunk, at->phase);
    const VerifyChunk *c = g_hash_table_lookup(verify->chunks, &at->chunk->seq);
    uint32_t n = verify_chunk_n_atoms(c);
    uint64_t due = load->n * at->chunk->bytes;
    uint64_t padding = 2 * (uint64_t)load->n_blocks + n_lanes;

    if (bytes * n_lanes * n >= due && bytes * n_lanes * n <= due + padding * n)
        return;
    verify_take_error(
        verify, at,
        g_strdup_printf(
            "sends %" G_GUINT64_FORMAT " bytes in %" G_GUINT64_FORMAT
            " lanes for %u of %u parts of %" G_GUINT64_FORMAT " bytes",
            bytes, n_lanes, load->n, n, at->chunk->bytes));
}

/* Checks that an all-to-allv sends exactly the receiver's bytes, except for
 * rounding in lanes. */
static void check_bytes_for(Verify *verify, const TraceStep *at, uint64_t bytes)
{
    uint64_t n_lanes = chunk_n_lanes(at->chunk, at->phase);
    CollStep what = verify_step_of(at->chunk, at->phase, at->npu, at->step);
    uint64_t due = coll_bytes_for(chunk_phase(at->chunk, at->phase),
                                  at->chunk->bytes, what.send_to);

    if (bytes * n_lanes < due || bytes * n_lanes > due + n_lanes)
        verify_take_error(
            verify, at,
            g_strdup_printf("sends %" G_GUINT64_FORMAT
                            " bytes in %" G_GUINT64_FORMAT
                            " lanes to rank %u, whose weight makes it "
                            "%" G_GUINT64_FORMAT " bytes",
                            bytes, n_lanes, what.send_to, due));
}

static void check_bytes(Verify *verify, const TraceStep *at,
                        const VerifyNumbers *load, uint64_t bytes)
{
    if (chunk_phase(at->chunk, at->phase)->group.weights)
        check_bytes_for(verify, at, bytes);
    else
        check_even_bytes(verify, at, load, bytes);
}

/* ---- in a switch -------------------------------------------------------- */

static gboolean is_via_switch(const TraceStep *at)
{
    return chunk_phase(at->chunk, at->phase)->algorithm->via_switch;
}

static VerifyPlace reduction_place(const TraceStep *at)
{
    const CollMembers *m = &chunk_phase(at->chunk, at->phase)->members;

    return (VerifyPlace){ at->chunk->seq, coll_members_group(m, at->npu),
                          at->phase, at->lane, at->step };
}

static void send_to_switch(Verify *verify, const TraceStep *at,
                           const VerifyNumbers *load)
{
    VerifyPlace place = reduction_place(at);
    VerifyReduction *reduction =
        g_hash_table_lookup(verify->reductions, &place);

    if (!reduction) {
        reduction = verify_reduction_new(
            chunk_phase(at->chunk, at->phase)->group.n_ranks,
            verify_chunk_n_atoms(
                g_hash_table_lookup(verify->chunks, &at->chunk->seq)));
        g_hash_table_insert(verify->reductions, g_memdup2(&place, sizeof place),
                            reduction);
    }
    verify_reduction_add(reduction, load);
}

/* Returns the numbers that return from the switch for @load, which is freed. */
static VerifyNumbers *receive_from_switch(Verify *verify, const TraceStep *at,
                                          VerifyNumbers *load, uint64_t bytes)
{
    VerifyPlace place = reduction_place(at);
    VerifyReduction *reduction =
        g_hash_table_lookup(verify->reductions, &place);
    VerifyChunk *c = g_hash_table_lookup(verify->chunks, &at->chunk->seq);
    VerifyNumbers *down = verify_chunk_expected(c, at);

    down->npu = load->npu;
    g_free(load);
    if (!reduction) {
        verify_add_error(verify, at,
                         "came from a switch at which no messages "
                         "were added");
        return down;
    }
    verify_take_error(verify, at, verify_reduction_take(reduction, down));
    check_bytes(verify, at, down, bytes);
    if (verify_reduction_is_over(reduction))
        g_hash_table_remove(verify->reductions, &place);
    return down;
}

/* ---- on links ----------------------------------------------------------- */

void verify_send(Verify *verify, const TraceStep *at, uint32_t message,
                 uint64_t bytes)
{
    VerifyChunk *c = verify_find(verify, at);
    VerifyNumbers *load;

    if (!c)
        return;
    load = verify_chunk_send(c, at);
    check_bytes(verify, at, load, bytes);
    if (is_via_switch(at))
        send_to_switch(verify, at, load);
    if (!g_hash_table_insert(verify->in_flight, GUINT_TO_POINTER(message),
                             load))
        verify_add_error(verify, at,
                         "its message belongs to another one in flight");
}

static gboolean is_independent(const TraceStep *at)
{
    return chunk_phase(at->chunk, at->phase)->algorithm->independent;
}

static VerifyPlace place_of(const TraceStep *at)
{
    return (VerifyPlace){ at->chunk->seq, at->npu, at->phase, at->lane,
                          is_independent(at) ? 0 : at->step };
}

/* Checks that the message that has arrived was sent to this NPU for this
 * step. */
static void check_label(Verify *verify, const TraceStep *at,
                        const VerifyNumbers *load)
{
    const CollPhase *p = chunk_phase(at->chunk, at->phase);
    CollStep what = verify_step_of(at->chunk, at->phase, at->npu, at->step);
    uint32_t from = coll_peer(p, at->npu, what.recv_from);

    if (load->seq != at->chunk->seq || load->phase != at->phase ||
        load->lane != at->lane || load->step != at->step)
        verify_take_error(
            verify, at,
            g_strdup_printf("came what NPU %u sent for phase %u, step %u, "
                            "lane %u of %s chunk",
                            load->npu, load->phase, load->step, load->lane,
                            load->seq == at->chunk->seq ? "the" : "another"));
    else if (load->npu != from)
        verify_take_error(
            verify, at,
            g_strdup_printf("came from NPU %u, is due from NPU %u", load->npu,
                            from));
}

void verify_arrive(Verify *verify, const TraceStep *at, uint32_t message,
                   uint64_t bytes)
{
    gpointer load;
    VerifyPlace place;
    GQueue *loads;

    if (!verify_find(verify, at))
        return;
    if (!g_hash_table_steal_extended(verify->in_flight,
                                     GUINT_TO_POINTER(message), NULL, &load)) {
        verify_add_error(verify, at, "a message arrived that no NPU sent");
        return;
    }
    check_label(verify, at, load);
    if (is_via_switch(at))
        load = receive_from_switch(verify, at, load, bytes);
    place = place_of(at);
    loads = g_hash_table_lookup(verify->arrived, &place);
    if (loads && !is_independent(at))
        verify_add_error(verify, at, "a message came twice");
    if (!loads) {
        loads = g_queue_new();
        g_hash_table_insert(verify->arrived, g_memdup2(&place, sizeof place),
                            loads);
    }
    g_queue_push_tail(loads, load);
}

void verify_receive(Verify *verify, const TraceStep *at)
{
    VerifyPlace place;
    GQueue *loads;
    GList *item;

    if (!verify_find(verify, at))
        return;
    place = place_of(at);
    loads = g_hash_table_lookup(verify->arrived, &place);
    item = loads ? loads->head : NULL;
    while (item && ((VerifyNumbers *)item->data)->handed)
        item = item->next;
    if (item)
        ((VerifyNumbers *)item->data)->handed = TRUE;
    else
        verify_add_error(verify, at, "was handed on before it came, or twice");
}

/* Processes a message that has arrived.  Steps that wait for no other step
 * cannot be distinguished, so the first message that arrived is processed, for
 * any step that the endpoint names.  At the end all have been processed. */
void verify_handle(Verify *verify, const TraceStep *at, gboolean added)
{
    VerifyChunk *c = verify_find(verify, at);
    TraceStep actual = *at;
    VerifyPlace place;
    GQueue *loads;
    g_autofree VerifyNumbers *load = NULL;

    if (!c)
        return;
    place = place_of(at);
    loads = g_hash_table_lookup(verify->arrived, &place);
    if (!loads) {
        verify_add_error(verify, at, "was handled before it came, or twice");
        return;
    }
    load = g_queue_pop_head(loads);
    actual.step = load->step;
    verify_take_error(verify, &actual,
                      verify_chunk_apply(c, &actual, load, added));
    if (g_queue_is_empty(loads))
        g_hash_table_remove(verify->arrived, &place);
}
