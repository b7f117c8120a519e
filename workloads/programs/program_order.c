/*
 * program_order.c - sorts operations so that each comes after those that it
 * waits for
 *
 * The method is a depth-first search through the dependencies.  It is not
 * recursive, because a file may contain a long chain.  If the search meets an
 * operation that is on the current path, that operation waits for itself.
 */
#include "workloads/programs/program_state.h"

typedef struct {
    GArray *items;
    uint32_t *previous_in_line; /* by item: the item before it in its stream or
                                 * queue, or NONE */
    guint8 *marks;              /* by item: NEW, ON_PATH or DONE */
    GArray *path;               /* of uint32_t: items on the current path */
    GArray *next_deps; /* of guint: next dependency of each, to be visited */
    uint32_t *order, n;
} DependencyWalk;

#define NONE UINT32_MAX

enum { NEW, ON_PATH, DONE };

/* The last item so far of each line.  A line has the kernels of a role and
 * stream, or the stages of a role and queue, which run one after the other.
 * Values are numbers of items plus 1. */
typedef struct {
    GHashTable *of_stream; /* owned; a key has the role and the stream */
    GHashTable *of_queue;  /* owned; a key is the name of the line */
} LastItems;

/* Returns the last item of the line of @item, plus 1, or 0 if there is none,
 * and makes @item, of number @i, the last one. */
static uint32_t replace_last_item_of_stream(const LastItems *last,
                                            const ProgramItem *item, uint32_t i)
{
    const ProgramKernel *kernel = item->op->params;
    gpointer line = GUINT_TO_POINTER(item->role * OP_N_STREAMS +
                                     (uint32_t)kernel->work->stream);
    uint32_t before =
        GPOINTER_TO_UINT(g_hash_table_lookup(last->of_stream, line));

    g_hash_table_insert(last->of_stream, line, GUINT_TO_POINTER(i + 1));
    return before;
}

/* Does the same as replace_last_item_of_stream() for the queue of a stage. */
static uint32_t replace_last_item_of_queue(const LastItems *last,
                                           const ProgramItem *item, uint32_t i)
{
    const ProgramStage *stage = item->op->params;
    char *line = g_strdup_printf(
        "%u %s %s", item->role,
        op_stage_names[program_op_kind(item->op)->stage], stage->queue);
    uint32_t before =
        GPOINTER_TO_UINT(g_hash_table_lookup(last->of_queue, line));

    g_hash_table_insert(last->of_queue, line, GUINT_TO_POINTER(i + 1));
    return before;
}

/* Returns for each item the one before it in its line, in the order of the
 * role's list. */
static uint32_t *find_previous_items_in_order(GArray *items)
{
    g_autoptr(GHashTable) of_stream = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) of_queue =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const LastItems last = { of_stream, of_queue };
    uint32_t *ret = g_new(uint32_t, items->len + 1);

    for (guint i = 0; i < items->len; i++) {
        const ProgramItem *item = program_item_at(items, i);

        ret[i] = NONE;
        if (!program_op_is_local(item->op))
            continue;
        ret[i] = (program_op_kind(item->op)->type == PROGRAM_KERNEL
                      ? replace_last_item_of_stream(&last, item, i)
                      : replace_last_item_of_queue(&last, item, i)) -
                 1;
    }
    return ret;
}

/* Returns the next item that the last one on the path waits for and that is not
 * done, or NONE. */
static uint32_t next_unvisited_dependency(DependencyWalk *walk)
{
    uint32_t at = g_array_index(walk->path, uint32_t, walk->path->len - 1);
    guint *next_dep =
        &g_array_index(walk->next_deps, guint, walk->next_deps->len - 1);
    const ProgramItem *item = program_item_at(walk->items, at);

    while (*next_dep <= program_item_n_deps(item)) {
        guint i = (*next_dep)++;
        uint32_t dependency = walk->previous_in_line[at];

        if (i > 0) {
            const ProgramDep *dep =
                &g_array_index(item->deps, ProgramDep, i - 1);

            dependency = dep->n_iterations_back > 0 ? NONE : dep->on;
        }
        if (dependency != NONE && walk->marks[dependency] != DONE)
            return dependency;
    }
    return NONE;
}

static void push_item_on_path(DependencyWalk *walk, uint32_t item)
{
    guint first = 0;

    walk->marks[item] = ON_PATH;
    g_array_append_val(walk->path, item);
    g_array_append_val(walk->next_deps, first);
}

static void pop_item_from_path(DependencyWalk *walk)
{
    uint32_t item = g_array_index(walk->path, uint32_t, walk->path->len - 1);

    walk->marks[item] = DONE;
    walk->order[walk->n++] = item;
    g_array_set_size(walk->path, walk->path->len - 1);
    g_array_set_size(walk->next_deps, walk->next_deps->len - 1);
}

#define MAX_NAMED 8

static void set_dependency_cycle_error(const DependencyWalk *walk,
                                       uint32_t item, GError **error)
{
    g_autoptr(GString) names = g_string_new(NULL);
    guint from = 0, n = 0;

    while (g_array_index(walk->path, uint32_t, from) != item)
        from++;
    for (guint i = from; i < walk->path->len && n < MAX_NAMED; i++, n++)
        g_string_append_printf(
            names, "'%s', which waits for ",
            program_op_common(
                program_item_at(walk->items,
                                g_array_index(walk->path, uint32_t, i))
                    ->op)
                ->name);
    g_string_append_printf(
        names, "%s'%s'",
        walk->path->len - from > MAX_NAMED ? "others, for " : "",
        program_op_common(program_item_at(walk->items, item)->op)->name);
    config_set_error(error, program_item_at(walk->items, item)->op->node,
                     CONFIG_ERROR_CONFLICT,
                     "after: it waits for itself within an iteration: %s "
                     "(those of a stream or queue wait for the one before)",
                     names->str);
}

static gboolean visit_dependencies_depth_first(DependencyWalk *walk,
                                               uint32_t item, GError **error)
{
    if (walk->marks[item] != NEW)
        return TRUE;
    push_item_on_path(walk, item);
    while (walk->path->len > 0) {
        uint32_t dependency = next_unvisited_dependency(walk);

        if (dependency == NONE) {
            pop_item_from_path(walk);
        } else if (walk->marks[dependency] == ON_PATH) {
            set_dependency_cycle_error(walk, dependency, error);
            return FALSE;
        } else {
            push_item_on_path(walk, dependency);
        }
    }
    return TRUE;
}

uint32_t *program_sort_items(GArray *items, GError **error)
{
    DependencyWalk w = { .items = items,
                         .previous_in_line =
                             find_previous_items_in_order(items),
                         .marks = g_new0(guint8, items->len + 1),
                         .path = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                         .next_deps = g_array_new(FALSE, FALSE, sizeof(guint)),
                         .order = g_new(uint32_t, items->len + 1) };
    gboolean ok = TRUE;

    for (guint i = 0; i < items->len && ok; i++)
        ok = visit_dependencies_depth_first(&w, i, error);
    g_free(w.previous_in_line);
    g_free(w.marks);
    g_array_unref(w.path);
    g_array_unref(w.next_deps);
    if (!ok)
        g_clear_pointer(&w.order, g_free);
    return w.order;
}
