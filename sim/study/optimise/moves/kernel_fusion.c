/*
 * kernel_fusion.c - the move that fuses consecutive kernels
 *
 * Program with times
 *   A kernel can be fused with the one before it in its role's list, if it
 *   waits for no other operation except its launch, and the host launches the
 *   two one after the other.
 *       saved   the gap before the kernel, all of it (assumed; the times of
 *               both kernels stay), and of its launch the median time of such
 *               launches in the role (assumed: that is the cost of a call, and
 *               the rest of a longer launch is other work)
 *       cost    operations that waited for the first kernel wait for the
 *               second, too
 *
 * Training loop
 *   Sets `training.fused` to true if it is false.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/study/optimise/moves/fusable_pairs_impl.h"
#include "sim/study/optimise/moves/setting_values_impl.h"

/* Limit of the pairs that a candidate fuses, because each adds some lines to
 * it. */
#define MAX_PAIRS 4000
#define LOOP      "training.fused=true"

/* ---- making the settings that fuse kernels ------------------------------- */

static const char *operation_name_at(const RunProfile *profile, guint role,
                                     guint op)
{
    return config_map_text(
        config_node_value(program_role_ops_node(profile, role), op), "name");
}

/* Appends changed waits: an operation that waited for a fused kernel waits for
 * the last kernel of its fusion.  @becomes maps each fused kernel to that
 * one. */
static void append_changed_waits(const RunProfile *profile, guint role,
                                 GHashTable *becomes, GString *out)
{
    const ConfigNode *ops = program_role_ops_node(profile, role);

    for (guint i = 0; i < config_node_count(ops); i++) {
        const ConfigNode *op = config_node_value(ops, i);
        const ConfigNode *after = config_map_value(op, "after");
        const char *own = config_map_text(op, "name");
        gboolean changes = FALSE;
        g_autoptr(GString) names = g_string_new(NULL);

        for (guint k = 0; after && k < config_node_count(after); k++) {
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

/* Reads a text such as "12 us", or "12 9 7 us" with a time for each rank.
 * Returns it in ps with each time reduced by @less_ps, which the caller owns,
 * and sets *@ret_mean_ps to the mean of the original times.  Returns NULL if it
 * cannot be parsed. */
static char *shorten_time_list(const char *text, SimTime less_ps,
                               SimTime *ret_mean_ps)
{
    g_auto(GStrv) words = g_strsplit(text ? text : "", " ", -1);
    guint n = g_strv_length(words);
    g_autoptr(GString) out = g_string_new(NULL);
    SimTime sum_ps = 0;

    for (guint i = 0; i + 1 < n; i++) {
        g_autofree char *one = g_strdup_printf("%s %s", words[i], words[n - 1]);
        uint64_t time_ps;

        if (!quantity_parse(one, CONFIG_TIME, &time_ps, NULL))
            return NULL;
        sum_ps += time_ps;
        g_string_append_printf(out, "%" G_GUINT64_FORMAT " ",
                               time_ps - MIN(time_ps, less_ps));
    }
    if (n < 2)
        return NULL;
    *ret_mean_ps = sum_ps / (n - 1);
    g_string_append(out, "ps");
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* Returns the time of the launch reduced by @less_ps, or NULL.  Sets *@ret_key
 * to its key: "times" if each rank has its own, otherwise "time". */
static char *launch_time_after_fusion(const RunProfile *profile,
                                      const FusablePair *pair, SimTime less_ps,
                                      const char **ret_key,
                                      SimTime *ret_mean_ps)
{
    const ConfigNode *launch = config_node_value(
        program_role_ops_node(profile, pair->role), pair->launch);

    *ret_key = config_map_value(launch, "times") ? "times" : "time";
    *ret_mean_ps = 0;
    return shorten_time_list(config_map_text(launch, *ret_key), less_ps,
                             ret_mean_ps);
}

static gint compare_launch_times(gconstpointer a, gconstpointer b)
{
    const SimTime *time = a, *y = b;

    return (*time > *y) - (*time < *y);
}

/* Returns the median time of the launches of @role's pairs, or 0 if there are
 * none. */
static SimTime median_launch_time_ps(const RunProfile *profile,
                                     const GArray *pairs, guint role)
{
    g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(SimTime));

    for (guint i = 0; i < pairs->len; i++) {
        const FusablePair *pair = fusable_pair_at(pairs, i);
        g_autofree char *text = NULL;
        const char *key;
        SimTime time_ps;

        if (pair->role != role || pair->launch == NO_OP)
            continue;
        text = launch_time_after_fusion(profile, pair, 0, &key, &time_ps);
        g_array_append_val(times, time_ps);
    }
    g_array_sort(times, compare_launch_times);
    return times->len == 0 ? 0 : g_array_index(times, SimTime, times->len / 2);
}

/* Reduces the launch of the second kernel by @saved_ps and makes its kernel
 * wait for the launch no more. */
static void append_launch_changes(const RunProfile *profile,
                                  const FusablePair *pair, SimTime saved_ps,
                                  GString *out)
{
    const char *before = operation_name_at(profile, pair->role, pair->before);
    const ConfigNode *op =
        config_node_value(program_role_ops_node(profile, pair->role), pair->op);
    const char *key;
    SimTime time_ps;
    g_autofree char *left =
        launch_time_after_fusion(profile, pair, saved_ps, &key, &time_ps);

    if (left)
        g_string_append_printf(out, "\nworkload.roles.%u.ops.%u.%s=%s",
                               pair->role, pair->launch, key, left);
    g_string_append_printf(
        out, "\nworkload.roles.%u.ops.%u.after=[%s]", pair->role, pair->op,
        fusable_pairs_waits_only_for(
            op, NULL, operation_name_at(profile, pair->role, pair->launch))
            ? ""
            : before);
}

/* Returns the line that marks @pair as fused: no gap before it.  The caller
 * owns it. */
static char *make_fused_setting(const RunProfile *profile,
                                const FusablePair *pair)
{
    const ConfigNode *op =
        config_node_value(program_role_ops_node(profile, pair->role), pair->op);

    return g_strdup_printf("workload.roles.%u.ops.%u.%s=0 ps", pair->role,
                           pair->op,
                           config_map_value(op, "gaps") ? "gaps" : "gap");
}

/* Returns the settings that fuse the pairs flagged in @fused, which the caller
 * owns; NULL if there are none. */
static char *make_kernel_fusion_settings(const RunProfile *profile,
                                         const GArray *pairs,
                                         const gboolean *fused)
{
    GString *out = g_string_new(NULL);
    guint n = 0;

    for (guint role = 0; role < fusable_pairs_count_roles(profile); role++) {
        g_autoptr(GHashTable) becomes =
            g_hash_table_new(g_str_hash, g_str_equal);
        SimTime saved_ps = median_launch_time_ps(profile, pairs, role);

        /* The loop goes backwards, so that of three kernels in a row all are
         * replaced by the third. */
        for (guint i = pairs->len; i-- > 0;) {
            const FusablePair *pair = fusable_pair_at(pairs, i);
            g_autofree char *line = NULL;
            const char *last;

            if (!fused[i] || pair->role != role || n == MAX_PAIRS)
                continue;
            n++;
            last = g_hash_table_lookup(
                becomes, operation_name_at(profile, role, pair->op));
            g_hash_table_insert(
                becomes,
                (gpointer)operation_name_at(profile, role, pair->before),
                (gpointer)(last ? last
                                : operation_name_at(profile, role, pair->op)));
            line = make_fused_setting(profile, pair);
            g_string_append_printf(out, "%s%s", out->len > 0 ? "\n" : "", line);
            if (pair->launch != NO_OP)
                append_launch_changes(profile, pair, saved_ps, out);
        }
        append_changed_waits(profile, role, becomes, out);
    }
    return g_string_free(out, n == 0);
}

static void propose_first_fused_kernels(const RunProfile *profile,
                                        GPtrArray *ret)
{
    g_autoptr(GArray) pairs = fusable_pairs_find(profile);
    g_autofree gboolean *fused = g_new0(gboolean, pairs->len + 1);
    char *sets;

    if (fusable_pairs_count_roles(profile) == 0 &&
        !profile->config.training.fused &&
        profile->config.training.compute == COMPUTE_ROOFLINE)
        g_ptr_array_add(ret, g_strdup(LOOP));
    for (guint all = 0; all < 2; all++) {
        for (guint i = 0; i < pairs->len; i++)
            fused[i] = all || !fusable_pair_at(pairs, i)->is_waited_for;
        sets = make_kernel_fusion_settings(profile, pairs, fused);
        if (sets)
            g_ptr_array_add(ret, sets);
    }
}

/* ---- varying the fused kernels of a candidate ---------------------------- */

static void parse_fused_pairs(const RunProfile *profile, const char *sets,
                              const GArray *pairs, gboolean *fused)
{
    g_autoptr(GHashTable) present_lines =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_auto(GStrv) lines = g_strsplit(sets ? sets : "", "\n", -1);

    for (guint i = 0; lines[i]; i++)
        g_hash_table_add(present_lines, g_strdup(lines[i]));
    for (guint i = 0; i < pairs->len; i++) {
        const FusablePair *pair = fusable_pair_at(pairs, i);
        g_autofree char *line = make_fused_setting(profile, pair);

        fused[i] = g_hash_table_contains(present_lines, line);
    }
}

/* Returns the pairs that a variation may change.  Undoing a fusion can gain
 * something only if other operations wait for its first kernel. */
static GArray *list_changeable_pairs(const GArray *pairs, const gboolean *fused)
{
    GArray *ret = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < pairs->len; i++)
        if (!fused[i] || fusable_pair_at(pairs, i)->is_waited_for)
            g_array_append_val(ret, i);
    return ret;
}

static char *vary_fused_kernels(const RunProfile *profile, const char *sets,
                                RandomDraw *draw)
{
    g_autoptr(GArray) pairs = fusable_pairs_find(profile);
    g_autofree gboolean *fused = g_new0(gboolean, pairs->len + 1);
    g_autoptr(GArray) changeable = NULL;
    guint n = 1u << draw_integer_below(draw, 4);

    parse_fused_pairs(profile, sets, pairs, fused);
    changeable = list_changeable_pairs(pairs, fused);
    for (guint i = 0; i < n && changeable->len > 0; i++) {
        guint at = draw_integer_below(draw, changeable->len);

        at = g_array_index(changeable, guint, at);
        fused[at] = !fused[at];
    }
    return changeable->len > 0
               ? make_kernel_fusion_settings(profile, pairs, fused)
               : NULL;
}

const SearchMove move_operators = {
    .name = "operators",
    .summary = "consecutive kernels that become one",
    .aspect = ASPECT_OPERATORS,
    .saves = SAVES_KERNELS,
    .seeds = propose_first_fused_kernels,
    .vary = vary_fused_kernels,
};
