/*
 * program_items.c - merges operations that roles share, and resolves names
 *
 * A kernel or a stage belongs to the role in whose list it stands.  Collectives
 * and messages of one name are one operation, and must agree in every key that
 * both give.
 */
#include "workloads/programs/program_state.h"

#include <string.h>

#include "sim/core/word_suggestions.h"

#define BEFORE "@-1"

typedef struct {
    const ProgramRole *roles;
    OpGraph *graph; /* has the groups, and the table of role sets */
    const Mesh *mesh;
    GArray *items;      /* of ProgramItem */
    GHashTable *shared; /* name -> item + 1, for operations that roles may
                         * share */
    GHashTable **own;   /* by role: name -> item + 1, for all its
                         * operations */
    guint n_roles;
} ItemMaker;

static gboolean set_conflict_error(const ConfigNode *where, GError **error,
                                   char *text)
{
    config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

static ProgramItem *find_item_by_name(GArray *items, GHashTable *names,
                                      const char *name)
{
    guint i = GPOINTER_TO_UINT(g_hash_table_lookup(names, name));

    return i > 0 ? program_item_at(items, i - 1) : NULL;
}

/* ---- shared operations -------------------------------------------------- */

static gboolean weight_lists_are_equal(const ConfigList *a, const ConfigList *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->items, b->items,
                                                a->n * sizeof(uint64_t)) == 0);
}

/* Returns the key in which @a and @b differ, or NULL if they agree. */
static const char *first_differing_key(const ConfigVariant *a,
                                       const ConfigVariant *b)
{
    const ProgramShared *x = a->params, *y = b->params;
    gboolean is_message = program_op_kind(a)->type == PROGRAM_MESSAGE;

    if (program_op_kind(a)->type != program_op_kind(b)->type)
        return "kind";
    if (!is_message && x->collective != y->collective)
        return "collective";
    if (!g_str_equal(x->group, y->group))
        return "group";
    if (!g_str_equal(x->axis, y->axis))
        return "axis";
    if (!is_message && x->root != y->root)
        return "root";
    if (!is_message && !weight_lists_are_equal(&x->weights, &y->weights))
        return "weights";
    if (is_message && x->from != y->from)
        return "from";
    if (is_message && x->to != y->to)
        return "to";
    if (x->bytes != y->bytes)
        return "bytes";
    if (x->priority != y->priority)
        return "priority";
    if (x->time_ps != y->time_ps)
        return "time";
    if (x->is_star != y->is_star)
        return "star";
    if (!g_str_equal(x->lane, y->lane))
        return "lane";
    if (!g_str_equal(x->common.layer, y->common.layer))
        return "layer";
    return x->common.pass != y->common.pass ? "pass" : NULL;
}

/* Sets *@ret to the group of the axis of @op. */
static gboolean find_group_of_axis(OpGraph *graph, const Mesh *mesh,
                                   const ConfigVariant *op, uint32_t *ret,
                                   GError **error)
{
    const ProgramShared *p = op->params;
    uint32_t digits;

    if (!g_str_equal(p->group, "all"))
        return set_conflict_error(
            op->node, error,
            g_strdup("axis: it stands in place of 'group'; give one of "
                     "them"));
    return mesh_find_axes(mesh, p->axis, op->node, &digits, error) &&
           mesh_add_group(mesh, graph, p->axis, digits, op->node, ret, error);
}

/* Sets @error for @op, whose group does not exist.  Returns FALSE. */
static gboolean set_unknown_group_error(const OpGraph *graph,
                                        const ConfigVariant *op, GError **error)
{
    const ProgramShared *p = op->params;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    const char *near;

    for (guint i = 0; i < graph->groups->len; i++)
        g_ptr_array_add(names, (gpointer)op_graph_group(graph, i)->name);
    g_ptr_array_add(names, NULL);
    near = words_find_nearest(p->group, (const char *const *)names->pdata);
    return set_conflict_error(
        op->node, error,
        near ? g_strdup_printf("group: there is no group '%s'; did you "
                               "mean '%s'?",
                               p->group, near)
             : g_strdup_printf("group: there is no group '%s'", p->group));
}

gboolean program_find_group(OpGraph *graph, const Mesh *mesh,
                            const ConfigVariant *op, uint32_t *ret,
                            GError **error)
{
    const ProgramShared *p = op->params;

    if (!g_str_equal(p->axis, PROGRAM_NO_AXIS))
        return find_group_of_axis(graph, mesh, op, ret, error);
    for (guint i = 0; i < graph->groups->len; i++) {
        *ret = i;
        if (g_str_equal(op_graph_group(graph, i)->name, p->group))
            return TRUE;
    }
    return set_unknown_group_error(graph, op, error);
}

static gboolean append_new_item(ItemMaker *maker, const ConfigVariant *op,
                                uint32_t role, GError **error)
{
    const ProgramShared *p = op->params;
    ProgramItem item = { .op = op, .role = role };

    if (!program_op_is_local(op)) {
        if (!program_find_group(maker->graph, maker->mesh, op, &item.group,
                                error))
            return FALSE;
        if (program_op_kind(op)->type == PROGRAM_MESSAGE && p->from == p->to)
            return set_conflict_error(
                op->node, error,
                g_strdup("to: a message goes to another rank than it "
                         "comes from"));
        g_hash_table_insert(maker->shared, (gpointer)p->common.name,
                            GUINT_TO_POINTER(maker->items->len + 1));
    }
    g_array_append_val(maker->items, item);
    return TRUE;
}

/* Adds @op of @role as a new item, or to the item that another role has
 * added. */
static gboolean add_or_join_item(ItemMaker *maker, const ConfigVariant *op,
                                 uint32_t role, GError **error)
{
    const char *name = program_op_common(op)->name;
    ProgramItem *item =
        program_op_is_local(op)
            ? NULL
            : find_item_by_name(maker->items, maker->shared, name);
    const char *what = item ? first_differing_key(item->op, op) : NULL;

    if (what)
        return set_conflict_error(
            op->node, error,
            g_strdup_printf("%s: '%s' is another in role '%s', and "
                            "what roles share is one operation",
                            what, name, maker->roles[item->role].name));
    if (!item && !append_new_item(maker, op, role, error))
        return FALSE;
    if (!item)
        item = program_item_at(maker->items, maker->items->len - 1);
    item->roles =
        role_sets_add_role(maker->graph->role_sets, item->roles, role);
    if (program_op_kind(op)->sends)
        item->senders =
            role_sets_add_role(maker->graph->role_sets, item->senders, role);
    if (!g_hash_table_insert(
            maker->own[role], (gpointer)name,
            GUINT_TO_POINTER(item - program_item_at(maker->items, 0) + 1)))
        return set_conflict_error(
            op->node, error,
            g_strdup_printf("name: there are two operations '%s' in "
                            "role '%s'",
                            name, maker->roles[role].name));
    return TRUE;
}

static gboolean add_items_of_all_roles(ItemMaker *maker, GError **error)
{
    for (uint32_t r = 0; r < maker->n_roles; r++) {
        const ConfigVariant *ops = maker->roles[r].ops.items;

        for (guint i = 0; i < maker->roles[r].ops.n; i++)
            if (!add_or_join_item(maker, &ops[i], r, error))
                return FALSE;
    }
    return TRUE;
}

static gboolean check_message_has_both_ends(const ItemMaker *maker,
                                            GError **error)
{
    for (guint i = 0; i < maker->items->len; i++) {
        const ProgramItem *item = program_item_at(maker->items, i);
        gboolean sent = item->senders != NULL;

        if (program_op_kind(item->op)->type != PROGRAM_MESSAGE ||
            (sent && item->senders != item->roles))
            continue;
        return set_conflict_error(
            item->op->node, error,
            g_strdup_printf("name: no role %s '%s'",
                            sent ? "receives" : "sends",
                            program_op_common(item->op)->name));
    }
    return TRUE;
}

/* ---- dependencies ------------------------------------------------------- */

/* Sets @error: @role has no operation @name.  Returns FALSE. */
static gboolean set_unknown_op_error(const ItemMaker *maker,
                                     const ConfigVariant *op, uint32_t role,
                                     const char *name, GError **error)
{
    g_autofree gpointer *keys =
        g_hash_table_get_keys_as_array(maker->own[role], NULL);
    const char *near = words_find_nearest(name, (const char *const *)keys);
    char *text = g_strdup_printf("after: there is no operation '%s' in role "
                                 "'%s'",
                                 name, maker->roles[role].name);

    if (near) {
        char *more = g_strdup_printf("%s; did you mean '%s'?", text, near);

        g_free(text);
        text = more;
    }
    return set_conflict_error(op->node, error, text);
}

/* Adds a dependency, or adds the role to one that another role has added. */
void program_add_dep(ProgramItem *item, OpGraph *graph, uint32_t dependency,
                     uint32_t back, uint32_t role)
{
    ProgramDep added = { .on = dependency, .n_iterations_back = back };

    for (guint i = 0; i < program_item_n_deps(item); i++) {
        ProgramDep *d = &g_array_index(item->deps, ProgramDep, i);

        if (d->on == dependency && d->n_iterations_back == back) {
            d->roles = role_sets_add_role(graph->role_sets, d->roles, role);
            return;
        }
    }
    added.roles = role_sets_of_one_role(graph->role_sets, role);
    if (!item->deps)
        item->deps = g_array_new(FALSE, FALSE, sizeof(ProgramDep));
    g_array_append_val(item->deps, added);
}

static gboolean add_dependency_named_in_after(ItemMaker *maker,
                                              const ConfigVariant *op,
                                              uint32_t role, const char *text,
                                              GError **error)
{
    gboolean before = g_str_has_suffix(text, BEFORE);
    g_autofree char *name =
        g_strndup(text, strlen(text) - (before ? strlen(BEFORE) : 0));
    ProgramItem *item = find_item_by_name(maker->items, maker->own[role],
                                          program_op_common(op)->name);
    const ProgramItem *on =
        find_item_by_name(maker->items, maker->own[role], name);

    if (!on)
        return set_unknown_op_error(maker, op, role, name, error);
    program_add_dep(item, maker->graph,
                    (uint32_t)(on - program_item_at(maker->items, 0)),
                    before ? 1 : 0, role);
    return TRUE;
}

static gboolean add_dependencies_of_all_items(ItemMaker *maker, GError **error)
{
    for (uint32_t r = 0; r < maker->n_roles; r++) {
        const ConfigVariant *ops = maker->roles[r].ops.items;

        for (guint i = 0; i < maker->roles[r].ops.n; i++) {
            const ConfigList *after = &program_op_common(&ops[i])->after;
            const char *const *names = after->items;

            for (guint a = 0; a < after->n; a++)
                if (!add_dependency_named_in_after(maker, &ops[i], r, names[a],
                                                   error))
                    return FALSE;
        }
    }
    return TRUE;
}

/* ---- construction ----------------------------------------------------- */

static void clear_program_item(gpointer data)
{
    ProgramItem *item = data;

    if (item->deps)
        g_array_unref(item->deps);
}

void program_items_free(GArray *items)
{
    if (items)
        g_array_unref(items);
}

GArray *program_items_new(void)
{
    GArray *items = g_array_new(FALSE, FALSE, sizeof(ProgramItem));

    g_array_set_clear_func(items, clear_program_item);
    return items;
}

GArray *program_list_items(const Program *program, OpGraph *graph,
                           const Mesh *mesh, GError **error)
{
    ItemMaker m = { .roles = program->roles.items,
                    .graph = graph,
                    .mesh = mesh,
                    .items = program_items_new(),
                    .shared = g_hash_table_new(g_str_hash, g_str_equal),
                    .own = g_new(GHashTable *, program->roles.n),
                    .n_roles = program->roles.n };
    gboolean ok;

    for (guint r = 0; r < m.n_roles; r++)
        m.own[r] = g_hash_table_new(g_str_hash, g_str_equal);
    ok = add_items_of_all_roles(&m, error) &&
         check_message_has_both_ends(&m, error) &&
         add_dependencies_of_all_items(&m, error);
    for (guint r = 0; r < m.n_roles; r++)
        g_hash_table_unref(m.own[r]);
    g_free(m.own);
    g_hash_table_unref(m.shared);
    if (!ok)
        g_clear_pointer(&m.items, g_array_unref);
    return m.items;
}
