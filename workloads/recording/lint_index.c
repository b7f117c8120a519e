/*
 * lint_index.c - indices of nodes by id and by stream, and the list of
 * faults
 *
 * The nodes of each rank are sorted by id, and those of device streams by
 * stream and begin.
 */
#include "workloads/recording/lint_impl.h"

#include <stdarg.h>

static int compare_nodes_by_id(gconstpointer a, gconstpointer b)
{
    const LintId *one = a, *other = b;

    if (one->id != other->id)
        return one->id < other->id ? -1 : 1;
    return (one->node > other->node) - (one->node < other->node);
}

static int compare_by_stream_and_begin(gconstpointer a, gconstpointer b,
                                       gpointer data)
{
    const uint32_t *one = a, *other = b;
    const RecordNode *x = record_node(data, *one);
    const RecordNode *y = record_node(data, *other);

    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->begin_ps != y->begin_ps)
        return x->begin_ps < y->begin_ps ? -1 : 1;
    return (*one > *other) - (*one < *other);
}

static void index_rank_nodes(LintRank *lint_rank, RecordRank *rank)
{
    lint_rank->ids =
        g_array_sized_new(FALSE, FALSE, sizeof(LintId), rank->nodes->len);
    lint_rank->device = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (uint32_t i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        LintId id = { node->id, i };

        g_array_append_val(lint_rank->ids, id);
        if (inventory_is_device(node) && node->begin_ps != RECORD_NO_TIME)
            g_array_append_val(lint_rank->device, i);
    }
    g_array_sort(lint_rank->ids, compare_nodes_by_id);
    g_array_sort_with_data(lint_rank->device, compare_by_stream_and_begin,
                           rank);
}

void lint_index_ranks(Lint *lint)
{
    const GPtrArray *ranks = lint->recording->ranks;

    lint->ranks = g_new0(LintRank, MAX(ranks->len, 1));
    lint->first_ns = record_earliest_clock_base_ns(lint->recording);
    for (guint i = 0; i < ranks->len; i++)
        index_rank_nodes(&lint->ranks[i], record_rank(lint->recording, i));
    lint->match = record_match_ranks(lint->recording, NULL);
}

void lint_clear_index(Lint *lint)
{
    for (guint i = 0; i < lint->recording->ranks->len; i++) {
        g_array_unref(lint->ranks[i].ids);
        g_array_unref(lint->ranks[i].device);
    }
    g_free(lint->ranks);
    record_match_free(lint->match);
}

uint32_t lint_find_node(const Lint *lint, guint rank, uint64_t id)
{
    const GArray *ids = lint->ranks[rank].ids;
    guint from = 0, to = ids->len;

    while (from < to) {
        guint middle = from + (to - from) / 2;

        if (g_array_index(ids, LintId, middle).id < id)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == ids->len || g_array_index(ids, LintId, from).id != id)
        return RECORD_NONE;
    return g_array_index(ids, LintId, from).node;
}

gboolean lint_node_depends_on_itself(const RecordRank *rank,
                                     const RecordNode *node)
{
    uint32_t end = node->first_dep + node->n_deps;

    for (uint32_t d = end - node->n_control; d < end; d++)
        if (g_array_index(rank->deps, uint64_t, d) == node->id)
            return TRUE;
    return FALSE;
}

gboolean lint_has_stale_control(const RecordRank *rank)
{
    for (uint32_t i = 0; i < rank->nodes->len; i++)
        if (lint_node_depends_on_itself(rank, record_node(rank, i)))
            return TRUE;
    return FALSE;
}

/* ---- the report ------------------------------------------------------- */

static void clear_fault_place(gpointer item)
{
    FaultPlace *place = item;

    g_free(place->text);
}

/* Returns the fault of the current kind for @rank, which is added if it is new.
 * Kinds are checked one after the other; each visits ranks in any order. */
static Fault *find_or_add_fault(Lint *lint, uint32_t rank)
{
    GPtrArray *faults = lint->report->faults;
    Fault *fault;

    for (guint i = faults->len; i-- > 0;) {
        fault = g_ptr_array_index(faults, i);
        if (fault->kind != lint->kind)
            break;
        if (fault->rank == rank)
            return fault;
    }
    fault = g_new0(Fault, 1);
    fault->kind = lint->kind;
    fault->rank = rank;
    fault->places = g_array_new(FALSE, FALSE, sizeof(FaultPlace));
    g_array_set_clear_func(fault->places, clear_fault_place);
    g_ptr_array_add(faults, fault);
    return fault;
}

void lint_add_fault(Lint *lint, uint32_t rank, uint32_t node,
                    const char *format, ...)
{
    Fault *fault = find_or_add_fault(lint, rank);
    FaultPlace place = { .node = node };
    va_list args;

    g_assert(rank != RECORD_NONE || node == RECORD_NONE);
    lint->report->n[lint->kind->severity]++;
    if (fault->n++ >= lint->n_places)
        return;
    va_start(args, format);
    place.text = g_strdup_vprintf(format, args);
    va_end(args);
    g_array_append_val(fault->places, place);
}
