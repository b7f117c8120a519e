/*
 * order.c - operations in order, each after what it waits for, and of what it
 * waits for only that which nothing else implies
 *
 * Order is by key as far as dependencies let it.  What is known to be done when
 * an operation begins is a place in each chain, as clocks of vectors have it:
 * a dependency on an operation of a chain is implied if another one's clock
 * has come that far.  Chains past the first few are not looked at.
 */
#include "workloads/recording/take/take_impl.h"

#include <string.h>

#define MOST_CHAINS 32

enum { NEW, ON_THE_WAY, DONE };

typedef struct {
    TakeMaker *m;
    uint32_t *first; /* by operation, and one more: of .pairs, sorted */
    guint8 *marks;
    GArray *way;      /* of uint32_t: operations, from the first to ours */
    uint32_t *at;     /* by operation: the next pair to look at */
    GArray *order;    /* of uint32_t */
    uint32_t *new_of; /* by operation: its place in the order */
    /* in the order: */
    uint32_t chains[MOST_CHAINS];
    guint n_chains;
    uint32_t *places; /* in its chain, from 1; 0: in none that is looked at */
    uint32_t *clocks; /* of .n_chains each */
    guint8 *of;       /* index into .chains; MOST_CHAINS: none */
} Order;

/* ---- pairs by operation ----------------------------------------------- */

static int by_op(gconstpointer a, gconstpointer b)
{
    const TakePair *x = a, *y = b;

    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->on != y->on)
        return x->on < y->on ? -1 : 1;
    return (x->is_before > y->is_before) - (x->is_before < y->is_before);
}

static void index_pairs(Order *o)
{
    guint n = o->m->ops->len, p = 0;

    g_array_sort(o->m->pairs, by_op);
    o->first = g_new(uint32_t, n + 1);
    for (guint i = 0; i <= n; i++) {
        while (p < o->m->pairs->len &&
               g_array_index(o->m->pairs, TakePair, p).op < i)
            p++;
        o->first[i] = p;
    }
}

static TakePair *pair_of(const Order *o, uint32_t p)
{
    return &g_array_index(o->m->pairs, TakePair, p);
}

/* ---- the order -------------------------------------------------------- */

static int by_key(gconstpointer a, gconstpointer b, gpointer data)
{
    const TakeMaker *m = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int64_t x = g_array_index(m->keys, int64_t, i);
    int64_t y = g_array_index(m->keys, int64_t, j);

    if (x != y)
        return x < y ? -1 : 1;
    return (i > j) - (i < j);
}

/* The next that has to come before the last on the way; RECORD_NONE.  A pair
 * that would close a circle is dropped: it waits for itself then, as no other
 * does. */
static uint32_t next_before(Order *o, uint32_t op)
{
    while (o->at[op] < o->first[op + 1]) {
        TakePair *pair = pair_of(o, o->at[op]++);

        if (pair->is_before || o->marks[pair->on] == DONE)
            continue;
        if (o->marks[pair->on] == NEW)
            return pair->on;
        pair->on = op;
        take_report(o->m)->n[REPORT_CIRCLES]++;
    }
    return RECORD_NONE;
}

static void visit(Order *o, uint32_t op)
{
    if (o->marks[op] != NEW)
        return;
    o->marks[op] = ON_THE_WAY;
    g_array_append_val(o->way, op);
    while (o->way->len > 0) {
        uint32_t last = g_array_index(o->way, uint32_t, o->way->len - 1);
        uint32_t before = next_before(o, last);

        if (before == RECORD_NONE) {
            o->marks[last] = DONE;
            o->new_of[last] = o->order->len;
            g_array_append_val(o->order, last);
            g_array_set_size(o->way, o->way->len - 1);
        } else {
            o->marks[before] = ON_THE_WAY;
            g_array_append_val(o->way, before);
        }
    }
}

static void find_order(Order *o)
{
    guint n = o->m->ops->len;
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 0; i < n; i++) {
        g_array_append_val(sorted, i);
        o->at[i] = o->first[i];
    }
    g_array_sort_with_data(sorted, by_key, o->m);
    for (uint32_t i = 0; i < n; i++)
        visit(o, g_array_index(sorted, uint32_t, i));
}

/* ---- clocks ----------------------------------------------------------- */

static guint chain_of(Order *o, const TakeOp *op)
{
    if (op->chain == RECORD_NONE || op->is_empty)
        return MOST_CHAINS;
    for (guint c = 0; c < o->n_chains; c++)
        if (o->chains[c] == op->chain)
            return c;
    if (o->n_chains == MOST_CHAINS)
        return MOST_CHAINS;
    o->chains[o->n_chains] = op->chain;
    return o->n_chains++;
}

static uint32_t *clock_of(const Order *o, uint32_t place)
{
    return &o->clocks[(gsize)place * MOST_CHAINS];
}

static void advance(const Order *o, uint32_t place, uint32_t to)
{
    uint32_t *clock = clock_of(o, place);
    const uint32_t *other = clock_of(o, to);

    for (guint c = 0; c < o->n_chains; c++)
        clock[c] = MAX(clock[c], other[c]);
}

/* ---- what it waits for ------------------------------------------------ */

static void add_dep(GArray *deps, const TakeDep *dep)
{
    for (guint i = 0; i < deps->len; i++) {
        const TakeDep *there = &g_array_index(deps, TakeDep, i);

        if (there->op == dep->op && there->is_before == dep->is_before)
            return;
    }
    g_array_append_vals(deps, dep, 1);
}

/* What takes no time hands on what it waits for. */
static void collect(const Order *o, uint32_t op, const TakeRank *rank,
                    GArray *deps)
{
    for (uint32_t p = o->first[op]; p < o->first[op + 1]; p++) {
        const TakePair *pair = pair_of(o, p);
        TakeDep dep = { o->new_of[pair->on], pair->is_before };
        const TakeOp *on;

        if (pair->on == op && !pair->is_before)
            continue;
        if (pair->is_before || !take_made(o->m, pair->on)->is_empty) {
            add_dep(deps, &dep);
            continue;
        }
        on = take_op(rank, dep.op);
        for (uint32_t d = 0; d < on->n_deps; d++)
            add_dep(deps, take_dep(rank, on, d));
    }
}

static gboolean is_implied(const Order *o, const GArray *deps, guint i)
{
    const TakeDep *dep = &g_array_index(deps, TakeDep, i);
    guint chain = o->of[dep->op];

    if (dep->is_before || chain == MOST_CHAINS)
        return FALSE;
    for (guint j = 0; j < deps->len; j++) {
        const TakeDep *other = &g_array_index(deps, TakeDep, j);

        if (j != i && !other->is_before &&
            clock_of(o, other->op)[chain] >= o->places[dep->op])
            return TRUE;
    }
    return FALSE;
}

static void settle_deps(Order *o, uint32_t place, GArray *deps, TakeRank *rank)
{
    TakeOp *op = take_op(rank, place);

    op->first_dep = rank->deps->len;
    for (guint i = 0; i < deps->len; i++) {
        const TakeDep *dep = &g_array_index(deps, TakeDep, i);

        if (!dep->is_before)
            advance(o, place, dep->op);
        if (is_implied(o, deps, i)) {
            take_report(o->m)->n[REPORT_TRANSITIVE]++;
            continue;
        }
        g_array_append_vals(rank->deps, dep, 1);
    }
    op->n_deps = rank->deps->len - op->first_dep;
}

static void settle_all(Order *o, TakeRank *rank)
{
    uint32_t n_in_chain[MOST_CHAINS] = { 0 };
    g_autoptr(GArray) deps = g_array_new(FALSE, FALSE, sizeof(TakeDep));

    for (uint32_t place = 0; place < o->order->len; place++) {
        uint32_t was = g_array_index(o->order, uint32_t, place);
        guint chain = chain_of(o, take_made(o->m, was));

        g_array_append_val(rank->ops, *take_made(o->m, was));
        o->of[place] = (guint8)chain;
        g_array_set_size(deps, 0);
        collect(o, was, rank, deps);
        settle_deps(o, place, deps, rank);
        if (chain == MOST_CHAINS)
            continue;
        o->places[place] = ++n_in_chain[chain];
        clock_of(o, place)[chain] = o->places[place];
    }
}

void take_put_in_order(TakeMaker *m, TakeRank *rank)
{
    guint n = m->ops->len;
    Order o = { .m = m };

    index_pairs(&o);
    o.marks = g_new0(guint8, n + 1);
    o.way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    o.order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    o.at = g_new0(uint32_t, n + 1);
    o.new_of = g_new0(uint32_t, n + 1);
    o.places = g_new0(uint32_t, n + 1);
    o.clocks = g_new0(uint32_t, (gsize)(n + 1) * MOST_CHAINS);
    o.of = g_new0(guint8, n + 1);
    find_order(&o);
    settle_all(&o, rank);
    g_free(o.first);
    g_free(o.marks);
    g_array_unref(o.way);
    g_array_unref(o.order);
    g_free(o.at);
    g_free(o.new_of);
    g_free(o.places);
    g_free(o.clocks);
    g_free(o.of);
}
