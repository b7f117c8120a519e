/* verify_messages.c - messages that carry numbers: out, over a switch, in */
#include "models/observe/verify_impl.h"
#include "models/observe/verify_meeting.h"
#include "models/observe/verify_sets.h"

/* All lanes together carry the atoms' part of the chunk, and what rounding
 * up to whole bytes adds: of the chunk, of each block, of each lane. */
static void check_even_bytes(Verify *verify, const TraceStep *at,
                             const VerifyLoad *load, uint64_t bytes)
{
    uint64_t n_lanes = chunk_n_lanes(at->chunk, at->phase);
    const VerifyChunk *c = g_hash_table_lookup(verify->chunks, &at->chunk->seq);
    uint32_t n = verify_chunk_n_atoms(c);
    uint64_t due = load->n * at->chunk->bytes;
    uint64_t padding = 2 * (uint64_t)load->n_blocks + n_lanes;

    if (bytes * n_lanes * n >= due && bytes * n_lanes * n <= due + padding * n)
        return;
    verify_blame(verify, at,
                 g_strdup_printf(
                     "sends %" G_GUINT64_FORMAT " bytes in %" G_GUINT64_FORMAT
                     " lanes for %u of %u parts of %" G_GUINT64_FORMAT " bytes",
                     bytes, n_lanes, load->n, n, at->chunk->bytes));
}

/* Of an all-to-allv what is for the receiver, to the byte but for lanes. */
static void check_bytes_for(Verify *verify, const TraceStep *at, uint64_t bytes)
{
    uint64_t n_lanes = chunk_n_lanes(at->chunk, at->phase);
    CollStep what = verify_step_of(at->chunk, at->phase, at->npu, at->step);
    uint64_t due = coll_bytes_for(chunk_phase(at->chunk, at->phase),
                                  at->chunk->bytes, what.send_to);

    if (bytes * n_lanes < due || bytes * n_lanes > due + n_lanes)
        verify_blame(verify, at,
                     g_strdup_printf("sends %" G_GUINT64_FORMAT
                                     " bytes in %" G_GUINT64_FORMAT
                                     " lanes to rank %u, whose weight makes it "
                                     "%" G_GUINT64_FORMAT " bytes",
                                     bytes, n_lanes, what.send_to, due));
}

static void check_bytes(Verify *verify, const TraceStep *at,
                        const VerifyLoad *load, uint64_t bytes)
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

static VerifyPlace meeting_place(const TraceStep *at)
{
    const CollMembers *m = &chunk_phase(at->chunk, at->phase)->members;

    return (VerifyPlace){ at->chunk->seq, coll_members_group(m, at->npu),
                          at->phase, at->lane, at->step };
}

static void go_up(Verify *verify, const TraceStep *at, const VerifyLoad *load)
{
    VerifyPlace place = meeting_place(at);
    VerifyMeeting *meeting = g_hash_table_lookup(verify->meetings, &place);

    if (!meeting) {
        meeting =
            verify_meeting_new(chunk_phase(at->chunk, at->phase)->group.n_ranks,
                               verify_chunk_n_atoms(g_hash_table_lookup(
                                   verify->chunks, &at->chunk->seq)));
        g_hash_table_insert(verify->meetings, g_memdup2(&place, sizeof place),
                            meeting);
    }
    verify_meeting_add(meeting, load);
}

/* What comes down for @load, which went up and is freed. */
static VerifyLoad *come_down(Verify *verify, const TraceStep *at,
                             VerifyLoad *load, uint64_t bytes)
{
    VerifyPlace place = meeting_place(at);
    VerifyMeeting *meeting = g_hash_table_lookup(verify->meetings, &place);
    VerifyChunk *c = g_hash_table_lookup(verify->chunks, &at->chunk->seq);
    VerifyLoad *down = verify_chunk_due(c, at);

    down->npu = load->npu;
    g_free(load);
    if (!meeting) {
        verify_complain(verify, at, "came from a switch where nobody met");
        return down;
    }
    verify_blame(verify, at, verify_meeting_take(meeting, down));
    check_bytes(verify, at, down, bytes);
    if (verify_meeting_is_over(meeting))
        g_hash_table_remove(verify->meetings, &place);
    return down;
}

/* ---- on links ----------------------------------------------------------- */

void verify_send(Verify *verify, const TraceStep *at, uint32_t message,
                 uint64_t bytes)
{
    VerifyChunk *c = verify_find(verify, at);
    VerifyLoad *load;

    if (!c)
        return;
    load = verify_chunk_load(c, at);
    check_bytes(verify, at, load, bytes);
    if (is_via_switch(at))
        go_up(verify, at, load);
    if (!g_hash_table_insert(verify->under_way, GUINT_TO_POINTER(message),
                             load))
        verify_complain(verify, at,
                        "its message is another's that is under way");
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

/* What came is what was sent here for this step. */
static void check_label(Verify *verify, const TraceStep *at,
                        const VerifyLoad *load)
{
    const CollPhase *p = chunk_phase(at->chunk, at->phase);
    CollStep what = verify_step_of(at->chunk, at->phase, at->npu, at->step);
    uint32_t from = coll_peer(p, at->npu, what.recv_from);

    if (load->seq != at->chunk->seq || load->phase != at->phase ||
        load->lane != at->lane || load->step != at->step)
        verify_blame(
            verify, at,
            g_strdup_printf("came what NPU %u sent for phase %u, step %u, "
                            "lane %u of %s chunk",
                            load->npu, load->phase, load->step, load->lane,
                            load->seq == at->chunk->seq ? "the" : "another"));
    else if (load->npu != from)
        verify_blame(verify, at,
                     g_strdup_printf("came from NPU %u, is due from NPU %u",
                                     load->npu, from));
}

void verify_arrive(Verify *verify, const TraceStep *at, uint32_t message,
                   uint64_t bytes)
{
    gpointer load;
    VerifyPlace place;
    GQueue *loads;

    if (!verify_find(verify, at))
        return;
    if (!g_hash_table_steal_extended(verify->under_way,
                                     GUINT_TO_POINTER(message), NULL, &load)) {
        verify_complain(verify, at, "a message came that nobody sent");
        return;
    }
    check_label(verify, at, load);
    if (is_via_switch(at))
        load = come_down(verify, at, load, bytes);
    place = place_of(at);
    loads = g_hash_table_lookup(verify->arrived, &place);
    if (loads && !is_independent(at))
        verify_complain(verify, at, "a message came twice");
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
    while (item && ((VerifyLoad *)item->data)->handed)
        item = item->next;
    if (item)
        ((VerifyLoad *)item->data)->handed = TRUE;
    else
        verify_complain(verify, at, "was handed on before it came, or twice");
}

/* Of steps that are alike it does not matter which the endpoint means: what
 * came first is taken in, and in the end all is. */
void verify_handle(Verify *verify, const TraceStep *at, gboolean added)
{
    VerifyChunk *c = verify_find(verify, at);
    TraceStep meant = *at;
    VerifyPlace place;
    GQueue *loads;
    g_autofree VerifyLoad *load = NULL;

    if (!c)
        return;
    place = place_of(at);
    loads = g_hash_table_lookup(verify->arrived, &place);
    if (!loads) {
        verify_complain(verify, at, "was handled before it came, or twice");
        return;
    }
    load = g_queue_pop_head(loads);
    meant.step = load->step;
    verify_blame(verify, &meant, verify_chunk_take_in(c, &meant, load, added));
    if (g_queue_is_empty(loads))
        g_hash_table_remove(verify->arrived, &place);
}
