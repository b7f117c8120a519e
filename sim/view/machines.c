/* machines.c - lists the platforms that come with the program */
#include "sim/view/machines.h"

#include <string.h>

#include "models/run/system.h"
#include "network/paths.h"
#include "sim/config/config_node.h"
#include "sim/config/installed.h"
#include "sim/core/table.h"

typedef struct {
    const char *name; /* borrowed */
    char *npu;        /* owned: the name of the NPU's file, or "-" */
    const char *kind; /* static: the kind of topology */
    uint32_t n_npus, n_nics;
    uint64_t bytes_per_s[TOPOLOGY_N_REACHES];
} Machine;

static void machine_free(gpointer machine)
{
    g_free(((Machine *)machine)->npu);
    g_free(machine);
}

static char *npu_of(ConfigDoc *doc)
{
    const ConfigNode *node = config_doc_get(doc, "npu");
    const char *text = node ? config_node_text(node) : NULL;
    g_autofree char *file = text ? g_path_get_basename(text) : g_strdup("-");

    return g_str_has_suffix(file, ".yaml") ? g_strndup(file, strlen(file) - 5)
                                           : g_steal_pointer(&file);
}

/* Returns NULL if the file is not a platform. */
static Machine *read_machine(const char *name, const char *path)
{
    g_autoptr(ConfigDoc) doc = config_doc_load(path, NULL);
    g_autoptr(Topology) t = NULL;
    PlatformConfig platform;
    Machine *m;

    if (!doc || !config_doc_read(doc, platform_fields, &platform, NULL))
        return NULL;
    t = topology_new(&platform.topology, NULL);
    if (!t)
        return NULL;
    m = g_new0(Machine, 1);
    m->name = name;
    m->npu = npu_of(doc);
    m->kind = platform.topology.kind->name;
    m->n_npus = topology_n_npus(t);
    m->n_nics = topology_n_nics(t);
    for (guint r = 0; r < TOPOLOGY_N_REACHES; r++)
        m->bytes_per_s[r] = topology_npu_bandwidth(t, (TopologyReach)r);
    return m;
}

static void add_rate(Table *table, uint64_t bytes_per_s)
{
    if (bytes_per_s > 0)
        table_addf(table, "%.3g", (double)bytes_per_s / 1e9);
    else
        table_add(table, "");
}

static void add_machines(Table *table, const GPtrArray *machines,
                         gboolean clusters)
{
    for (guint i = 0; i < machines->len; i++) {
        const Machine *m = g_ptr_array_index(machines, i);

        if ((m->bytes_per_s[TOPOLOGY_NETWORK] > 0) != clusters)
            continue;
        table_add(table, m->name);
        table_addf(table, "%u", m->n_npus);
        table_add(table, m->npu);
        table_add(table, m->kind);
        for (guint r = 0; r < TOPOLOGY_N_REACHES; r++)
            add_rate(table, m->bytes_per_s[r]);
        if (m->n_nics > 0)
            table_addf(table, "%u", m->n_nics);
        else
            table_add(table, "");
    }
}

void machines_write(GString *out, guint width)
{
    static const TableColumn columns[] = {
        { "platform", FALSE, 0 }, { "NPUs", TRUE, 0 }, { "NPU", FALSE, 0 },
        { "topology", FALSE, 0 }, { "near", TRUE, 0 }, { "host", TRUE, 0 },
        { "net", TRUE, 0 },       { "NIC", TRUE, 0 },
    };
    g_autofree char *folder = NULL;
    g_auto(GStrv) names = installed_names("platform", &folder);
    g_autoptr(GPtrArray) machines =
        g_ptr_array_new_with_free_func(machine_free);
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; names && names[i]; i++) {
        g_autofree char *file = g_strconcat(names[i], ".yaml", NULL);
        g_autofree char *path = g_build_filename(folder, file, NULL);
        Machine *m = read_machine(names[i], path);

        if (m)
            g_ptr_array_add(machines, m);
    }
    if (machines->len == 0) {
        g_string_append(out, "  none: there are no files of platforms\n");
        return;
    }
    add_machines(table, machines, FALSE);
    add_machines(table, machines, TRUE);
    table_write(table, out, 2, width);
    g_string_append(out,
                    "\n  GB/s that leave an NPU, each way, before efficiency: "
                    "near, to others and\n  their switch; through the "
                    "host; net, by its part of the NICs.\n");
}
