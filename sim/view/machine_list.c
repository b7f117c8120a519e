/* machine_list.c - lists the platforms that come with the program */
#include "sim/view/machine_list.h"

#include <string.h>

#include "models/run/system.h"
#include "network/paths.h"
#include "sim/config/config_node.h"
#include "sim/config/installed_files.h"
#include "sim/core/aligned_table.h"

typedef struct {
    const char *name; /* borrowed */
    char *npu;        /* owned: the name of the NPU's file, or "-" */
    const char *kind; /* static: the kind of topology */
    uint32_t n_npus, n_nics;
    uint64_t bytes_per_s[TOPOLOGY_N_REACHES];
} ListedMachine;

static void free_listed_machine(gpointer machine)
{
    g_free(((ListedMachine *)machine)->npu);
    g_free(machine);
}

static char *npu_name_of_platform(ConfigDoc *doc)
{
    const ConfigNode *node = config_doc_find_exact(doc, "npu");
    const char *text = node ? config_node_text(node) : NULL;
    g_autofree char *file = text ? g_path_get_basename(text) : g_strdup("-");

    return g_str_has_suffix(file, ".yaml") ? g_strndup(file, strlen(file) - 5)
                                           : g_steal_pointer(&file);
}

/* Returns NULL if the file is not a platform. */
static ListedMachine *read_platform_file(const char *name, const char *path)
{
    g_autoptr(ConfigDoc) doc = config_doc_load(path, NULL);
    g_autoptr(Topology) t = NULL;
    PlatformConfig platform;
    ListedMachine *machine;

    if (!doc || !config_doc_read(doc, platform_fields, &platform, NULL))
        return NULL;
    t = topology_new(&platform.topology, NULL);
    if (!t)
        return NULL;
    machine = g_new0(ListedMachine, 1);
    machine->name = name;
    machine->npu = npu_name_of_platform(doc);
    machine->kind = platform.topology.kind->name;
    machine->n_npus = topology_n_npus(t);
    machine->n_nics = topology_n_nics(t);
    for (guint r = 0; r < TOPOLOGY_N_REACHES; r++)
        machine->bytes_per_s[r] =
            topology_mean_npu_bandwidth(t, (TopologyReach)r);
    return machine;
}

static void add_rate_cell(Table *table, uint64_t bytes_per_s)
{
    if (bytes_per_s > 0)
        table_add_cell_printf(table, "%.3g", (double)bytes_per_s / 1e9);
    else
        table_add_cell(table, "");
}

static void add_machine_rows(Table *table, const GPtrArray *machines,
                             gboolean clusters)
{
    for (guint i = 0; i < machines->len; i++) {
        const ListedMachine *machine = g_ptr_array_index(machines, i);

        if ((machine->bytes_per_s[TOPOLOGY_NETWORK] > 0) != clusters)
            continue;
        table_add_cell(table, machine->name);
        table_add_cell_printf(table, "%u", machine->n_npus);
        table_add_cell(table, machine->npu);
        table_add_cell(table, machine->kind);
        for (guint r = 0; r < TOPOLOGY_N_REACHES; r++)
            add_rate_cell(table, machine->bytes_per_s[r]);
        if (machine->n_nics > 0)
            table_add_cell_printf(table, "%u", machine->n_nics);
        else
            table_add_cell(table, "");
    }
}

void write_machine_table(GString *out, guint width)
{
    static const TableColumn columns[] = {
        { "platform", FALSE, 0 }, { "NPUs", TRUE, 0 }, { "NPU", FALSE, 0 },
        { "topology", FALSE, 0 }, { "near", TRUE, 0 }, { "host", TRUE, 0 },
        { "net", TRUE, 0 },       { "NIC", TRUE, 0 },
    };
    g_autofree char *folder = NULL;
    g_auto(GStrv) names = installed_list_names("platform", &folder);
    g_autoptr(GPtrArray) machines =
        g_ptr_array_new_with_free_func(free_listed_machine);
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; names && names[i]; i++) {
        g_autofree char *file = g_strconcat(names[i], ".yaml", NULL);
        g_autofree char *path = g_build_filename(folder, file, NULL);
        ListedMachine *machine = read_platform_file(names[i], path);

        if (machine)
            g_ptr_array_add(machines, machine);
    }
    if (machines->len == 0) {
        g_string_append(out, "  none: there are no files of platforms\n");
        return;
    }
    add_machine_rows(table, machines, FALSE);
    add_machine_rows(table, machines, TRUE);
    table_write(table, out, 2, width);
    g_string_append(out,
                    "\n  GB/s that leave an NPU, each way, before efficiency: "
                    "near, to others and\n  their switch; through the "
                    "host; net, by its part of the NICs.\n");
}
