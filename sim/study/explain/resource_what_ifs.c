/* resource_what_ifs.c - lists the what-ifs of a run: each makes one resource
 * twice as good, or does the same work in another way */
#include "sim/study/explain/resource_what_ifs.h"

#include "models/run/stack_costs.h"
#include "sim/config/quantity.h"
#include "sim/study/config_value.h"
#include "sim/study/explain/what_if_pruning.h"

/* The keys of kernels and of the input pipeline.  Keys that are absent or 0 are
 * skipped.  Those of the arithmetic depend on the precisions in use. */
static const struct {
    uint32_t row;
    const char *keys; /* separated by blanks */
    gboolean halves;
} kernel_changes[] = {
    { PATH_MEMORY, "platform.npu.hbm.bandwidth", FALSE },
    { PATH_LOST_SMS, "platform.npu.sms", FALSE },
    { PATH_LAUNCH, "platform.npu.launch_overhead", TRUE },
    { PATH_SIDE, "platform.npu.side_sms platform.npu.side_bandwidth", FALSE },
    { PATH_STAGES + OP_STAGE_READ, "training.input.read.bandwidth", FALSE },
    { PATH_STAGES + OP_STAGE_READ, "training.input.read.time", TRUE },
    { PATH_STAGES + OP_STAGE_DECODE, "training.input.decode.samples_per_s",
      FALSE },
    { PATH_STAGES + OP_STAGE_DECODE, "training.input.decode.time", TRUE },
    { PATH_STAGES + OP_STAGE_COPY, "training.input.copy.bandwidth", FALSE },
    { PATH_STAGES + OP_STAGE_COPY, "training.input.copy.time", TRUE },
};

char *what_if_improved_setting(const SystemConfig *config, const char *key,
                               gboolean halves)
{
    g_autofree char *text = NULL;
    uint64_t value;
    ConfigType type;

    if (!config_value_read_at_path(config, key, &value, &type) ||
        value > UINT64_MAX / 2)
        return NULL;
    if (halves ? value / 2 == value : value == 0)
        return NULL;
    text = quantity_format(halves ? value / 2 : 2 * value, type);
    return g_strdup_printf("%s=%s", key, text);
}

/* Appends a what-if that improves all of @keys that exist, or nothing if none
 * does.  @name describes @keys; if it is NULL, the settings are the name. */
static void add_doubled_resource_what_if(GArray *all,
                                         const SystemConfig *config,
                                         const char *keys, const char *name,
                                         uint32_t row, gboolean halves)
{
    g_auto(GStrv) words = g_strsplit(keys, " ", -1);
    GPtrArray *sets = g_ptr_array_new();
    WhatIf whatif = { .row = row };

    for (char **word = words; *word; word++) {
        char *set = what_if_improved_setting(config, *word, halves);

        if (set)
            g_ptr_array_add(sets, set);
    }
    g_ptr_array_add(sets, NULL);
    whatif.sets = (char **)g_ptr_array_free(sets, FALSE);
    whatif.name =
        name ? g_strdup_printf("%s %s", halves ? "half" : "twice", name)
             : g_strjoinv(", ", whatif.sets);
    if (whatif.sets[0])
        g_array_append_val(all, whatif);
    else
        what_if_clear(&whatif);
}

/* Appends the what-ifs of the keys that @kind declares. */
static void add_resource_what_ifs(GArray *all, const SystemConfig *config,
                                  const ResourceKind *kind, uint32_t row)
{
    if (kind->doubles)
        add_doubled_resource_what_if(all, config, kind->doubles, NULL, row,
                                     FALSE);
    if (kind->halves)
        add_doubled_resource_what_if(all, config, kind->halves, NULL, row,
                                     TRUE);
}

/* Appends the what-if of twice the arithmetic, in all precisions that kernels
 * of the run use. */
static void add_arithmetic_what_if(GArray *all, const SystemConfig *config)
{
    g_autoptr(GString) keys = g_string_new(
        "platform.npu.flops platform.npu.fp16.flops platform.npu.fp32.flops");

    for (int p = 0; p < PRECISION_N; p++)
        if (config->training.precision == p ||
            config->training.products == p + 1)
            g_string_append_printf(keys, " platform.npu.language.%s.flops",
                                   product_precision_names[p + 1]);
    add_doubled_resource_what_if(all, config, keys->str, NULL, PATH_FLOP,
                                 FALSE);
}

#define TOPOLOGY "platform.topology"

/* Returns the pattern of a path, in which * replaces each number:
 * "platform.topology.dims.*.latency".  The caller owns it. */
static char *config_key_pattern_of_path(const char *path)
{
    g_auto(GStrv) words = g_strsplit(path, ".", -1);

    for (char **word = words; *word; word++)
        if (g_ascii_isdigit(**word)) {
            g_free(*word);
            *word = g_strdup("*");
        }
    return g_strjoinv(".", words);
}

/* Returns how many paths from the @i-th on have the same @pattern. */
static guint count_paths_of_pattern(const GPtrArray *paths, guint i,
                                    const char *pattern)
{
    guint n = 0;

    for (; i + n < paths->len; n++) {
        g_autofree char *other =
            config_key_pattern_of_path(g_ptr_array_index(paths, i + n));

        if (!g_str_equal(other, pattern))
            break;
    }
    return n;
}

typedef struct {
    GArray *what_ifs; /* borrowed: of WhatIf */
    const SystemConfig *config;
    const ResourceKind *kind;
    uint32_t row; /* row of dimension 0 on the critical path */
    gboolean is_one_row;
} NetworkWhatIfs;

/* Appends the what-ifs of @n paths with one @pattern.  Each dimension has a
 * separate row on the critical path, so it gets a separate what-if; links that
 * are given one by one get one what-if together.  A limit has no row, as it is
 * not a link. */
static void add_pattern_what_ifs(const NetworkWhatIfs *ifs, char **paths,
                                 guint n, const char *pattern)
{
    gboolean by_dim = g_str_has_prefix(pattern, TOPOLOGY ".dims.*");
    gboolean halves = ifs->kind->form == RESOURCE_DELAY;
    gboolean is_limit = g_str_has_prefix(pattern, TOPOLOGY ".limits.");
    guint first = ifs->what_ifs->len;
    uint32_t row = ifs->is_one_row && !is_limit ? ifs->row : PATH_N;
    g_autoptr(GString) keys = g_string_new(NULL);

    for (guint i = 0; i < n; i++) {
        if (by_dim)
            add_doubled_resource_what_if(ifs->what_ifs, ifs->config, paths[i],
                                         NULL, ifs->row + i, halves);
        g_string_append_printf(keys, "%s%s", i > 0 ? " " : "", paths[i]);
    }
    if (n > 1)
        add_doubled_resource_what_if(ifs->what_ifs, ifs->config, keys->str,
                                     pattern, row, halves);
    else if (!by_dim)
        add_doubled_resource_what_if(ifs->what_ifs, ifs->config, keys->str,
                                     NULL, row, halves);
    if (n > 1 && by_dim)
        pruning_group_what_ifs_of_pattern(ifs->what_ifs, first);
}

static void add_topology_key_patterns(const NetworkWhatIfs *ifs,
                                      GPtrArray *paths, const char *name)
{
    g_autofree char *keys = NULL;

    g_ptr_array_add(paths, NULL);
    keys = g_strjoinv(" ", (char **)paths->pdata);
    add_doubled_resource_what_if(ifs->what_ifs, ifs->config, keys, name, PATH_N,
                                 ifs->kind->form == RESOURCE_DELAY);
}

/* Appends the what-ifs of the topology's keys of one kind.  If @is_one, only
 * those of the key that holds for all links; otherwise those of all other keys,
 * and one of all patterns together if there are several. */
static void add_network_what_ifs(const NetworkWhatIfs *ifs, gboolean is_one)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *one = g_strdup_printf(TOPOLOGY ".%s", ifs->kind->each);
    g_autofree char *any = g_strdup_printf(TOPOLOGY ".*.%s", ifs->kind->each);
    guint n, n_patterns = 0;

    config_value_list_paths(ifs->config, TOPOLOGY, ifs->kind->each, paths);
    for (guint i = 0; i < paths->len; i += n) {
        g_autofree char *pattern =
            config_key_pattern_of_path(g_ptr_array_index(paths, i));

        n = count_paths_of_pattern(paths, i, pattern);
        if (g_str_equal(pattern, one) == is_one)
            add_pattern_what_ifs(ifs, (char **)&paths->pdata[i], n, pattern);
        n_patterns++;
    }
    if (n_patterns > 1 && !is_one)
        add_topology_key_patterns(ifs, paths, any);
}

/* ---- the whole list of what-ifs ------------------------------------------ */

/* A what-if that cannot run has 0, and 0 - 1 is the largest number, so it comes
 * last. */
static gint compare_iteration_times(gconstpointer a, gconstpointer b)
{
    SimTime a_ps = ((const WhatIf *)a)->iteration_ps - 1;
    SimTime b_ps = ((const WhatIf *)b)->iteration_ps - 1;

    return a_ps < b_ps ? -1 : a_ps > b_ps;
}

static gboolean graph_has_side_stream(const OpGraph *graph)
{
    for (guint i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->stream == OP_STREAM_SIDE)
            return TRUE;
    return FALSE;
}

/* Returns whether a run of @system reads the key; only unread keys are skipped
 * here. what_ifs_prove_unchanged() or a run decides whether a kernel's time
 * depends on the key. A kernel whose time is given slows down by its shape when
 * communication takes SMs or HBM bandwidth; a kernel without a given time
 * follows its shape under any `training.compute`. */
static gboolean resource_key_is_used_by_run(uint32_t row, const System *system)
{
    return row != PATH_SIDE || graph_has_side_stream(system_graph(system));
}

static gboolean config_has_all_keys(const SystemConfig *config,
                                    const char *keys)
{
    g_auto(GStrv) words = g_strsplit(keys, " ", -1);
    uint64_t value;
    ConfigType type;

    for (char **word = words; *word; word++)
        if (!config_value_read_at_path(config, *word, &value, &type))
            return FALSE;
    return TRUE;
}

/* Appends the pairs of resources that limit each other: more of one helps only
 * with more of the other. */
static void add_resource_pair_what_ifs(GArray *all, const SystemConfig *config,
                                       const ResourceKind *own)
{
    for (guint i = 0; i < resource_count(own); i++) {
        const ResourceKind *kind = resource_kind(own, i);
        g_autofree char *keys = NULL;

        if (!kind->related_key)
            continue;
        keys = g_strdup_printf("%s %s", kind->doubles, kind->related_key);
        if (config_has_all_keys(config, keys))
            add_doubled_resource_what_if(all, config, keys, NULL, PATH_N,
                                         FALSE);
    }
}

/* Appends the what-if that runs the same recipes without the stack's costs for
 * launches, steps and flags. */
static void add_stack_cost_what_if(GArray *all, const SystemConfig *config,
                                   const System *system)
{
    WhatIf whatif = { .row = PATH_RESOURCES + RESOURCE_PROTOCOL };
    GStrvBuilder *sets;

    if (!comm_stack_has_costs(&config->stack) || !system_has_recipe(system))
        return;
    sets = g_strv_builder_new();
    g_strv_builder_add(sets, "stack.costs=false");
    whatif.name = g_strdup("no stack costs");
    whatif.sets = g_strv_builder_end(sets);
    g_strv_builder_unref(sets);
    g_array_append_val(all, whatif);
}

/* Appends other ways to do the same work: schedules and divisions of a language
 * model. */
static void add_plan_what_ifs(GArray *all, const SystemConfig *config,
                              const System *system)
{
    const LoopOps *ops = (const LoopOps *)config->workload.kind;
    const WorkloadSite site = {
        .n_npus = topology_n_npus(system_topology(system)),
        .memory_bytes = config->platform.npu.hbm.capacity_bytes,
        .most_tp = topology_dimension(system_topology(system), 0)->size,
    };
    g_autoptr(GPtrArray) ways =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);

    if (!ops->plans)
        return;
    ops->plans->list_alternatives(&config->workload, &config->training, &site,
                                  ways);
    for (guint i = 0; i < ways->len; i++) {
        char **way = g_ptr_array_index(ways, i);
        guint n = g_strv_length(way);
        WhatIf whatif = { .row = PATH_N, .sets = g_new0(char *, n + 1) };

        for (guint k = 0; k < n; k++)
            whatif.sets[k] = g_strconcat("workload.", way[k], NULL);
        whatif.name = g_strjoinv(", ", whatif.sets);
        g_array_append_val(all, whatif);
    }
}

/* Appends other algorithms of collectives.  `auto` chooses by kind and shape,
 * not by size, so another algorithm may be faster.  A language model has none
 * of these what-ifs, because each is a run of a whole step. */
static void add_algorithm_what_ifs(GArray *all, const SystemConfig *config,
                                   const System *system)
{
    const LoopOps *ops = (const LoopOps *)config->workload.kind;

    if (ops->plans)
        return;
    for (int i = 0; coll_algorithm_names[i]; i++) {
        WhatIf whatif = { .row = PATH_N };

        if (i == config->collectives.algorithm ||
            !system_algorithm_may_be_faster(system, i))
            continue;
        whatif.name = g_strconcat(
            "collectives.algorithm=", coll_algorithm_names[i], NULL);
        whatif.sets = g_new0(char *, 2);
        whatif.sets[0] = g_strdup(whatif.name);
        g_array_append_val(all, whatif);
    }
}

/* Appends all what-ifs in the order of tables; what-ifs with equal gains stay
 * in this order. */
static void add_all_what_ifs(GArray *all, const SystemConfig *config,
                             const System *system)
{
    const ResourceKind *own = system_endpoint_resources(system);
    uint32_t order[RESOURCE_MAX];
    guint n = sort_order_of_resource(own, order);
    gboolean is_one = topology_n_dims(system_topology(system)) == 1;
    const NetworkWhatIfs links = { all, config, &resource_links, PATH_LINKS,
                                   is_one };
    const NetworkWhatIfs latencies = { all, config, &resource_latencies,
                                       PATH_LATENCIES, is_one };

    if (resource_key_is_used_by_run(PATH_FLOP, system))
        add_arithmetic_what_if(all, config);
    for (guint i = 0; i < G_N_ELEMENTS(kernel_changes); i++)
        if (resource_key_is_used_by_run(kernel_changes[i].row, system))
            add_doubled_resource_what_if(all, config, kernel_changes[i].keys,
                                         NULL, kernel_changes[i].row,
                                         kernel_changes[i].halves);
    for (guint i = 0; i < n; i++)
        add_resource_what_ifs(all, config, resource_kind(own, order[i]),
                              PATH_RESOURCES + order[i]);
    add_stack_cost_what_if(all, config, system);
    add_network_what_ifs(&links, TRUE);
    add_network_what_ifs(&latencies, TRUE);
    add_resource_pair_what_ifs(all, config, own);
    add_network_what_ifs(&links, FALSE);
    add_network_what_ifs(&latencies, FALSE);
    add_algorithm_what_ifs(all, config, system);
    add_plan_what_ifs(all, config, system);
}

GArray *list_what_ifs(const System *system)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(WhatIf));

    g_array_set_clear_func(all, what_if_clear);
    add_all_what_ifs(all, system_config(system), system);
    return all;
}

void sort_what_ifs(GArray *what_ifs)
{
    g_array_sort(what_ifs, compare_iteration_times);
}

gboolean what_if_is_communication(const WhatIf *whatif)
{
    return path_row_is_communication_wait(whatif->row);
}
