/* summary_first_line.c - first line of a summary: workload,
 * platform, endpoint */
#include "sim/view/text/summary_first_line.h"

#include <string.h>

#include "sim/study/rows/run_rows.h"

/* Returns the dimensions such as " 8x8x8", or "" if there are fewer than two.
 * Returns "" also if the platform's name already contains the current sizes.
 * The caller owns the text. */
static char *dimension_sizes_text(const Topology *topology, const char *name)
{
    g_autoptr(GString) sizes = g_string_new(NULL);

    for (uint32_t d = 0; d < topology_n_dims(topology); d++)
        g_string_append_printf(sizes, "%s%u", d > 0 ? "x" : "",
                               topology_dimension(topology, d)->size);
    return topology_n_dims(topology) < 2 || strstr(name, sizes->str)
               ? g_strdup("")
               : g_strdup_printf(" %s", sizes->str);
}

void write_summary_head(const SystemConfig *config, const System *system,
                        GString *out)
{
    const Topology *topology = system_topology(system);
    const char *platform = config->platform.name;
    const char *name = rows_endpoint_name(config);
    const char *kind = config->endpoint.kind->name;
    g_autofree char *sizes = dimension_sizes_text(topology, platform);

    g_string_append_printf(out, "%s on %s (%s%s, %u NPUs), endpoint %s",
                           workload_name(&config->workload), platform,
                           topology_kind(topology), sizes,
                           topology_n_npus(topology), name);
    if (!g_str_equal(name, kind))
        g_string_append_printf(out, " (%s)", kind);
    g_string_append(out, "\n\n");
}
