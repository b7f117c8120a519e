/* ledger.c - records the operations and the messages of each NPU */
#include "models/observe/ledger/ledger.h"

typedef struct {
    GArray *entries;  /* operations that have begun (LedgerEntry) */
    GArray *members;  /* collectives in fused entries (TraceMember) */
    GArray *messages; /* messages sent and received (LedgerMessage) */
    /* Owned: maps the key of an operation instance, see key_of(), to the index
     * + 1 of its entry or member. */
    GHashTable *places;
    gboolean is_sorted; /* the array .messages is sorted */
} Account;

struct Ledger {
    const System *system; /* borrowed */
    uint32_t n_npus;
    Account *accounts;    /* owned: one for each NPU */
    GHashTable *tags;     /* owned: maps the Name of a message to its tag */
    const char *left_out; /* static: activity that is not recorded; or NULL */
};

/* The fields that identify a message at both its sender and its receiver. */
typedef struct {
    uint64_t chunk;
    uint32_t phase, lane, step;
} Name;

static guint hash_name(gconstpointer data)
{
    const Name *n = data;
    uint64_t x = n->chunk * UINT64_C(0x9e3779b97f4a7c15) + n->step;

    x = (x ^ n->lane) * UINT64_C(0xc2b2ae3d27d4eb4f) + n->phase;
    return (guint)(x >> 32);
}

static gboolean is_same_name(gconstpointer a, gconstpointer b)
{
    const Name *x = a, *y = b;

    return x->chunk == y->chunk && x->phase == y->phase && x->lane == y->lane &&
           x->step == y->step;
}

/* ---- entries ------------------------------------------------------------ */

static gpointer key_of(uint32_t op, uint64_t iteration)
{
    G_STATIC_ASSERT(sizeof(gpointer) == sizeof(uint64_t));
    g_assert(iteration < UINT32_MAX);
    return (gpointer)(uintptr_t)(iteration << 32 | op);
}

static LedgerEntry *find_entry(const Account *a, uint32_t op,
                               uint64_t iteration)
{
    gpointer place = g_hash_table_lookup(a->places, key_of(op, iteration));

    return place ? &g_array_index(a->entries, LedgerEntry,
                                  GPOINTER_TO_UINT(place) - 1)
                 : NULL;
}

static void name_last(Account *a, uint32_t op, uint64_t iteration)
{
    g_hash_table_insert(a->places, key_of(op, iteration),
                        GUINT_TO_POINTER(a->entries->len));
}

/* Event: an operation begins.  Its entry may already exist if it began with
 * idle time or was fused. */
static void on_begin(gpointer self, uint32_t npu, uint32_t op,
                     uint64_t iteration, SimTime now_ps)
{
    Account *a = &((Ledger *)self)->accounts[npu];
    LedgerEntry entry = {
        .op = op, .iteration = iteration, .begin_ps = now_ps, .end_ps = now_ps
    };

    if (find_entry(a, op, iteration))
        return;
    g_array_append_val(a->entries, entry);
    name_last(a, op, iteration);
}

static void on_end(gpointer self, uint32_t npu, uint32_t op, uint64_t iteration,
                   SimTime now_ps)
{
    find_entry(&((Ledger *)self)->accounts[npu], op, iteration)->end_ps =
        now_ps;
}

static void on_load_begins(gpointer self, uint32_t npu, const TraceLoad *load,
                           SimTime now_ps)
{
    Account *a = &((Ledger *)self)->accounts[npu];
    LedgerEntry *entry;

    if (!trace_is_fused(load))
        return;
    on_begin(self, npu, load->op, load->iteration, now_ps);
    entry = find_entry(a, load->op, load->iteration);
    entry->first_member = a->members->len;
    entry->n_members = load->n_members;
    g_array_append_vals(a->members, load->members, load->n_members);
    for (uint32_t i = 0; i < load->n_members; i++)
        name_last(a, load->members[i].op, load->members[i].iteration);
}

static void on_recorded(gpointer self, uint32_t npu, uint32_t op,
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

static uint32_t tag_of(Ledger *ledger, const Name *name)
{
    gpointer tag = g_hash_table_lookup(ledger->tags, name);
    guint n = g_hash_table_size(ledger->tags) + 1;

    if (tag)
        return GPOINTER_TO_UINT(tag) - 1;
    g_hash_table_insert(ledger->tags, g_memdup2(name, sizeof *name),
                        GUINT_TO_POINTER(n));
    return n - 1;
}

static void on_sent(gpointer self, const TraceStep *at, uint32_t message,
                    uint64_t bytes, SimTime now_ps)
{
    Ledger *ledger = self;
    const CollPhase *phase = chunk_phase(at->chunk, at->phase);
    Name name = { .chunk = at->chunk->seq,
                  .phase = at->phase,
                  .lane = at->lane,
                  .step = at->step };
    LedgerMessage m = { .chunk = at->chunk->seq,
                        .iteration = at->chunk->iteration,
                        .bytes = system_message(ledger->system, message)->bytes,
                        .op = at->chunk->op,
                        .step = at->step,
                        .lane = at->lane,
                        .phase = (uint8_t)at->phase,
                        .is_send = TRUE,
                        .is_independent =
                            (guint8)phase->algorithm->independent };
    CollStep what;

    (void)bytes; /* payload only; the ledger records bytes on the wire */
    (void)now_ps;
    if (phase->algorithm->via_switch) {
        ledger->left_out = "sums that switches make";
        return;
    }
    chunk_step(at->chunk, at->phase, coll_rank(phase, at->npu), at->step,
               &what);
    m.peer = coll_peer(phase, at->npu, what.send_to);
    m.tag = tag_of(ledger, &name);
    g_array_append_val(ledger->accounts[at->npu].messages, m);
    m.is_send = FALSE;
    g_array_append_val(ledger->accounts[m.peer].messages, m);
    g_array_index(ledger->accounts[m.peer].messages, LedgerMessage,
                  ledger->accounts[m.peer].messages->len - 1)
        .peer = at->npu;
}

#define COMPARE(Member)                                                        \
    if (x->Member != y->Member)                                                \
    return x->Member < y->Member ? -1 : 1

static gint in_order(gconstpointer a, gconstpointer b)
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
    .kernel_begins = on_begin,
    .kernel_ends = on_end,
    .gap_begins = on_begin,
    .stage_begins = on_begin,
    .stage_ends = on_end,
    .collective_begins = on_begin,
    .recorded_begins = on_recorded,
    .load_begins = on_load_begins,
    .step_sent = on_sent,
};

Ledger *ledger_new(System *system)
{
    Ledger *ledger = g_new0(Ledger, 1);

    ledger->system = system;
    ledger->n_npus = topology_n_npus(system_topology(system));
    g_assert(system_n_simulated(system) == ledger->n_npus);
    ledger->accounts = g_new0(Account, ledger->n_npus);
    ledger->tags = g_hash_table_new_full(hash_name, is_same_name, g_free, NULL);
    for (uint32_t i = 0; i < ledger->n_npus; i++) {
        Account *a = &ledger->accounts[i];

        a->entries = g_array_new(FALSE, FALSE, sizeof(LedgerEntry));
        a->members = g_array_new(FALSE, FALSE, sizeof(TraceMember));
        a->messages = g_array_new(FALSE, FALSE, sizeof(LedgerMessage));
        a->places = g_hash_table_new(NULL, NULL);
    }
    system_listen(system, &ledger_ops, ledger);
    return ledger;
}

void ledger_free(Ledger *ledger)
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

const GArray *ledger_entries(const Ledger *ledger, uint32_t npu)
{
    return ledger->accounts[npu].entries;
}

const GArray *ledger_members(const Ledger *ledger, uint32_t npu)
{
    return ledger->accounts[npu].members;
}

const GArray *ledger_messages(Ledger *ledger, uint32_t npu)
{
    Account *a = &ledger->accounts[npu];

    if (!a->is_sorted)
        g_array_sort(a->messages, in_order);
    a->is_sorted = TRUE;
    return a->messages;
}

const char *ledger_omission(const Ledger *ledger)
{
    return ledger->left_out;
}
