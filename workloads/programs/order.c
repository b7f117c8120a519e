/*
 * order.c - operations in an order in which each comes after what it waits for
 *
 * A walk in depth through what has to be done before, without recursion, as a
 * file may make a long chain.  An operation that is met on its own way waits
 * for itself.
 */
#include "workloads/programs/program_impl.h"

typedef struct {
    GArray *items;
    uint32_t *last_of_line; /* by item: the one before it in its stream or
                               queue, or NONE */
    guint8 *marks;
    GArray *way;    /* of uint32_t: items from the first to where we are */
    GArray *places; /* of guint: of each the next dependency to look at */
    uint32_t *order, n;
} Walk;

#define NONE UINT32_MAX

enum { NEW, ON_THE_WAY, DONE };

/* One after the other: kernels of a role and stream, stages of a role and
 * queue.  Owner: the caller. */
static char *line_of(const ProgramItem *item)
{
    const ProgramKernel *kernel = item->op->params;
    const ProgramStage *stage = item->op->params;

    if (program_kind(item->op)->what == PROGRAM_KERNEL)
        return g_strdup_printf("%u %d", item->role, kernel->stream);
    return g_strdup_printf("%u %s %s", item->role,
                           op_stage_names[program_kind(item->op)->stage],
                           stage->queue);
}

/* Each line goes in the order of the role's list. */
static uint32_t *find_last_of_lines(GArray *items)
{
    g_autoptr(GHashTable) last =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    uint32_t *ret = g_new(uint32_t, items->len + 1);

    for (guint i = 0; i < items->len; i++) {
        const ProgramItem *item = program_item(items, i);
        char *line;

        ret[i] = NONE;
        if (!program_is_own(item->op))
            continue;
        line = line_of(item);
        ret[i] = GPOINTER_TO_UINT(g_hash_table_lookup(last, line)) - 1;
        g_hash_table_insert(last, line, GUINT_TO_POINTER(i + 1));
    }
    return ret;
}

/* The next thing that the last item on the way waits for; NONE: all seen. */
static uint32_t next_before(Walk *w)
{
    uint32_t at = g_array_index(w->way, uint32_t, w->way->len - 1);
    guint *place = &g_array_index(w->places, guint, w->places->len - 1);
    const GArray *deps = program_item(w->items, at)->deps;

    while (*place <= deps->len) {
        guint i = (*place)++;
        uint32_t on = w->last_of_line[at];

        if (i > 0) {
            const ProgramDep *dep = &g_array_index(deps, ProgramDep, i - 1);

            on = dep->back > 0 ? NONE : dep->on;
        }
        if (on != NONE && w->marks[on] != DONE)
            return on;
    }
    return NONE;
}

static void enter(Walk *w, uint32_t item)
{
    guint first = 0;

    w->marks[item] = ON_THE_WAY;
    g_array_append_val(w->way, item);
    g_array_append_val(w->places, first);
}

static void leave(Walk *w)
{
    uint32_t item = g_array_index(w->way, uint32_t, w->way->len - 1);

    w->marks[item] = DONE;
    w->order[w->n++] = item;
    g_array_set_size(w->way, w->way->len - 1);
    g_array_set_size(w->places, w->places->len - 1);
}

#define MAX_NAMED 8

static void complain(const Walk *w, uint32_t item, GError **error)
{
    g_autoptr(GString) names = g_string_new(NULL);
    guint from = 0, n = 0;

    while (g_array_index(w->way, uint32_t, from) != item)
        from++;
    for (guint i = from; i < w->way->len && n < MAX_NAMED; i++, n++)
        g_string_append_printf(
            names, "'%s', which waits for ",
            program_common(
                program_item(w->items, g_array_index(w->way, uint32_t, i))->op)
                ->name);
    g_string_append_printf(
        names, "%s'%s'", w->way->len - from > MAX_NAMED ? "others, for " : "",
        program_common(program_item(w->items, item)->op)->name);
    config_set_error(error, program_item(w->items, item)->op->node,
                     CONFIG_ERROR_CONFLICT,
                     "after: it waits for itself within an iteration: %s "
                     "(those of a stream or queue wait for the one before)",
                     names->str);
}

static gboolean walk_from(Walk *w, uint32_t item, GError **error)
{
    if (w->marks[item] != NEW)
        return TRUE;
    enter(w, item);
    while (w->way->len > 0) {
        uint32_t on = next_before(w);

        if (on == NONE) {
            leave(w);
        } else if (w->marks[on] == ON_THE_WAY) {
            complain(w, on, error);
            return FALSE;
        } else {
            enter(w, on);
        }
    }
    return TRUE;
}

uint32_t *program_order(GArray *items, GError **error)
{
    Walk w = { .items = items,
               .last_of_line = find_last_of_lines(items),
               .marks = g_new0(guint8, items->len + 1),
               .way = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
               .places = g_array_new(FALSE, FALSE, sizeof(guint)),
               .order = g_new(uint32_t, items->len + 1) };
    gboolean ok = TRUE;

    for (guint i = 0; i < items->len && ok; i++)
        ok = walk_from(&w, i, error);
    g_free(w.last_of_line);
    g_free(w.marks);
    g_array_unref(w.way);
    g_array_unref(w.places);
    if (!ok)
        g_clear_pointer(&w.order, g_free);
    return w.order;
}
