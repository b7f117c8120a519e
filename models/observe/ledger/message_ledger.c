/* message_ledger.c - records the operations and the messages of each NPU */
#include "models/observe/ledger/message_ledger.h"

typedef struct {
    GArray *entries;  /* operations that have begun (LedgerEntry) */
    GArray *members;  /* collectives in fused entries (TraceMember) */
    GArray *messages; /* messages sent and received (LedgerMessage) */
    /* Owned: maps the key of an operation instance, see
     * hash_key_of_op_instance(), to the index
     * + 1 of its entry or member. */
    GHashTable *places;
    gboolean is_sorted; /* the array .messages is sorted */
} LedgerOfNpu;

struct Ledger {
    const System *system; /* borrowed */
    uint32_t n_npus;
    LedgerOfNpu *accounts; /* owned: one for each NPU */
    GHashTable *tags;      /* owned: maps the Name of a message to its tag */
    const char *left_out;  /* static: activity that is not recorded; or NULL */
};

/* The fields that identify a message at both its sender and its receiver. */
typedef struct {
    uint64_t chunk;
    uint32_t phase, lane, step;
} MessageName;

static guint hash_message_name(gconstpointer data)
{
    const MessageName *n = data;
    uint64_t x = n->chunk * UINT64_C(0x9e3779b97f4a7c15) + n->step;

    x = (x ^ n->lane) * UINT64_C(0xc2b2ae3d27d4eb4f) + n->phase;
    return (guint)(x >> 32);
}

static gboolean message_names_are_equal(gconstpointer a, gconstpointer b)
{
    const MessageName *x = a, *y = b;

    return x->chunk == y->chunk && x->phase == y->phase && x->lane == y->lane &&
           x->step == y->step;
}

/* ---- entries ------------------------------------------------------------ */

static gpointer hash_key_of_op_instance(uint32_t op, uint64_t iteration)
{
    G_STATIC_ASSERT(sizeof(gpointer) == sizeof(uint64_t));
    g_assert(iteration < UINT32_MAX);
    return (gpointer)(uintptr_t)(iteration << 32 | op);
}

static LedgerEntry *find_ledger_entry_of_op(const LedgerOfNpu *npu_ledger,
                                            uint32_t op, uint64_t iteration)
{
    gpointer place = g_hash_table_lookup(
        npu_ledger->places, hash_key_of_op_instance(op, iteration));

    return place ? &g_array_index(npu_ledger->entries, LedgerEntry,
                                  GPOINTER_TO_UINT(place) - 1)
                 : NULL;
}

static void index_last_fused_member(LedgerOfNpu *npu_ledger, uint32_t op,
                                    uint64_t iteration)
{
    g_hash_table_insert(npu_ledger->places,
                        hash_key_of_op_instance(op, iteration),
                        GUINT_TO_POINTER(npu_ledger->entries->len));
}

/* Event: an operation begins.  Its entry may already exist if it began with
 * idle time or was fused. */
static void on_operation_begins(gpointer self, uint32_t npu, uint32_t op,
                                uint64_t iteration, SimTime now_ps)
{
    LedgerOfNpu *npu_ledger = &((Ledger *)self)->accounts[npu];
    LedgerEntry entry = {
        .op = op, .iteration = iteration, .begin_ps = now_ps, .end_ps = now_ps
    };

    if (find_ledger_entry_of_op(npu_ledger, op, iteration))
        return;
    g_array_append_val(npu_ledger->entries, entry);
    index_last_fused_member(npu_ledger, op, iteration);
}

static void on_operation_ends(gpointer self, uint32_t npu, uint32_t op,
                              uint64_t iteration, SimTime now_ps)
{
    find_ledger_entry_of_op(&((Ledger *)self)->accounts[npu], op, iteration)
        ->end_ps = now_ps;
}

static void on_load_begins(gpointer self, uint32_t npu, const TraceLoad *load,
                           SimTime now_ps)
{
    LedgerOfNpu *npu_ledger = &((Ledger *)self)->accounts[npu];
    LedgerEntry *entry;

    if (!trace_is_fused(load))
        return;
    on_operation_begins(self, npu, load->op, load->iteration, now_ps);
    entry = find_ledger_entry_of_op(npu_ledger, load->op, load->iteration);
    entry->first_member = npu_ledger->members->len;
    entry->n_members = load->n_members;
    g_array_append_vals(npu_ledger->members, load->members, load->n_members);
    for (uint32_t i = 0; i < load->n_members; i++)
        index_last_fused_member(npu_ledger, load->members[i].op,
                                load->members[i].iteration);
}

static void on_recorded_collective(gpointer self, uint32_t npu, uint32_t op,
                                   uint64_t iteration, SimTime now_ps)
{
    (void)npu;
    (void)op;
    (void)iteration;
    (void)now_ps;
    ((Ledger *)self)->left_out = "collectives that take the time recorded of "
                                 "them";
}

/* ---- messages --------------------------------------------------------- */

static uint32_t tag_of_message_name(Ledger *ledger, const MessageName *name)
{
    gpointer tag = g_hash_table_lookup(ledger->tags, name);
    guint n = g_hash_table_size(ledger->tags) + 1;

    if (tag)
        return GPOINTER_TO_UINT(tag) - 1;
    g_hash_table_insert(ledger->tags, g_memdup2(name, sizeof *name),
                        GUINT_TO_POINTER(n));
    return n - 1;
}

static void on_message_sent(gpointer self, const TraceStep *step,
                            uint32_t message, uint64_t bytes, SimTime now_ps)
{
    Ledger *ledger = self;
    const CollPhase *phase = chunk_phase(step->chunk, step->phase);
    MessageName name = { .chunk = step->chunk->seq,
                         .phase = step->phase,
                         .lane = step->lane,
                         .step = step->step };
    LedgerMessage m = {
        .chunk = step->chunk->seq,
        .iteration = step->chunk->iteration,
        .bytes = system_get_message_in_flight(ledger->system, message)->bytes,
        .op = step->chunk->op,
        .step = step->step,
        .lane = step->lane,
        .phase = (uint8_t)step->phase,
        .is_send = TRUE,
        .is_independent = (guint8)phase->algorithm->independent
    };
    CollStep what;

    (void)bytes; /* payload only; the ledger records bytes on the wire */
    (void)now_ps;
    if (phase->algorithm->via_switch) {
        ledger->left_out = "sums that switches make";
        return;
    }
    chunk_look_up_step(step->chunk, step->phase,
                       coll_rank_of_npu(phase, step->npu), step->step, &what);
    m.peer = coll_npu_of_rank(phase, step->npu, what.send_to);
    m.tag = tag_of_message_name(ledger, &name);
    g_array_append_val(ledger->accounts[step->npu].messages, m);
    m.is_send = FALSE;
    g_array_append_val(ledger->accounts[m.peer].messages, m);
    g_array_index(ledger->accounts[m.peer].messages, LedgerMessage,
                  ledger->accounts[m.peer].messages->len - 1)
        .peer = step->npu;
}

#define COMPARE(Member)                                                        \
    if (x->Member != y->Member)                                                \
    return x->Member < y->Member ? -1 : 1

static gint compare_ledger_messages(gconstpointer a, gconstpointer b)
{
    const LedgerMessage *x = a, *y = b;

    COMPARE(op);
    COMPARE(iteration);
    COMPARE(chunk);
    COMPARE(phase);
    COMPARE(lane);
    COMPARE(step);
    if (x->is_send != y->is_send)
        return x->is_send ? -1 : 1;
    COMPARE(peer);
    return 0;
}

/* ---- construction -------------------------------------------------------- */

static const TraceOps ledger_ops = {
    .kernel_begins = on_operation_begins,
    .kernel_ends = on_operation_ends,
    .gap_begins = on_operation_begins,
    .stage_begins = on_operation_begins,
    .stage_ends = on_operation_ends,
    .collective_begins = on_operation_begins,
    .recorded_begins = on_recorded_collective,
    .load_begins = on_load_begins,
    .step_sent = on_message_sent,
};

Ledger *message_ledger_new(System *system)
{
    Ledger *ledger = g_new0(Ledger, 1);

    ledger->system = system;
    ledger->n_npus = topology_n_npus(system_topology(system));
    g_assert(system_n_simulated_npus(system) == ledger->n_npus);
    ledger->accounts = g_new0(LedgerOfNpu, ledger->n_npus);
    ledger->tags = g_hash_table_new_full(hash_message_name,
                                         message_names_are_equal, g_free, NULL);
    for (uint32_t i = 0; i < ledger->n_npus; i++) {
        LedgerOfNpu *npu_ledger = &ledger->accounts[i];

        npu_ledger->entries = g_array_new(FALSE, FALSE, sizeof(LedgerEntry));
        npu_ledger->members = g_array_new(FALSE, FALSE, sizeof(TraceMember));
        npu_ledger->messages = g_array_new(FALSE, FALSE, sizeof(LedgerMessage));
        npu_ledger->places = g_hash_table_new(NULL, NULL);
    }
    system_add_listener(system, &ledger_ops, ledger);
    return ledger;
}

void message_ledger_free(Ledger *ledger)
{
    if (!ledger)
        return;
    for (uint32_t i = 0; i < ledger->n_npus; i++) {
        g_array_unref(ledger->accounts[i].entries);
        g_array_unref(ledger->accounts[i].members);
        g_array_unref(ledger->accounts[i].messages);
        g_hash_table_unref(ledger->accounts[i].places);
    }
    g_hash_table_unref(ledger->tags);
    g_free(ledger->accounts);
    g_free(ledger);
}

const GArray *ledger_entries_of_npu(const Ledger *ledger, uint32_t npu)
{
    return ledger->accounts[npu].entries;
}

const GArray *ledger_fused_members_of_npu(const Ledger *ledger, uint32_t npu)
{
    return ledger->accounts[npu].members;
}

const GArray *ledger_messages_of_npu(Ledger *ledger, uint32_t npu)
{
    LedgerOfNpu *npu_ledger = &ledger->accounts[npu];

    if (!npu_ledger->is_sorted)
        g_array_sort(npu_ledger->messages, compare_ledger_messages);
    npu_ledger->is_sorted = TRUE;
    return npu_ledger->messages;
}

const char *ledger_unsupported_activity(const Ledger *ledger)
{
    return ledger->left_out;
}
