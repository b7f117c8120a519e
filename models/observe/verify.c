#include "models/observe/verify.h"

#include "models/observe/verify_chunk.h"
#include "models/observe/verify_meeting.h"
#include "models/observe/verify_ops.h"
#include "models/observe/verify_sets.h"

/* Where a message belongs.  Steps that wait for none are all alike to whoever
 * takes them in: of those .step is 0. */
typedef struct {
    uint64_t seq; /* of the chunk */
    uint32_t npu, phase, lane, step;
} Place;

struct Verify {
    const OpGraph *graph; /* borrowed */
    uint32_t n_npus;
    VerifyOps *ops;        /* owned */
    GHashTable *chunks;    /* owned: Chunk.seq -> owned VerifyChunk */
    GHashTable *under_way; /* owned: message -> owned VerifyLoad */
    GHashTable *arrived;   /* owned: owned Place -> owned GQueue of loads */
    GHashTable *meetings;  /* owned: owned Place, of NPU 0 -> VerifyMeeting */
    char *error;           /* owned */
    uint64_t n_chunks;
};

static void free_chunk(gpointer data)
{
    verify_chunk_free(data);
}

static void free_loads(gpointer data)
{
    g_queue_free_full(data, g_free);
}

static void free_meeting(gpointer data)
{
    verify_meeting_free(data);
}

static guint place_hash(gconstpointer data)
{
    const Place *place = data;
    uint64_t hash = place->seq;

    hash = hash * 1000003 + place->npu;
    hash = hash * 1000003 + place->phase;
    hash = hash * 1000003 + place->lane;
    hash = hash * 1000003 + place->step;
    return (guint)(hash ^ hash >> 32);
}

static int compare_places(const Place *a, const Place *b)
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
    return compare_places(a, b) == 0;
}

Verify *verify_new(const OpGraph *graph, uint32_t n_npus)
{
    Verify *verify = g_new0(Verify, 1);

    verify->graph = graph;
    verify->n_npus = n_npus;
    verify->ops = verify_ops_new(graph, n_npus);
    verify->chunks =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_chunk);
    verify->under_way =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    verify->arrived =
        g_hash_table_new_full(place_hash, place_equal, g_free, free_loads);
    verify->meetings =
        g_hash_table_new_full(place_hash, place_equal, g_free, free_meeting);
    return verify;
}

void verify_free(Verify *verify)
{
    if (!verify)
        return;
    verify_ops_free(verify->ops);
    g_hash_table_unref(verify->chunks);
    g_hash_table_unref(verify->under_way);
    g_hash_table_unref(verify->arrived);
    g_hash_table_unref(verify->meetings);
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

/* Takes @error, which may be NULL.  The first one stays. */
static void keep(Verify *verify, char *error)
{
    if (verify->error)
        g_free(error);
    else
        verify->error = error;
}

/* Takes @what, which may be NULL. */
static void blame(Verify *verify, const VerifyStep *at, char *what)
{
    const CollInstance *coll = at->chunk->coll;
    g_autoptr(GString) text = NULL;

    if (!what)
        return;
    text = g_string_new(NULL);
    g_string_append_printf(text, "NPU %u, ", at->npu);
    op_graph_name(verify->graph, coll->op, text);
    g_string_append_printf(text,
                           ", iteration %" G_GUINT64_FORMAT
                           ", chunk %u, phase %u, step %u, lane %u: %s",
                           coll->iteration, at->chunk->index, at->phase,
                           at->step, at->lane, what);
    keep(verify, g_string_free(g_steal_pointer(&text), FALSE));
    g_free(what);
}

static void complain(Verify *verify, const VerifyStep *at, const char *what)
{
    blame(verify, at, g_strdup(what));
}

/* NULL, and an error, where there can be no such step; also after an error. */
static VerifyChunk *find(Verify *verify, const VerifyStep *at)
{
    VerifyChunk *c = g_hash_table_lookup(verify->chunks, &at->chunk->seq);
    const CollPlan *plan = at->chunk->plan;

    if (verify->error)
        return NULL;
    if (!c)
        complain(verify, at, "the chunk is not under way");
    else if (at->phase < plan->n_phases &&
             (at->step >= plan->phases[at->phase].n_steps ||
              at->lane >= chunk_n_lanes(at->chunk, at->phase)))
        complain(verify, at, "there is no such step");
    else
        return c;
    return NULL;
}

/* ---- messages ----------------------------------------------------------- */

/* All lanes together carry the atoms' part of the chunk, and what rounding
 * up to whole bytes adds: of the chunk, of each block, of each lane. */
static void check_bytes(Verify *verify, const VerifyStep *at,
                        const VerifyLoad *load, uint64_t bytes)
{
    uint64_t n_lanes = chunk_n_lanes(at->chunk, at->phase), n = verify->n_npus;
    uint64_t due = load->n * at->chunk->bytes;
    uint64_t padding = 2 * (uint64_t)load->n_blocks + n_lanes;

    if (bytes * n_lanes * n >= due && bytes * n_lanes * n <= due + padding * n)
        return;
    blame(verify, at,
          g_strdup_printf(
              "sends %" G_GUINT64_FORMAT " bytes in %" G_GUINT64_FORMAT
              " lanes for %u of %u parts of %" G_GUINT64_FORMAT " bytes",
              bytes, n_lanes, load->n, verify->n_npus, at->chunk->bytes));
}

/* ---- in a switch -------------------------------------------------------- */

static gboolean is_via_switch(const VerifyStep *at)
{
    return chunk_phase(at->chunk, at->phase)->algorithm->via_switch;
}

static Place meeting_place(const VerifyStep *at)
{
    return (Place){ at->chunk->seq, 0, at->phase, at->lane, at->step };
}

static void go_up(Verify *verify, const VerifyStep *at, const VerifyLoad *load)
{
    Place place = meeting_place(at);
    VerifyMeeting *meeting = g_hash_table_lookup(verify->meetings, &place);

    if (!meeting) {
        meeting = verify_meeting_new(verify->n_npus);
        g_hash_table_insert(verify->meetings, g_memdup2(&place, sizeof place),
                            meeting);
    }
    verify_meeting_add(meeting, load);
}

/* What comes down for @load, which went up and is freed. */
static VerifyLoad *come_down(Verify *verify, const VerifyStep *at,
                             VerifyLoad *load, uint64_t bytes)
{
    Place place = meeting_place(at);
    VerifyMeeting *meeting = g_hash_table_lookup(verify->meetings, &place);
    VerifyChunk *c = g_hash_table_lookup(verify->chunks, &at->chunk->seq);
    VerifyLoad *down = verify_chunk_due(c, at);

    down->npu = load->npu;
    g_free(load);
    if (!meeting) {
        complain(verify, at, "came from a switch where nobody met");
        return down;
    }
    blame(verify, at, verify_meeting_take(meeting, down));
    check_bytes(verify, at, down, bytes);
    if (verify_meeting_is_over(meeting))
        g_hash_table_remove(verify->meetings, &place);
    return down;
}

/* ---- on links ----------------------------------------------------------- */

void verify_send(Verify *verify, const VerifyStep *at, uint32_t message,
                 uint64_t bytes)
{
    VerifyChunk *c = find(verify, at);
    VerifyLoad *load;

    if (!c)
        return;
    load = verify_chunk_load(c, at);
    check_bytes(verify, at, load, bytes);
    if (is_via_switch(at))
        go_up(verify, at, load);
    if (!g_hash_table_insert(verify->under_way, GUINT_TO_POINTER(message),
                             load))
        complain(verify, at, "its message is another's that is under way");
}

static gboolean is_independent(const VerifyStep *at)
{
    return chunk_phase(at->chunk, at->phase)->algorithm->independent;
}

static Place place_of(const VerifyStep *at)
{
    return (Place){ at->chunk->seq, at->npu, at->phase, at->lane,
                    is_independent(at) ? 0 : at->step };
}

/* What came is what was sent here for this step. */
static void check_label(Verify *verify, const VerifyStep *at,
                        const VerifyLoad *load)
{
    const CollPhase *p = chunk_phase(at->chunk, at->phase);
    CollStep what = verify_step_of(at->chunk, at->phase, at->npu, at->step);
    uint32_t from = coll_peer(p, at->npu, what.recv_from);

    if (load->seq != at->chunk->seq || load->phase != at->phase ||
        load->lane != at->lane || load->step != at->step)
        blame(verify, at,
              g_strdup_printf("came what NPU %u sent for phase %u, step %u, "
                              "lane %u of %s chunk",
                              load->npu, load->phase, load->step, load->lane,
                              load->seq == at->chunk->seq ? "the" : "another"));
    else if (load->npu != from)
        blame(verify, at,
              g_strdup_printf("came from NPU %u, is due from NPU %u", load->npu,
                              from));
}

void verify_arrive(Verify *verify, const VerifyStep *at, uint32_t message,
                   uint64_t bytes)
{
    gpointer load;
    Place place;
    GQueue *loads;

    if (!find(verify, at))
        return;
    if (!g_hash_table_steal_extended(verify->under_way,
                                     GUINT_TO_POINTER(message), NULL, &load)) {
        complain(verify, at, "a message came that nobody sent");
        return;
    }
    check_label(verify, at, load);
    if (is_via_switch(at))
        load = come_down(verify, at, load, bytes);
    place = place_of(at);
    loads = g_hash_table_lookup(verify->arrived, &place);
    if (loads && !is_independent(at))
        complain(verify, at, "a message came twice");
    if (!loads) {
        loads = g_queue_new();
        g_hash_table_insert(verify->arrived, g_memdup2(&place, sizeof place),
                            loads);
    }
    g_queue_push_tail(loads, load);
}

void verify_receive(Verify *verify, const VerifyStep *at)
{
    Place place;
    GQueue *loads;
    GList *item;

    if (!find(verify, at))
        return;
    place = place_of(at);
    loads = g_hash_table_lookup(verify->arrived, &place);
    item = loads ? loads->head : NULL;
    while (item && ((VerifyLoad *)item->data)->handed)
        item = item->next;
    if (item)
        ((VerifyLoad *)item->data)->handed = TRUE;
    else
        complain(verify, at, "was handed on before it came, or twice");
}

/* Of steps that are alike it does not matter which the endpoint means: what
 * came first is taken in, and in the end all is. */
void verify_handle(Verify *verify, const VerifyStep *at, gboolean added)
{
    VerifyChunk *c = find(verify, at);
    VerifyStep meant = *at;
    Place place;
    GQueue *loads;
    g_autofree VerifyLoad *load = NULL;

    if (!c)
        return;
    place = place_of(at);
    loads = g_hash_table_lookup(verify->arrived, &place);
    if (!loads) {
        complain(verify, at, "was handled before it came, or twice");
        return;
    }
    load = g_queue_pop_head(loads);
    meant.step = load->step;
    blame(verify, &meant, verify_chunk_take_in(c, &meant, load, added));
    if (g_queue_is_empty(loads))
        g_hash_table_remove(verify->arrived, &place);
}

/* ---- ends --------------------------------------------------------------- */

void verify_begin(Verify *verify, const Chunk *chunk)
{
    const Op *op = op_graph_op(verify->graph, chunk->coll->op);

    g_hash_table_insert(verify->chunks,
                        g_memdup2(&chunk->seq, sizeof chunk->seq),
                        verify_chunk_new(chunk, op->kind, verify->n_npus));
}

void verify_leave(Verify *verify, const Chunk *chunk, uint32_t npu,
                  uint32_t phase)
{
    VerifyStep at = { .chunk = chunk, .npu = npu, .phase = phase };
    VerifyChunk *c = find(verify, &at);

    if (c)
        blame(verify, &at, verify_chunk_leave(c, &at));
}

void verify_finish(Verify *verify, const Chunk *chunk, uint32_t npu)
{
    const CollInstance *coll = chunk->coll;
    VerifyStep at = { .chunk = chunk,
                      .npu = npu,
                      .phase = chunk->plan->n_phases };
    VerifyChunk *c = find(verify, &at);

    if (!c)
        return;
    blame(verify, &at, verify_chunk_finish(c, &at));
    keep(verify, verify_ops_carried(verify->ops, npu, coll->op, coll->iteration,
                                    chunk->bytes));
}

void verify_end(Verify *verify, const Chunk *chunk)
{
    VerifyStep at = { .chunk = chunk };
    const VerifyChunk *c = find(verify, &at);

    if (!c)
        return;
    if (verify_chunk_n_finished(c) != verify->n_npus)
        complain(verify, &at, "some NPU never finished it");
    verify->n_chunks++;
    (void)g_hash_table_remove(verify->chunks, &chunk->seq);
}

void verify_begin_op(Verify *verify, uint32_t npu, uint32_t op,
                     uint64_t iteration)
{
    keep(verify, verify_ops_begin(verify->ops, npu, op, iteration));
}

void verify_end_op(Verify *verify, uint32_t npu, uint32_t op)
{
    keep(verify, verify_ops_end(verify->ops, npu, op));
}

/* The first of the messages under way by its number, so that every run says
 * the same. */
static char *lost(const Verify *verify)
{
    GHashTableIter iter;
    gpointer message, load;
    const VerifyLoad *first = NULL;
    guint least = G_MAXUINT;

    g_hash_table_iter_init(&iter, verify->under_way);
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

/* The NPU that should have handed it on is where it belongs in that phase. */
static gboolean is_forgotten(const Verify *verify, const Place *place,
                             const GQueue *loads)
{
    const VerifyChunk *c = g_hash_table_lookup(verify->chunks, &place->seq);
    const VerifyLoad *last = g_queue_peek_tail((GQueue *)(gpointer)loads);
    VerifyStep at = { NULL, place->npu, place->phase, place->lane,
                      place->step };

    return c && !last->handed && verify_chunk_has_sent(c, &at);
}

static char *forgotten(const Verify *verify)
{
    GHashTableIter iter;
    gpointer key, loads;
    const Place *first = NULL;

    g_hash_table_iter_init(&iter, verify->arrived);
    while (g_hash_table_iter_next(&iter, &key, &loads))
        if (is_forgotten(verify, key, loads) &&
            (!first || compare_places(key, first) < 0))
            first = key;
    return first ? g_strdup_printf("NPU %u, phase %u, step %u, lane %u of a "
                                   "chunk: what came was never handed on",
                                   first->npu, first->phase, first->step,
                                   first->lane)
                 : NULL;
}

void verify_close(Verify *verify, uint64_t n_iterations)
{
    keep(verify, lost(verify));
    if (g_hash_table_size(verify->arrived) > 0)
        keep(verify, g_strdup("messages came that nobody has handled"));
    keep(verify, verify_ops_close(verify->ops, n_iterations));
}

void verify_stall(Verify *verify, gboolean may_be_lost)
{
    if (may_be_lost)
        keep(verify, lost(verify));
    keep(verify, forgotten(verify));
}
