/*
 * operators.c - consecutive kernels that become one
 *
 * Of a program with times: a kernel that waits for nobody but the one before it
 * in its role's list may become one with that.  What is saved is the gap before
 * it (assumed: all of it; that it takes as long itself), what it costs is that
 * whoever waited for the first waits for the second as well.
 *
 * Of a training loop: `training.fused`, where that is false.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/config/config_node.h"
#include "sim/study/optimise/moves/value_impl.h"

#define MOST_PAIRS 400 /* of a candidate, which has some lines of each */
#define LOOP       "training.fused=true"

/* A kernel that may become one with that before it. */
typedef struct {
    guint role, op, before;
    gboolean is_waited_for; /* others wait for the one before it */
} Pair;

/* ---- what there is ------------------------------------------------------- */

static const ConfigNode *child(const ConfigNode *map, const char *key)
{
    for (guint i = 0; map && config_node_kind(map) == CONFIG_NODE_MAP &&
                      i < config_node_n(map);
         i++)
        if (g_str_equal(config_node_text(config_node_key(map, i)), key))
            return config_node_value(map, i);
    return NULL;
}

static const char *text_of(const ConfigNode *map, const char *key)
{
    const ConfigNode *node = child(map, key);

    return node ? config_node_text(node) : NULL;
}

static const ConfigNode *ops_of(const Known *known, guint role)
{
    const ConfigNode *roles = config_doc_get(known->doc, "workload.roles");

    return child(config_node_value(roles, role), "ops");
}

static guint n_roles(const Known *known)
{
    const ConfigNode *roles =
        g_str_equal(known->config.workload.kind->name, "program")
            ? config_doc_get(known->doc, "workload.roles")
            : NULL;

    return roles ? config_node_n(roles) : 0;
}

static gboolean is_kernel(const ConfigNode *op)
{
    return g_strcmp0(text_of(op, "kind"), "kernel") == 0 &&
           text_of(op, "name") && !child(op, "gaps");
}

static gboolean waits_for(const ConfigNode *op, const char *name)
{
    const ConfigNode *after = child(op, "after");

    for (guint i = 0; after && i < config_node_n(after); i++)
        if (g_strcmp0(config_node_text(config_node_value(after, i)), name) == 0)
            return TRUE;
    return FALSE;
}

/* @op waits for @before and nothing else. */
static gboolean may_follow(const ConfigNode *op, const ConfigNode *before)
{
    const ConfigNode *after = child(op, "after");
    guint n = after ? config_node_n(after) : 0;

    return is_kernel(op) && is_kernel(before) && child(op, "gap") &&
           g_strcmp0(text_of(op, "stream"), text_of(before, "stream")) == 0 &&
           (n == 0 || (n == 1 && waits_for(op, text_of(before, "name"))));
}

static void add_pairs(const Known *known, guint role, GArray *ret)
{
    const ConfigNode *ops = ops_of(known, role);
    g_autoptr(GHashTable) waited = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; ops && i < config_node_n(ops); i++) {
        const ConfigNode *op = config_node_value(ops, i);
        const ConfigNode *after = child(op, "after");

        for (guint k = 0; after && k < config_node_n(after); k++)
            g_hash_table_add(waited, (gpointer)config_node_text(
                                         config_node_value(after, k)));
    }
    for (guint i = 0, last = 0; ops && i < config_node_n(ops); i++) {
        const ConfigNode *op = config_node_value(ops, i);
        const ConfigNode *before = config_node_value(ops, last);
        Pair pair = { role, i, last, FALSE };

        if (!is_kernel(op))
            continue;
        last = i;
        if (pair.before == i || !may_follow(op, before))
            continue;
        pair.is_waited_for =
            g_hash_table_contains(waited, text_of(before, "name"));
        g_array_append_val(ret, pair);
    }
}

static GArray *pairs_of(const Known *known)
{
    GArray *ret = g_array_new(FALSE, FALSE, sizeof(Pair));

    for (guint role = 0; role < n_roles(known); role++)
        add_pairs(known, role, ret);
    return ret;
}

/* ---- settings ------------------------------------------------------------ */

static Pair *pair_at(const GArray *pairs, guint i)
{
    return &g_array_index(pairs, Pair, i);
}

static const char *name_at(const Known *known, guint role, guint op)
{
    return text_of(config_node_value(ops_of(known, role), op), "name");
}

/* Who waits for what has become a part of another waits for that. */
static void add_waits(const Known *known, guint role, GHashTable *becomes,
                      GString *out)
{
    const ConfigNode *ops = ops_of(known, role);

    for (guint i = 0; i < config_node_n(ops); i++) {
        const ConfigNode *op = config_node_value(ops, i);
        const ConfigNode *after = child(op, "after");
        const char *own = text_of(op, "name");
        gboolean changes = FALSE;
        g_autoptr(GString) names = g_string_new(NULL);

        for (guint k = 0; after && k < config_node_n(after); k++) {
            const char *name = config_node_text(config_node_value(after, k));
            const char *now = g_hash_table_lookup(becomes, name);

            if (now && g_strcmp0(now, own) != 0 &&
                !g_hash_table_contains(becomes, own ? own : "")) {
                name = now;
                changes = TRUE;
            }
            g_string_append_printf(names, "%s%s", k > 0 ? ", " : "", name);
        }
        if (changes)
            g_string_append_printf(out, "\nworkload.roles.%u.ops.%u.after=[%s]",
                                   role, i, names->str);
    }
}

/* @fused has a flag for each pair. */
static char *sets_of(const Known *known, const GArray *pairs,
                     const gboolean *fused)
{
    GString *out = g_string_new(NULL);
    guint n = 0;

    for (guint role = 0; role < n_roles(known); role++) {
        g_autoptr(GHashTable) becomes =
            g_hash_table_new(g_str_hash, g_str_equal);

        /* From the last on, so that of three in a row all become the third. */
        for (guint i = pairs->len; i-- > 0;) {
            const Pair *p = pair_at(pairs, i);
            const char *last;

            if (!fused[i] || p->role != role || n == MOST_PAIRS)
                continue;
            n++;
            last = g_hash_table_lookup(becomes, name_at(known, role, p->op));
            g_hash_table_insert(
                becomes, (gpointer)name_at(known, role, p->before),
                (gpointer)(last ? last : name_at(known, role, p->op)));
            g_string_append_printf(out, "%sworkload.roles.%u.ops.%u.gap=0 ps",
                                   out->len > 0 ? "\n" : "", role, p->op);
        }
        add_waits(known, role, becomes, out);
    }
    return g_string_free(out, n == 0);
}

static void seed(const Known *known, GPtrArray *ret)
{
    g_autoptr(GArray) pairs = pairs_of(known);
    g_autofree gboolean *fused = g_new0(gboolean, pairs->len + 1);
    char *sets;

    if (n_roles(known) == 0 && !known->config.training.fused &&
        known->config.training.compute == COMPUTE_ROOFLINE)
        g_ptr_array_add(ret, g_strdup(LOOP));
    for (guint all = 0; all < 2; all++) {
        for (guint i = 0; i < pairs->len; i++)
            fused[i] = all || !pair_at(pairs, i)->is_waited_for;
        sets = sets_of(known, pairs, fused);
        if (sets)
            g_ptr_array_add(ret, sets);
    }
}

/* ---- near another -------------------------------------------------------- */

static void read_fused(const char *sets, const GArray *pairs, gboolean *fused)
{
    g_autoptr(GHashTable) there =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_auto(GStrv) lines = g_strsplit(sets ? sets : "", "\n", -1);

    for (guint i = 0; lines[i]; i++)
        g_hash_table_add(there, g_strdup(lines[i]));
    for (guint i = 0; i < pairs->len; i++) {
        const Pair *p = pair_at(pairs, i);
        g_autofree char *line = g_strdup_printf(
            "workload.roles.%u.ops.%u.gap=0 ps", p->role, p->op);

        fused[i] = g_hash_table_contains(there, line);
    }
}

static char *vary(const Known *known, const char *sets, Draw *draw)
{
    g_autoptr(GArray) pairs = pairs_of(known);
    g_autofree gboolean *fused = g_new0(gboolean, pairs->len + 1);
    guint n = 1u << draw_below(draw, 4);

    if (pairs->len == 0)
        return NULL;
    read_fused(sets, pairs, fused);
    for (guint i = 0; i < n; i++) {
        guint at = draw_below(draw, pairs->len);

        fused[at] = !fused[at];
    }
    return sets_of(known, pairs, fused);
}

const Move move_operators = {
    .name = "operators",
    .summary = "consecutive kernels that become one",
    .aspect = ASPECT_OPERATORS,
    .saves = SAVES_KERNELS,
    .seeds = seed,
    .vary = vary,
};
