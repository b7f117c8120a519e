/*
 * dependency_cycle.c - nodes that depend on each other in a cycle, so that none
 * can begin
 *
 * Nodes without remaining dependencies are removed repeatedly.  Each remaining
 * node depends on a remaining one, so following these dependencies leads into a
 * cycle. Each cycle is reported once.
 */
#include "workloads/recording/lint_impl.h"

#include <inttypes.h>

typedef struct {
    const Lint *lint;
    guint rank_index;
    const RecordRank *rank;
    /* Owned: for each remaining node, a remaining node on which it depends,
     * otherwise RECORD_NONE; the elements are uint32_t. */
    GArray *next;
    gboolean is_loop, is_stale;
} Search;

/* Returns whether a dependency on a later node means the previous iteration.
 * It does in loops and if one rank represents all. */
static gboolean dependencies_form_loop(const Recording *recording)
{
    return recording->is_loop ||
           (recording->ranks->len == 1 &&
            record_rank(recording, 0)->rank == RECORD_NO_RANK);
}

/* Returns the node of dependency @d of node @i within the iteration, or
 * RECORD_NONE. */
static uint32_t node_of_dependency(const Search *search, uint32_t i, uint32_t d)
{
    const RecordNode *node = record_node(search->rank, i);
    uint32_t on;

    if (search->is_stale && d + node->n_control >= node->n_deps)
        return RECORD_NONE;
    on = lint_find_node(
        search->lint, search->rank_index,
        g_array_index(search->rank->deps, uint64_t, node->first_dep + d));
    return on != RECORD_NONE && on > i && search->is_loop ? RECORD_NONE : on;
}

/* The dependents of all nodes.  Those of node i are .nodes[.first[i]] to before
 * .nodes[.first[i + 1]]. */
typedef struct {
    uint32_t *first, *nodes;
} Dependents;

static Dependents index_dependents(const Search *search, uint32_t *n_left)
{
    uint32_t n = search->rank->nodes->len;
    Dependents w = { g_new0(uint32_t, n + 2),
                     g_new(uint32_t, search->rank->deps->len) };

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t d = 0; d < record_node(search->rank, i)->n_deps; d++) {
            uint32_t on = node_of_dependency(search, i, d);

            if (on == RECORD_NONE)
                continue;
            n_left[i]++;
            w.first[on + 2]++;
        }
    for (uint32_t i = 2; i < n + 2; i++)
        w.first[i] += w.first[i - 1];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t d = 0; d < record_node(search->rank, i)->n_deps; d++) {
            uint32_t on = node_of_dependency(search, i, d);

            if (on != RECORD_NONE)
                w.nodes[w.first[on + 1]++] = i;
        }
    return w;
}

/* Removes all nodes that can begin.  n_left[i] is positive for nodes that
 * remain. */
static void remove_ready_nodes(const Search *search, uint32_t *n_left)
{
    g_autoptr(GArray) ready = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Dependents w = index_dependents(search, n_left);

    for (uint32_t i = 0; i < search->rank->nodes->len; i++)
        if (n_left[i] == 0)
            g_array_append_val(ready, i);
    for (guint r = 0; r < ready->len; r++) {
        uint32_t i = g_array_index(ready, uint32_t, r);

        for (uint32_t k = w.first[i]; k < w.first[i + 1]; k++)
            if (--n_left[w.nodes[k]] == 0)
                g_array_append_val(ready, w.nodes[k]);
    }
    g_free(w.first);
    g_free(w.nodes);
}

static uint32_t find_remaining_dependency(const Search *search, uint32_t i,
                                          const uint32_t *n_left)
{
    for (uint32_t d = 0; d < record_node(search->rank, i)->n_deps; d++) {
        uint32_t on = node_of_dependency(search, i, d);

        if (on != RECORD_NONE && n_left[on] > 0)
            return on;
    }
    return RECORD_NONE;
}

static void report_dependency_cycle(Lint *lint, const Search *search,
                                    uint32_t first)
{
    uint32_t next = g_array_index(search->next, uint32_t, first);
    uint32_t n = 1;

    for (uint32_t i = next; i != first;
         i = g_array_index(search->next, uint32_t, i))
        n++;
    if (n == 1)
        lint_add_fault(lint, search->rank_index, first, "waits for itself");
    else
        lint_add_fault(lint, search->rank_index, first,
                       "waits for node %" PRIu64
                       ", and so on in a circle of %u",
                       record_node(search->rank, next)->id, n);
}

static void find_dependency_cycles(Lint *lint, const Search *search)
{
    uint32_t n = search->rank->nodes->len;
    g_autofree uint32_t *seen = g_new0(uint32_t, n);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t on = i;

        while (g_array_index(search->next, uint32_t, on) != RECORD_NONE &&
               !seen[on]) {
            seen[on] = i + 1;
            on = g_array_index(search->next, uint32_t, on);
        }
        if (seen[on] == i + 1 && seen[i] == i + 1)
            report_dependency_cycle(lint, search, on);
    }
}

static void find_cycles_of_rank(Lint *lint, guint rank_index)
{
    Search s = { .lint = lint,
                 .rank_index = rank_index,
                 .rank = lint_rank(lint, rank_index) };
    uint32_t n = s.rank->nodes->len;
    g_autofree uint32_t *n_left = g_new0(uint32_t, n);

    if (s.rank->deps->len == 0)
        return;
    s.is_loop = dependencies_form_loop(lint->recording);
    s.is_stale = lint_has_stale_control(s.rank);
    remove_ready_nodes(&s, n_left);
    s.next = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = n_left[i] > 0 ? find_remaining_dependency(&s, i, n_left)
                                      : RECORD_NONE;

        g_array_append_val(s.next, next);
    }
    find_dependency_cycles(lint, &s);
    g_array_unref(s.next);
}

static void find_dependency_cycle_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        find_cycles_of_rank(lint, r);
}

const FaultKind fault_circle = {
    .base = { .name = "circle",
              .summary = "nodes wait for each other in a circle" },
    .severity = FAULT_ERROR,
    .import = "leaves out a dependency that closes it",
    .find_faults = find_dependency_cycle_faults,
};
