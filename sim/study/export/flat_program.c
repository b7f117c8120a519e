/* flat_program.c - writes a workload as a flat program; see flat_program.h */
#include "sim/study/export/flat_program.h"

#include "workloads/workload.h"

GString *flat_program_export(const SystemConfig *config, GError **error)
{
    g_autoptr(Topology) topology =
        topology_new(&config->platform.topology, error);
    GString *text = g_string_new(NULL);
    WorkloadSite site = { 0 };

    if (topology) {
        site.n_npus = topology_n_npus(topology);
        if (workload_write_flat(&config->workload, &config->training, &site,
                                text, error))
            return text;
    }
    g_string_free(text, TRUE);
    return NULL;
}
