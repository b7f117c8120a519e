/*
 * goal.c - deeds and messages of an NPU as operations of a rank
 *
 * A kernel is one `calc`, which requires the one before it on its stream and
 * what the graph has it wait for.  A collective is bracketed by two `calc 0`,
 * since others wait for all of it; so is each phase of a chunk.  Within a lane
 * of a phase a send requires what came before it, and a receive is there from
 * the phase's begin.
 */
#include "sim/study/export/goal.h"

#include "models/observe/ledger/ledger.h"
#include "sim/config/config.h"

#define PS_PER_NS 1000

typedef struct {
    const System *system;
    Ledger *ledger;
    GString *out;
    GoalCounts *counts;
    /* of the rank that is written: */
    uint32_t npu, role;
    uint32_t n_labels;
    GHashTable *ends;    /* label by operation and iteration */
    GHashTable *streams; /* label of the last on each */
    guint next;          /* of its messages */
    uint64_t sent_bytes;
} Writer;

static gpointer key_of(uint64_t high, uint32_t low)
{
    return (gpointer)(uintptr_t)(high << 32 | low);
}

static uint32_t add_calc(Writer *w, uint64_t ns)
{
    w->n_labels++;
    w->counts->n_calcs++;
    g_string_append_printf(w->out, "l%u: calc %" G_GUINT64_FORMAT "\n",
                           w->n_labels, ns);
    return w->n_labels;
}

/* @on 0: nothing. */
static void require(Writer *w, uint32_t label, uint32_t on)
{
    if (on == 0)
        return;
    w->counts->n_requires++;
    g_string_append_printf(w->out, "l%u requires l%u\n", label, on);
}

static uint32_t add_message(Writer *w, const LedgerMessage *m)
{
    w->n_labels++;
    g_string_append_printf(w->out,
                           "l%u: %s %" G_GUINT64_FORMAT "b %s %u tag %u\n",
                           w->n_labels, m->is_send ? "send" : "recv", m->bytes,
                           m->is_send ? "to" : "from", m->peer, m->tag);
    if (m->is_send) {
        w->counts->n_sends++;
        w->sent_bytes += m->bytes;
    }
    return w->n_labels;
}

/* ---- what is waited for ----------------------------------------------- */

/* Of instance @iteration of @op, which began before @label. */
static void require_end(Writer *w, uint32_t label, uint32_t op,
                        uint64_t iteration)
{
    gpointer end = g_hash_table_lookup(w->ends, key_of(iteration, op));

    g_assert(end);
    require(w, label, GPOINTER_TO_UINT(end));
}

static void require_deps(Writer *w, uint32_t label, uint32_t i,
                         uint64_t iteration)
{
    const Op *op = op_graph_op(system_graph(w->system), i);

    for (uint32_t d = 0; d < op->n_deps; d++) {
        const OpDep *dep = &op->deps[d];

        if (dep->roles >> w->role & 1 && dep->back <= iteration)
            require_end(w, label, dep->op, iteration - dep->back);
    }
    if (op->type == OP_COLLECTIVE && iteration > 0)
        require_end(w, label, i, iteration - 1);
}

/* ---- messages --------------------------------------------------------- */

static const LedgerMessage *message(const Writer *w)
{
    const GArray *messages = ledger_messages(w->ledger, w->npu);

    return w->next < messages->len
               ? &g_array_index(messages, LedgerMessage, w->next)
               : NULL;
}

static gboolean is_of_phase(const LedgerMessage *m, const LedgerMessage *first)
{
    return m && m->op == first->op && m->iteration == first->iteration &&
           m->chunk == first->chunk && m->phase == first->phase;
}

/* The rest of the lane that the next message is of, entered at @enter. */
static void add_lane(Writer *w, uint32_t enter, GArray *sent, GArray *received)
{
    const LedgerMessage *first = message(w);
    uint32_t before = enter;

    for (const LedgerMessage *m = first;
         is_of_phase(m, first) && m->lane == first->lane; m = message(w)) {
        uint32_t label = add_message(w, m);

        require(w, label, m->is_send ? before : enter);
        g_array_append_val(m->is_send ? sent : received, label);
        if (!m->is_send && !m->is_independent)
            before = label;
        w->next++;
    }
}

/* Returns the end of the phase that the next message is of: when all is there,
 * or of who only sends, has gone. */
static uint32_t add_phase(Writer *w, uint32_t enter)
{
    const LedgerMessage *first = message(w);
    g_autoptr(GArray) sent = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autoptr(GArray) received = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    const GArray *due = received;
    uint32_t label;

    while (is_of_phase(message(w), first))
        add_lane(w, enter, sent, received);
    if (received->len == 0)
        due = sent;
    label = add_calc(w, 0);
    for (guint i = 0; i < due->len; i++)
        require(w, label, g_array_index(due, uint32_t, i));
    return label;
}

/* Whose messages come next, if it has any. */
static void find_messages(Writer *w, const LedgerDeed *deed)
{
    const GArray *messages = ledger_messages(w->ledger, w->npu);
    guint from = 0, to = messages->len;

    while (from < to) {
        guint middle = from + (to - from) / 2;
        const LedgerMessage *m =
            &g_array_index(messages, LedgerMessage, middle);

        if (m->op < deed->op ||
            (m->op == deed->op && m->iteration < deed->iteration))
            from = middle + 1;
        else
            to = middle;
    }
    w->next = from;
}

/* Chunks go side by side, phases of a chunk one after the other. */
static uint32_t add_chunks(Writer *w, const LedgerDeed *deed, uint32_t enter)
{
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    const LedgerMessage *m;
    uint32_t label;

    find_messages(w, deed);
    while ((m = message(w)) && m->op == deed->op &&
           m->iteration == deed->iteration) {
        uint64_t chunk = m->chunk;
        uint32_t last = enter;

        while ((m = message(w)) && m->op == deed->op &&
               m->iteration == deed->iteration && m->chunk == chunk)
            last = add_phase(w, last);
        g_array_append_val(ends, last);
    }
    label = add_calc(w, 0);
    for (guint i = 0; i < ends->len; i++)
        require(w, label, g_array_index(ends, uint32_t, i));
    if (ends->len == 0)
        require(w, label, enter);
    return label;
}

/* ---- deeds ------------------------------------------------------------ */

static void set_end(Writer *w, uint32_t op, uint64_t iteration, uint32_t label)
{
    g_hash_table_insert(w->ends, key_of(iteration, op),
                        GUINT_TO_POINTER(label));
}

static void add_collective(Writer *w, const LedgerDeed *deed)
{
    const GArray *members = ledger_members(w->ledger, w->npu);
    uint32_t enter = add_calc(w, 0), label;

    if (deed->n_members == 0)
        require_deps(w, enter, deed->op, deed->iteration);
    for (guint i = 0; i < deed->n_members; i++) {
        const TraceMember *m =
            &g_array_index(members, TraceMember, deed->first_member + i);

        require_deps(w, enter, m->op, m->iteration);
    }
    label = add_chunks(w, deed, enter);
    set_end(w, deed->op, deed->iteration, label);
    for (guint i = 0; i < deed->n_members; i++) {
        const TraceMember *m =
            &g_array_index(members, TraceMember, deed->first_member + i);

        set_end(w, m->op, m->iteration, label);
    }
}

/* Kernels by stream, stages by sort and queue: one after the other. */
static gpointer stream_of(const Op *op)
{
    return op->type == OP_COMPUTE ? key_of(0, op->stream)
                                  : key_of(1 + op->stage, op->queue);
}

static void add_calc_of(Writer *w, const LedgerDeed *deed)
{
    const Op *op = op_graph_op(system_graph(w->system), deed->op);
    SimTime took_ps = deed->end_ps - deed->begin_ps;
    uint32_t label =
        add_calc(w, (uint64_t)((took_ps + PS_PER_NS / 2) / PS_PER_NS));

    require(w, label,
            GPOINTER_TO_UINT(g_hash_table_lookup(w->streams, stream_of(op))));
    require_deps(w, label, deed->op, deed->iteration);
    g_hash_table_insert(w->streams, stream_of(op), GUINT_TO_POINTER(label));
    set_end(w, deed->op, deed->iteration, label);
}

static void add_rank(Writer *w, uint32_t npu)
{
    const GArray *deeds = ledger_deeds(w->ledger, npu);

    w->npu = npu;
    w->role = coll_cast_role(system_cast(w->system), npu);
    w->n_labels = 0;
    w->sent_bytes = 0;
    g_hash_table_remove_all(w->ends);
    g_hash_table_remove_all(w->streams);
    g_string_append_printf(w->out, "\nrank %u {\n", npu);
    for (guint i = 0; i < deeds->len; i++) {
        const LedgerDeed *deed = &g_array_index(deeds, LedgerDeed, i);

        if (op_graph_op(system_graph(w->system), deed->op)->type ==
            OP_COLLECTIVE)
            add_collective(w, deed);
        else
            add_calc_of(w, deed);
    }
    g_string_append(w->out, "}\n");
    if (op_graph_role(system_graph(w->system), w->role)->serves)
        return;
    w->counts->n_counted++;
    w->counts->sent_bytes += w->sent_bytes;
}

static GString *write_all(const System *system, Ledger *ledger,
                          GoalCounts *counts)
{
    Writer w = { .system = system, .ledger = ledger, .counts = counts };

    w.out = g_string_new(NULL);
    w.ends = g_hash_table_new(NULL, NULL);
    w.streams = g_hash_table_new(NULL, NULL);
    g_string_append_printf(w.out, "num_ranks %u\n", counts->n_ranks);
    for (uint32_t npu = 0; npu < counts->n_ranks; npu++)
        add_rank(&w, npu);
    g_hash_table_unref(w.ends);
    g_hash_table_unref(w.streams);
    return w.out;
}

GString *goal_export(const SystemConfig *config, uint64_t n_iterations,
                     GoalCounts *ret, GError **error)
{
    SystemConfig once = *config;
    g_autoptr(System) system = NULL;
    g_autoptr(Ledger) ledger = NULL;
    SystemResult result;

    *ret = (GoalCounts){ 0 };
    once.training.n_iterations = n_iterations;
    once.training.drain = TRUE;
    system = system_new(&once, FOLD_OFF, error);
    if (!system)
        return NULL;
    ledger = ledger_new(system);
    if (!system_run(system, error))
        return NULL;
    if (ledger_left_out(ledger)) {
        config_set_error(error, config->collectives.node, CONFIG_ERROR_CONFLICT,
                         "the run has %s, which GOAL cannot say",
                         ledger_left_out(ledger));
        return NULL;
    }
    result = system_result(system);
    ret->n_ranks = result.n_npus;
    ret->run_sent_bytes = result.sent_bytes;
    return write_all(system, ledger, ret);
}
