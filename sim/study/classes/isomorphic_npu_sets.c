/* isomorphic_npu_sets.c - what trees and rings gain on every set of NPUs that a
 * job may get */
#include "sim/study/classes/isomorphic_npu_sets.h"

#include <math.h>
#include <string.h>

#include "models/packing/disjoint_rings.h"
#include "models/packing/spanning_trees.h"
#include "models/run/system.h"
#include "models/stacks/rank_locality.h"
#include "network/paths.h"
#include "sim/study/load_run_file.h"

/* File name of the configuration that is made here, for messages. */
#define TEXT_NAME "classes"

typedef struct {
    const ClassesTask *task;
    const Topology *topology;
    uint32_t npus[PACK_MAX_RANKS];
    PackGraph graph; /* the near links of all NPUs of the machine */
    Classes *result;
} ClassesStudy;

/* ---- the NPUs and links of the platform ---------------------------------- */

typedef struct {
    PlatformConfig platform;
} PlatformFile;

static const ConfigField file_fields[] = {
    { .key = "platform",
      .help = "whose NPUs a job may get",
      .type = CONFIG_SECTION,
      .offset = offsetof(PlatformFile, platform),
      .fields = platform_fields },
    CONFIG_END,
};

/* Returns @text as a quoted YAML string, so that it is read as a file name
 * whatever it contains. */
static char *quote_yaml_text(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "'", -1);
    g_autofree char *doubled = g_strjoinv("''", parts);

    return g_strdup_printf("'%s'", doubled);
}

static ConfigDoc *load_platform_document(const ClassesTask *task,
                                         PlatformFile *file, GError **error)
{
    static const char empty[] = "{}\n";
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(TEXT_NAME, empty, strlen(empty), error);
    g_autofree char *name = quote_yaml_text(task->platform);

    if (!doc || !config_doc_set(doc, "platform", "PLATFORM", name, error))
        return NULL;
    for (guint i = 0; task->sets && task->sets[i]; i++)
        if (!load_apply_setting(doc, task->sets[i], error))
            return NULL;
    if (!config_doc_read(doc, file_fields, file, error))
        return NULL;
    return g_steal_pointer(&doc);
}

static gboolean set_platform_error(const ClassesStudy *study, const char *why,
                                   GError **error)
{
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT, "%s: %s",
                study->result->name, why);
    return FALSE;
}

/* Sets .npus to the NPUs of the first machine: those that NPU 0 reaches without
 * a network.  Returns their number, which counts one too many at most. */
static uint32_t find_machine_npus(ClassesStudy *study)
{
    uint32_t n = 0, n_npus = topology_n_npus(study->topology);

    for (uint32_t npu = 0; npu < n_npus && n <= PACK_MAX_RANKS; npu++) {
        if (npu > 0 &&
            topology_path_reach(study->topology, 0, npu, 0) >= TOPOLOGY_NETWORK)
            continue;
        if (n < PACK_MAX_RANKS)
            study->npus[n] = npu;
        n++;
    }
    return n;
}

/* Finds the near links of the machine.  Returns FALSE and sets @error if there
 * are none or they cannot be counted. */
static gboolean build_near_link_graph(ClassesStudy *study, GError **error)
{
    uint32_t n = find_machine_npus(study);
    uint64_t bytes_per_s;

    if (n > PACK_MAX_RANKS)
        return set_platform_error(study, "has more than 96 NPUs in a machine",
                                  error);
    if (!rank_locality_near_link_graph(study->topology, study->npus, n,
                                       &study->graph, &bytes_per_s))
        return set_platform_error(
            study,
            "its near links are of several kinds, so that they "
            "cannot be counted",
            error);
    if (bytes_per_s == 0)
        return set_platform_error(study, "no near link joins its NPUs", error);
    if (study->graph.n_ports == 0 && n > PACK_MAX_CLASSIFIED)
        return set_platform_error(
            study,
            "has more than 12 NPUs without a switch: too many sets "
            "to be distinguished",
            error);
    study->result->link_bytes_per_s =
        study->task->link_bytes_per_s ?: bytes_per_s;
    study->result->host_bytes_per_s = study->task->host_bytes_per_s;
    return TRUE;
}

/* ---- the rates of one class of NPU sets ---------------------------------- */

/* Returns the rate of each rank in a ring through the host; the ring has the
 * ranks in ascending order. */
static uint64_t ring_rate_through_host(const ClassesStudy *study,
                                       const PackClass *set)
{
    NpuEdge edges[PACK_MAX_RANKS];
    uint32_t n = set->n_ranks;

    if (study->task->host_bytes_per_s > 0)
        return study->task->host_bytes_per_s;
    for (uint32_t i = 0; i < n; i++)
        edges[i] = (NpuEdge){ study->npus[set->ranks[i]],
                              study->npus[set->ranks[(i + 1) % n]] };
    return n == 1
               ? 0
               : rank_locality_shared_edge_rate(study->topology, edges, NULL, n,
                                                TOPOLOGY_PLANE(TOPOLOGY_HOST));
}

/* Sets the speedups of trees over rings.  With b the bandwidth of a link, r the
 * rate of all rings and s = k / (2 (k - 1)) for k NPUs: broadcast =
 * broadcast_links b / r, all-reduce = all_reduce_links b / (r s). */
static void set_tree_speedups(const ClassesStudy *study, ClassesRow *row)
{
    double link = (double)study->result->link_bytes_per_s;
    double rings =
        row->n_rings > 0 ? row->n_rings * link : (double)row->host_bytes_per_s;
    double share = pack_ratio_to_double(pack_ring_rate(row->set.n_ranks, 1));

    if (rings <= 0)
        return;
    row->speedups[CLASSES_BROADCAST] = row->broadcast_links * link / rings;
    row->speedups[CLASSES_ALL_REDUCE] =
        pack_ratio_to_double(row->all_reduce_links) * link / (rings * share);
}

static void add_class_row(ClassesStudy *study, const PackClass *set)
{
    ClassesRow row = { .set = *set };
    g_autofree PackGraph *graph = g_new(PackGraph, 1);
    g_autoptr(PackRings) rings = NULL;
    g_autoptr(PackTrees) down = NULL;
    g_autoptr(PackTrees) both = NULL;
    uint32_t root = 0;

    pack_graph_subgraph(&study->graph, set->ranks, set->n_ranks, graph);
    row.n_links = pack_graph_n_links(graph);
    row.broadcast_links = pack_broadcast_bound(graph, 0);
    for (uint32_t r = 1; r < graph->n; r++)
        if (pack_broadcast_bound(graph, r) < row.broadcast_links) {
            root = r;
            row.broadcast_links = pack_broadcast_bound(graph, r);
        }
    row.all_reduce_links = pack_all_reduce_bound(graph);
    rings = pack_disjoint_rings(graph);
    row.n_rings = rings->n_rings;
    row.ring_links = pack_ring_rate(graph->n, rings->n_rings);
    down = pack_fewest_trees_by_ilp(graph, PACK_DOWN, root);
    both = pack_fewest_trees_by_ilp(graph, PACK_BOTH, PACK_ANY_ROOT);
    row.n_broadcast_trees = down->n_trees;
    row.n_all_reduce_trees = both->n_trees;
    row.packed_links = pack_trees_total_rate(both);
    row.host_bytes_per_s = ring_rate_through_host(study, set);
    set_tree_speedups(study, &row);
    g_array_append_val(study->result->rows, row);
}

/* ---- all classes of NPU sets --------------------------------------------- */

static gboolean find_npu_set_classes(ClassesStudy *study, GError **error)
{
    g_autoptr(GArray) sets = NULL;

    if (!build_near_link_graph(study, error))
        return FALSE;
    sets = pack_find_isomorphism_classes(
        &study->graph, MAX(study->task->least, 2), study->task->most);
    if (sets->len == 0)
        return set_platform_error(
            study, "near links connect no set of that many NPUs", error);
    for (guint i = 0; i < sets->len; i++)
        add_class_row(study, &g_array_index(sets, PackClass, i));
    return TRUE;
}

Classes *npu_set_classes_find(const ClassesTask *task, GError **error)
{
    PlatformFile file;
    g_autoptr(ConfigDoc) doc = load_platform_document(task, &file, error);
    g_autoptr(Topology) topology =
        doc ? topology_new(&file.platform.topology, error) : NULL;
    g_autoptr(Classes) result = NULL;
    g_autofree ClassesStudy *study = g_new0(ClassesStudy, 1);

    if (!topology)
        return NULL;
    result = g_new0(Classes, 1);
    result->name = g_strdup(file.platform.name);
    result->rows = g_array_new(FALSE, FALSE, sizeof(ClassesRow));
    study->task = task;
    study->topology = topology;
    study->result = result;
    return find_npu_set_classes(study, error) ? g_steal_pointer(&result) : NULL;
}

void npu_set_classes_free(Classes *classes)
{
    if (!classes)
        return;
    g_free(classes->name);
    g_free(classes->stack);
    g_free(classes->over);
    g_free(classes->reason);
    g_free((gpointer)classes->failed_runs.name);
    g_free((gpointer)classes->failed_runs.reason);
    g_array_unref(classes->rows);
    g_free(classes);
}

static double speedup_of_class(const Classes *classes, guint i, guint baseline,
                               gboolean is_simulated)
{
    const ClassesRow *row = classes_row(classes, i);

    return is_simulated ? row->simulated[baseline] : row->speedups[baseline];
}

/* Returns the geometric mean of the speedups above 0, or 0 if there are
 * none. */
static double geometric_mean_speedup(const Classes *classes, guint baseline,
                                     gboolean is_simulated)
{
    double sum = 0;
    guint n = 0;

    for (guint i = 0; i < classes->rows->len; i++) {
        double speedup = speedup_of_class(classes, i, baseline, is_simulated);

        if (speedup <= 0)
            continue;
        sum += log(speedup);
        n++;
    }
    return n > 0 ? exp(sum / n) : 0;
}

static double largest_speedup_of_classes(const Classes *classes, guint baseline,
                                         gboolean is_simulated)
{
    double largest = 0;

    for (guint i = 0; i < classes->rows->len; i++)
        largest =
            MAX(largest, speedup_of_class(classes, i, baseline, is_simulated));
    return largest;
}

double npu_set_classes_geomean_speedup(const Classes *classes, guint baseline)
{
    return geometric_mean_speedup(classes, baseline, FALSE);
}

double npu_set_classes_max_speedup(const Classes *classes, guint baseline)
{
    return largest_speedup_of_classes(classes, baseline, FALSE);
}

double npu_set_classes_geomean_simulated(const Classes *classes, guint baseline)
{
    return geometric_mean_speedup(classes, baseline, TRUE);
}

double npu_set_classes_max_simulated(const Classes *classes, guint baseline)
{
    return largest_speedup_of_classes(classes, baseline, TRUE);
}

guint npu_set_classes_n_without_rings(const Classes *classes)
{
    guint n = 0;

    for (guint i = 0; i < classes->rows->len; i++)
        n += classes_row(classes, i)->n_rings == 0 ? 1 : 0;
    return n;
}
