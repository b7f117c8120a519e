/*
 * op_order.c - sorts operations, and removes dependencies that others imply
 *
 * Operations are sorted by key, but each after its dependencies.  Each
 * operation has a vector clock: the last position in each chain that has ended
 * before the operation begins.  A dependency on an operation of a chain is
 * implied if the clock of another dependency has reached its position.  Chains
 * beyond MAX_CHAINS are not examined.
 */
#include "workloads/recording/trace_to_program/replay_state_impl.h"

#include <string.h>

#define MAX_CHAINS 32

enum { NEW, ON_STACK, DONE };

typedef struct {
    ReplayBuilder *m;
    /* Owned: for each operation its first pair in .pairs, sorted; one more at
     * the end. */
    uint32_t *first;
    guint8 *marks;
    /* Owned: the stack of the depth-first search; the elements are uint32_t. */
    GArray *stack;
    uint32_t
        *next_pair; /* owned: for each operation the next pair to examine */
    /* Owned: old indices in the new order; the elements are uint32_t. */
    GArray *order;
    uint32_t *new_of; /* owned: for each operation its new index */
    /* The number of each examined chain.  Operations are indexed in the new
     * order, here and below. */
    uint32_t chains[MAX_CHAINS];
    guint n_chains;
    /* Owned: for each operation its position in its chain, from 1; 0: not
     * examined. */
    uint32_t *positions;
    /* Owned: for each operation its vector clock of MAX_CHAINS entries. */
    uint32_t *clocks;
    /* Owned: for each operation the index of its chain in .chains; MAX_CHAINS:
     * none. */
    guint8 *chain_of_op;
} OpOrder;

/* ---- pairs by operation ----------------------------------------------- */

static int compare_pairs_by_op(gconstpointer a, gconstpointer b)
{
    const ReplayPair *pair = a, *y = b;

    if (pair->op != y->op)
        return pair->op < y->op ? -1 : 1;
    if (pair->on != y->on)
        return pair->on < y->on ? -1 : 1;
    return (pair->is_before > y->is_before) - (pair->is_before < y->is_before);
}

static void index_pairs_by_op(OpOrder *order)
{
    guint n = order->m->ops->len, p = 0;

    g_array_sort(order->m->pairs, compare_pairs_by_op);
    order->first = g_new(uint32_t, n + 1);
    for (guint i = 0; i <= n; i++) {
        while (p < order->m->pairs->len &&
               g_array_index(order->m->pairs, ReplayPair, p).op < i)
            p++;
        order->first[i] = p;
    }
}

static ReplayPair *pack_dependency_pair(const OpOrder *order, uint32_t p)
{
    return &g_array_index(order->m->pairs, ReplayPair, p);
}

/* ---- the order -------------------------------------------------------- */

static int compare_ops_by_sort_key(gconstpointer a, gconstpointer b,
                                   gpointer data)
{
    const ReplayBuilder *builder = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int64_t x = g_array_index(builder->keys, int64_t, i);
    int64_t y = g_array_index(builder->keys, int64_t, j);

    if (x != y)
        return x < y ? -1 : 1;
    return (i > j) - (i < j);
}

/* Returns the next unvisited dependency of the top of the stack, or
 * RECORD_NONE. A pair that would close a cycle is dropped by making it depend
 * on itself, which collect_op_dependencies() ignores. */
static uint32_t next_unvisited_dependency(OpOrder *order, uint32_t op)
{
    while (order->next_pair[op] < order->first[op + 1]) {
        ReplayPair *pair = pack_dependency_pair(order, order->next_pair[op]++);

        if (pair->is_before || order->marks[pair->on] == DONE)
            continue;
        if (order->marks[pair->on] == NEW)
            return pair->on;
        pair->on = op;
        replay_report(order->m)->n[REPORT_CIRCLES]++;
    }
    return RECORD_NONE;
}

/* Appends @op to the order, after its dependencies, by a depth-first search. */
static void visit_depth_first(OpOrder *order, uint32_t op)
{
    if (order->marks[op] != NEW)
        return;
    order->marks[op] = ON_STACK;
    g_array_append_val(order->stack, op);
    while (order->stack->len > 0) {
        uint32_t last =
            g_array_index(order->stack, uint32_t, order->stack->len - 1);
        uint32_t before = next_unvisited_dependency(order, last);

        if (before == RECORD_NONE) {
            order->marks[last] = DONE;
            order->new_of[last] = order->order->len;
            g_array_append_val(order->order, last);
            g_array_set_size(order->stack, order->stack->len - 1);
        } else {
            order->marks[before] = ON_STACK;
            g_array_append_val(order->stack, before);
        }
    }
}

static void find_op_order(OpOrder *order)
{
    guint n = order->m->ops->len;
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 0; i < n; i++) {
        g_array_append_val(sorted, i);
        order->next_pair[i] = order->first[i];
    }
    g_array_sort_with_data(sorted, compare_ops_by_sort_key, order->m);
    for (uint32_t i = 0; i < n; i++)
        visit_depth_first(order, g_array_index(sorted, uint32_t, i));
}

/* ---- clocks ----------------------------------------------------------- */

static guint find_or_add_chain(OpOrder *order, const ReplayOp *op)
{
    if (op->chain == RECORD_NONE || op->is_empty)
        return MAX_CHAINS;
    for (guint c = 0; c < order->n_chains; c++)
        if (order->chains[c] == op->chain)
            return c;
    if (order->n_chains == MAX_CHAINS)
        return MAX_CHAINS;
    order->chains[order->n_chains] = op->chain;
    return order->n_chains++;
}

static uint32_t *vector_clock_of_op(const OpOrder *order, uint32_t place)
{
    return &order->clocks[(gsize)place * MAX_CHAINS];
}

/* Raises the clock of @place to that of @to, where the latter is later. */
static void merge_into_vector_clock(const OpOrder *order, uint32_t place,
                                    uint32_t to)
{
    uint32_t *clock = vector_clock_of_op(order, place);
    const uint32_t *other = vector_clock_of_op(order, to);

    for (guint c = 0; c < order->n_chains; c++)
        clock[c] = MAX(clock[c], other[c]);
}

/* ---- dependencies ---------------------------------------------------- */

static void add_unique_dependency(GArray *deps, const ReplayDep *dep)
{
    for (guint i = 0; i < deps->len; i++) {
        const ReplayDep *there = &g_array_index(deps, ReplayDep, i);

        if (there->op == dep->op && there->is_before == dep->is_before)
            return;
    }
    g_array_append_vals(deps, dep, 1);
}

/* Collects the dependencies of @op in the new order.  An operation without time
 * is replaced by its own dependencies. */
static void collect_op_dependencies(const OpOrder *order, uint32_t op,
                                    const ReplayRank *rank, GArray *deps)
{
    for (uint32_t p = order->first[op]; p < order->first[op + 1]; p++) {
        const ReplayPair *pair = pack_dependency_pair(order, p);
        ReplayDep dep = { order->new_of[pair->on], pair->is_before };
        const ReplayOp *predecessor;

        if (pair->on == op && !pair->is_before)
            continue;
        if (pair->is_before || !replay_built_op(order->m, pair->on)->is_empty) {
            add_unique_dependency(deps, &dep);
            continue;
        }
        predecessor = replay_op(rank, dep.op);
        for (uint32_t d = 0; d < predecessor->n_deps; d++)
            add_unique_dependency(deps, replay_dep(rank, predecessor, d));
    }
}

/* Returns whether another dependency in @deps implies dependency @i. */
static gboolean dependency_is_implied(const OpOrder *order, const GArray *deps,
                                      guint i)
{
    const ReplayDep *dep = &g_array_index(deps, ReplayDep, i);
    guint chain = order->chain_of_op[dep->op];

    if (dep->is_before || chain == MAX_CHAINS)
        return FALSE;
    for (guint j = 0; j < deps->len; j++) {
        const ReplayDep *other = &g_array_index(deps, ReplayDep, j);

        if (j != i && !other->is_before &&
            vector_clock_of_op(order, other->op)[chain] >=
                order->positions[dep->op])
            return TRUE;
    }
    return FALSE;
}

static void store_op_dependencies(OpOrder *order, uint32_t place, GArray *deps,
                                  ReplayRank *rank)
{
    ReplayOp *op = replay_op(rank, place);

    op->first_dep = rank->deps->len;
    for (guint i = 0; i < deps->len; i++) {
        const ReplayDep *dep = &g_array_index(deps, ReplayDep, i);

        if (!dep->is_before)
            merge_into_vector_clock(order, place, dep->op);
        if (dependency_is_implied(order, deps, i)) {
            replay_report(order->m)->n[REPORT_TRANSITIVE]++;
            continue;
        }
        g_array_append_vals(rank->deps, dep, 1);
    }
    op->n_deps = rank->deps->len - op->first_dep;
}

static void store_ops_in_order(OpOrder *order, ReplayRank *rank)
{
    uint32_t n_in_chain[MAX_CHAINS] = { 0 };
    g_autoptr(GArray) deps = g_array_new(FALSE, FALSE, sizeof(ReplayDep));

    for (uint32_t place = 0; place < order->order->len; place++) {
        uint32_t old = g_array_index(order->order, uint32_t, place);
        guint chain = find_or_add_chain(order, replay_built_op(order->m, old));

        g_array_append_val(rank->ops, *replay_built_op(order->m, old));
        order->chain_of_op[place] = (guint8)chain;
        g_array_set_size(deps, 0);
        collect_op_dependencies(order, old, rank, deps);
        store_op_dependencies(order, place, deps, rank);
        if (chain == MAX_CHAINS)
            continue;
        order->positions[place] = ++n_in_chain[chain];
        vector_clock_of_op(order, place)[chain] = order->positions[place];
    }
}

void replay_sort_ops(ReplayBuilder *builder, ReplayRank *rank)
{
    guint n = builder->ops->len;
    OpOrder o = { .m = builder };

    index_pairs_by_op(&o);
    o.marks = g_new0(guint8, n + 1);
    o.stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    o.order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    o.next_pair = g_new0(uint32_t, n + 1);
    o.new_of = g_new0(uint32_t, n + 1);
    o.positions = g_new0(uint32_t, n + 1);
    o.clocks = g_new0(uint32_t, (gsize)(n + 1) * MAX_CHAINS);
    o.chain_of_op = g_new0(guint8, n + 1);
    find_op_order(&o);
    store_ops_in_order(&o, rank);
    g_free(o.first);
    g_free(o.marks);
    g_array_unref(o.stack);
    g_array_unref(o.order);
    g_free(o.next_pair);
    g_free(o.new_of);
    g_free(o.positions);
    g_free(o.clocks);
    g_free(o.chain_of_op);
}
