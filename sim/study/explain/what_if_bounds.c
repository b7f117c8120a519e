/* what_if_bounds.c - how much a what-if can gain at most, by the critical path;
 * see what_if_bounds.h */
#include "sim/study/explain/what_if_bounds.h"

#include "sim/study/explain/minor_factors.h"
#include "sim/study/load_run_file.h"
#include "sim/study/timed_run.h"

/* The part of the path's time in a row that a what-if can save. */
typedef enum { SAVES_NOTHING, SAVES_HALF, SAVES_ALL } RowSaving;

typedef struct {
    RowSaving rows[PATH_N]; /* of the resources that the what-if changes */
    gboolean of_kernels, of_communication;
} PathSavings;

typedef struct {
    const WhatIfSource *source;
    const GArray *what_ifs;
    const SimTime *path_ps, *other_queue_ps; /* borrowed: by row */
    ConfigDoc *library;                      /* owned: caches the files */
} PathBounds;

static void set_saving_of_path_row(PathSavings *savings, uint32_t row,
                                   RowSaving saving)
{
    savings->rows[row] = MAX(savings->rows[row], saving);
}

static gboolean path_row_is_wait_for_room(const PathBounds *bounds,
                                          uint32_t row)
{
    const ResourceKind *own = system_endpoint_resources(bounds->source->system);

    return row >= PATH_RESOURCES &&
           row < PATH_RESOURCES + resource_count(own) &&
           resource_kind(own, row - PATH_RESOURCES)->form == RESOURCE_CAPACITY;
}

/* Adds the rows of the dimensions of which @sets, changes of the topology,
 * change a link.  Returns FALSE if they change none, such as those of a
 * limit. */
static gboolean add_topology_savings(const PathBounds *bounds,
                                     char *const *sets, PathSavings *savings)
{
    const TimedRuns runs = { .sets = bounds->source->sets };
    g_autofree char **all = timed_run_join_settings(&runs, sets);
    const Topology *topology = system_topology(bounds->source->system);
    g_autoptr(Topology) changed = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    SystemConfig config;
    gboolean is_known = FALSE;

    doc = load_run_cached(bounds->library, bounds->source->path, all, &config,
                          NULL);
    if (doc)
        changed = topology_new(&config.platform.topology, NULL);
    if (!changed || topology_n_ports(changed) != topology_n_ports(topology))
        return FALSE;
    for (uint32_t p = 0; p < topology_n_ports(changed); p++) {
        const TopologyPort *before = topology_get_port(topology, p);
        const TopologyPort *after = topology_get_port(changed, p);

        if (before->payload_bytes_per_s != after->payload_bytes_per_s)
            set_saving_of_path_row(savings, PATH_LINKS + before->dim,
                                   SAVES_HALF);
        else if (before->latency_ps != after->latency_ps)
            set_saving_of_path_row(savings, PATH_LATENCIES + before->dim,
                                   SAVES_HALF);
        else
            continue;
        is_known = TRUE;
    }
    savings->of_communication = TRUE;
    return is_known;
}

/* Adds the rows of @row, that of a what-if outside the topology.  Returns FALSE
 * if the path does not tell what such a change saves. */
static gboolean add_savings_of_path_row(const PathBounds *bounds, uint32_t row,
                                        PathSavings *savings)
{
    /* The number of SMs decides how many waves a kernel has, twice the
     * arithmetic shifts everything else, and a stack without costs moves data
     * at another rate. */
    if (row == PATH_LOST_SMS || row == PATH_FLOP ||
        row == PATH_RESOURCES + RESOURCE_PROTOCOL || row >= PATH_N)
        return FALSE;
    set_saving_of_path_row(savings, row,
                           path_row_is_wait_for_room(bounds, row) ? SAVES_ALL
                                                                  : SAVES_HALF);
    savings->of_kernels |= !path_row_is_communication_wait(row);
    savings->of_communication |= path_row_is_communication_wait(row);
    if (row == PATH_MEMORY) {
        set_saving_of_path_row(savings, PATH_RESOURCES + RESOURCE_HBM_SHARE,
                               SAVES_HALF);
        set_saving_of_path_row(savings, PATH_RESOURCES + RESOURCE_HBM,
                               SAVES_HALF);
        savings->of_communication = TRUE;
    }
    return TRUE;
}

/* Adds the rows that @set, one of a what-if of several, changes, by the what-if
 * that has this setting alone. */
static gboolean add_savings_of_set(const PathBounds *bounds, const char *set,
                                   PathSavings *savings)
{
    for (guint i = 0; i < bounds->what_ifs->len; i++) {
        const WhatIf *one = what_if_number_in_list(bounds->what_ifs, i);

        if (one->row < PATH_N && g_str_equal(one->sets[0], set) &&
            !one->sets[1])
            return add_savings_of_path_row(bounds, one->row, savings);
    }
    return FALSE;
}

static gboolean add_savings_of_what_if(const PathBounds *bounds,
                                       const WhatIf *what_if,
                                       PathSavings *savings)
{
    if (what_if->row < PATH_LINKS)
        return add_savings_of_path_row(bounds, what_if->row, savings);
    if (g_str_has_prefix(what_if->sets[0], "platform.topology."))
        return add_topology_savings(bounds, what_if->sets, savings);
    for (char **set = what_if->sets; *set; set++)
        if (!add_savings_of_set(bounds, *set, savings))
            return FALSE;
    return TRUE;
}

/* Adds the rows that faster kernels shorten beside the row of their limit:
 * slowdowns by others, and the same kernels on other NPUs. */
static void add_kernel_savings(PathSavings *savings)
{
    static const uint32_t rows[] = { PATH_SIDE_SLOWDOWN, PATH_LOST_SMS,
                                     PATH_LOST_HBM,      PATH_PERTURBED,
                                     PATH_SIDE,          PATH_OTHER_NPUS };

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        set_saving_of_path_row(savings, rows[i], SAVES_HALF);
}

/* Adds the rows that faster communication shortens beside the row of its
 * resource: room is free earlier, and kernels lose less. */
static void add_communication_savings(const PathBounds *bounds,
                                      PathSavings *savings)
{
    for (uint32_t row = 0; row < PATH_N; row++)
        if (path_row_is_wait_for_room(bounds, row) || row == PATH_NETWORK ||
            row == PATH_UNKNOWN)
            set_saving_of_path_row(savings, row, SAVES_HALF);
    set_saving_of_path_row(savings, PATH_LOST_SMS, SAVES_ALL);
    set_saving_of_path_row(savings, PATH_LOST_HBM, SAVES_ALL);
}

/* Returns the sum of what the rows save over the whole run.  @with_queues adds
 * all waits behind other collectives. */
static SimTime sum_savings_ps(const PathBounds *bounds,
                              const PathSavings *savings, gboolean with_queues)
{
    SimTime sum_ps = 0;

    for (uint32_t row = 0; row < PATH_N; row++) {
        SimTime row_ps = bounds->path_ps[row], other_ps = 0;

        if (with_queues)
            other_ps = MIN(bounds->other_queue_ps[row], row_ps);
        if (savings->rows[row] == SAVES_ALL)
            sum_ps += row_ps;
        else if (savings->rows[row] == SAVES_HALF)
            sum_ps += other_ps + (row_ps - other_ps + 1) / 2;
        else
            sum_ps += other_ps;
    }
    return sum_ps;
}

/* Sets the bound of @what_if; @savings are the rows of its resources. */
static void set_lower_bound_of_what_if(const PathBounds *bounds,
                                       PathSavings *savings, WhatIf *what_if)
{
    SystemResult r = system_result(bounds->source->system);
    SimTime sum_ps;

    what_if->own_saving_ps =
        sum_savings_ps(bounds, savings, FALSE) / r.n_iterations;
    if (savings->of_kernels)
        add_kernel_savings(savings);
    if (savings->of_communication)
        add_communication_savings(bounds, savings);
    sum_ps = (sum_savings_ps(bounds, savings, TRUE) + r.n_iterations - 1) /
             r.n_iterations;
    what_if->predicted_ps =
        r.iteration_ps > sum_ps ? r.iteration_ps - sum_ps : 1;
}

void bound_what_ifs_by_path(GArray *what_ifs, const WhatIfSource *source,
                            const SimTime *path_ps,
                            const SimTime *other_queue_ps)
{
    const PathBounds b = { source, what_ifs, path_ps, other_queue_ps,
                           config_library_new() };

    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = what_if_number_in_list(what_ifs, i);
        PathSavings savings = { 0 };

        what_if->predicted_ps = 0;
        if (add_savings_of_what_if(&b, what_if, &savings))
            set_lower_bound_of_what_if(&b, &savings, what_if);
    }
    config_doc_free(b.library);
}
