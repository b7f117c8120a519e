/* fusable_pairs.c - pairs of kernels of a program that can be fused */
#include "sim/study/optimise/moves/fusable_pairs_impl.h"

#include <string.h>

/* ---- reading the operations of the program ------------------------------- */

const ConfigNode *program_role_ops_node(const RunProfile *profile, guint role)
{
    const ConfigNode *roles =
        config_doc_find_exact(profile->doc, "workload.roles");

    return config_map_value(config_node_value(roles, role), "ops");
}

guint fusable_pairs_count_roles(const RunProfile *profile)
{
    const ConfigNode *roles =
        g_str_equal(profile->config.workload.kind->name, "program")
            ? config_doc_find_exact(profile->doc, "workload.roles")
            : NULL;

    return roles ? config_node_count(roles) : 0;
}

static gboolean is_kernel_operation(const ConfigNode *op)
{
    return g_strcmp0(config_map_text(op, "kind"), "kernel") == 0 &&
           config_map_text(op, "name");
}

static gboolean is_host_operation(const ConfigNode *op)
{
    return g_strcmp0(config_map_text(op, "kind"), "host") == 0;
}

static gboolean maps_have_same_value(const ConfigNode *a, const ConfigNode *b,
                                     const char *key)
{
    return g_strcmp0(config_map_text(a, key), config_map_text(b, key)) == 0;
}

/* Facts about a role, by the names of its operations. */
typedef struct {
    const ConfigNode *ops;
    GHashTable *hosts;  /* owned: name of a host operation -> index + 1 */
    GHashTable *n_wait; /* owned: name -> number of operations that wait for
                         * it */
} ProgramRole;

static void index_role_operation(ProgramRole *r, const ConfigNode *op, guint i)
{
    const ConfigNode *after = config_map_value(op, "after");

    if (is_host_operation(op) && config_map_text(op, "name"))
        g_hash_table_insert(r->hosts, (gpointer)config_map_text(op, "name"),
                            GUINT_TO_POINTER(i + 1));
    for (guint k = 0; after && k < config_node_count(after); k++) {
        gpointer name = (gpointer)config_node_text(config_node_value(after, k));
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(r->n_wait, name));

        g_hash_table_insert(r->n_wait, name, GUINT_TO_POINTER(n + 1));
    }
}

/* Returns the only host operation that kernel @op waits for, or NO_OP if there
 * is none or there are several. */
static guint host_launch_of_kernel(const ProgramRole *r, const ConfigNode *op)
{
    const ConfigNode *after = config_map_value(op, "after");
    guint found = 0;

    for (guint k = 0; after && k < config_node_count(after); k++) {
        guint i = GPOINTER_TO_UINT(g_hash_table_lookup(
            r->hosts, config_node_text(config_node_value(after, k))));

        if (i > 0 && found > 0)
            return NO_OP;
        found = MAX(found, i);
    }
    return found > 0 ? found - 1 : NO_OP;
}

/* Returns whether a host thread calls launch @op directly after launch @before,
 * and for one kernel only. */
static gboolean is_directly_next_launch(const ProgramRole *r, guint op,
                                        guint before)
{
    const ConfigNode *launch = config_node_value(r->ops, op);

    if (GPOINTER_TO_UINT(g_hash_table_lookup(
            r->n_wait, config_map_text(launch, "name"))) != 1 ||
        config_map_value(launch, "after") || op <= before)
        return FALSE;
    for (guint i = op; i-- > before + 1;) {
        const ConfigNode *other = config_node_value(r->ops, i);

        if (is_host_operation(other) &&
            maps_have_same_value(other, launch, "queue"))
            return FALSE;
    }
    return maps_have_same_value(config_node_value(r->ops, before), launch,
                                "queue");
}

gboolean fusable_pairs_waits_only_for(const ConfigNode *op, const char *before,
                                      const char *launch)
{
    const ConfigNode *after = config_map_value(op, "after");

    for (guint k = 0; after && k < config_node_count(after); k++) {
        const char *name = config_node_text(config_node_value(after, k));

        if (g_strcmp0(name, before) != 0 && g_strcmp0(name, launch) != 0)
            return FALSE;
    }
    return TRUE;
}

/* Sets .launch of @pair.  Returns whether the kernel can be fused with the one
 * before it. */
static gboolean can_fuse_kernel_pair(const ProgramRole *r, FusablePair *pair)
{
    const ConfigNode *op = config_node_value(r->ops, pair->op);
    const ConfigNode *before = config_node_value(r->ops, pair->before);
    guint launch = host_launch_of_kernel(r, op),
          first = host_launch_of_kernel(r, before);
    const ConfigNode *call =
        launch == NO_OP ? NULL : config_node_value(r->ops, launch);

    pair->launch = launch;
    if (!is_kernel_operation(before) ||
        !maps_have_same_value(op, before, "stream") ||
        !fusable_pairs_waits_only_for(op, config_map_text(before, "name"),
                                      call ? config_map_text(call, "name")
                                           : NULL))
        return FALSE;
    if (!call)
        return config_map_value(op, "gap") || config_map_value(op, "gaps");
    return first != NO_OP && is_directly_next_launch(r, launch, first);
}

static void add_role_pairs(const RunProfile *profile, guint role, GArray *ret)
{
    g_autoptr(GHashTable) hosts = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) n_wait = g_hash_table_new(g_str_hash, g_str_equal);
    ProgramRole r = { program_role_ops_node(profile, role), hosts, n_wait };
    guint n = r.ops ? config_node_count(r.ops) : 0;

    for (guint i = 0; i < n; i++)
        index_role_operation(&r, config_node_value(r.ops, i), i);
    for (guint i = 0, last = 0; i < n; i++) {
        const ConfigNode *before = config_node_value(r.ops, last);
        FusablePair pair = { role, i, last, NO_OP, FALSE };

        if (!is_kernel_operation(config_node_value(r.ops, i)))
            continue;
        last = i;
        if (pair.before == i || !can_fuse_kernel_pair(&r, &pair))
            continue;
        pair.is_waited_for =
            g_hash_table_contains(n_wait, config_map_text(before, "name"));
        g_array_append_val(ret, pair);
    }
}

GArray *fusable_pairs_find(const RunProfile *profile)
{
    GArray *ret = g_array_new(FALSE, FALSE, sizeof(FusablePair));

    for (guint role = 0; role < fusable_pairs_count_roles(profile); role++)
        add_role_pairs(profile, role, ret);
    return ret;
}
