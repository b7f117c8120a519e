/* op_classes.c - groups operations by kind and name into classes */
#include "sim/study/ranks/op_classes.h"

#include <string.h>

const char *const class_kind_names[CLASS_N_KINDS + 1] = {
    "kernel", "host", "device", "collective", "message", "lane", "gap", NULL,
};

ClassKind op_class_kind_of_op(const Op *op)
{
    if (op->type == OP_COMPUTE)
        return CLASS_KERNEL;
    if (op->type == OP_STAGE)
        return op->stage == OP_STAGE_DEVICE ? CLASS_DEVICE : CLASS_HOST;
    return op->kind == COLL_SEND ? CLASS_MESSAGE : CLASS_COLLECTIVE;
}

char *op_class_name_pattern(const char *name)
{
    const char *digits = name + strlen(name);
    GString *text = g_string_new(NULL);

    while (digits > name && g_ascii_isdigit(digits[-1]))
        digits--;
    if (*digits != '\0' && digits > name && digits[-1] == '.') {
        g_string_append_len(text, name, digits - name);
        g_string_append_c(text, '*');
        return g_string_free(text, FALSE);
    }
    for (const char *at = name; *at; at++) {
        if (!g_ascii_isdigit(*at))
            g_string_append_c(text, *at);
        else if (at == name || !g_ascii_isdigit(at[-1]))
            g_string_append_c(text, '*');
    }
    return g_string_free(text, FALSE);
}

static uint32_t add_op_class(OpClasses *classes, ClassKind kind,
                             const char *name)
{
    OpClass class = { .kind = kind,
                      .name =
                          g_string_chunk_insert_const(classes->texts, name) };

    g_array_append_val(classes->classes, class);
    return classes->classes->len - 1;
}

/* Returns the length of the role name that begins the name of an operation of
 * one role, or 0 if it does not begin with it. */
static gsize length_of_role_prefix(const OpGraph *graph, const Op *op,
                                   const char *name)
{
    const char *role;
    gsize n;

    if (!role_set_has_one_role(op->roles))
        return 0;
    role = op_graph_role(graph, role_set_first(op->roles))->name;
    n = role ? strlen(role) : 0;
    return n > 0 && strncmp(name, role, n) == 0 && name[n] == '.' ? n : 0;
}

/* Returns the class name of @op, which the caller owns.  Sets *@ret_has if the
 * name of the operation begins with a role, which the class name omits. */
static char *make_op_class_name(const OpGraph *graph, const Op *op,
                                gboolean *ret_has)
{
    const char *name = g_ptr_array_index(graph->layers, op->layer);
    gsize n = length_of_role_prefix(graph, op, name);

    *ret_has = n > 0 && op_class_kind_of_op(op) != CLASS_COLLECTIVE;
    if (op_class_kind_of_op(op) == CLASS_COLLECTIVE)
        return g_strdup(coll_kind_names[op->kind]);
    return op_class_name_pattern(n > 0 ? name + n + 1 : name);
}

/* Lets the name of class @i begin with *, because the names of some of its
 * operations begin with a role. */
static void prefix_class_with_wildcard(OpClasses *classes, uint32_t i)
{
    OpClass *class = &g_array_index(classes->classes, OpClass, i);
    g_autofree char *name = g_strconcat("*", class->name, NULL);

    if (class->name[0] != '*')
        class->name = g_string_chunk_insert_const(classes->texts, name);
}

void op_classes_init(OpClasses *classes, const OpGraph *graph)
{
    g_autoptr(GHashTable) class_by_key =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    classes->classes = g_array_new(FALSE, FALSE, sizeof(OpClass));
    classes->texts = g_string_chunk_new(1024);
    classes->class_of_op = g_new(uint32_t, graph->ops->len);
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);
        gboolean has_role;
        g_autofree char *name = make_op_class_name(graph, op, &has_role);
        char *key = g_strdup_printf("%d %s", op_class_kind_of_op(op), name);
        gpointer found;

        if (!g_hash_table_lookup_extended(class_by_key, key, NULL, &found)) {
            found = GUINT_TO_POINTER(
                add_op_class(classes, op_class_kind_of_op(op), name));
            g_hash_table_insert(class_by_key, g_strdup(key), found);
        }
        g_free(key);
        classes->class_of_op[i] = GPOINTER_TO_UINT(found);
        g_array_index(classes->classes, OpClass, classes->class_of_op[i])
            .n_ops++;
        if (has_role)
            prefix_class_with_wildcard(classes, classes->class_of_op[i]);
    }
    classes->first_lane = classes->classes->len;
    for (guint i = 0; i < graph->lanes->len; i++)
        (void)add_op_class(classes, CLASS_LANE, op_graph_lane(graph, i)->name);
    (void)add_op_class(classes, CLASS_GAP, "idle");
}

void op_classes_clear(OpClasses *classes)
{
    if (!classes->classes)
        return;
    g_array_unref(classes->classes);
    g_free(classes->class_of_op);
    g_string_chunk_free(classes->texts);
}
