/* collective_lanes_text.c - statistics of lanes, as text */
#include "sim/view/text/collective_lanes_text.h"

#include "models/run/report/collective_lane_counts.h"
#include "sim/view/text/time_text.h"

static double mean_or_zero_if_empty(uint64_t sum, uint64_t n)
{
    return n > 0 ? (double)sum / (double)n : 0;
}

void collective_lanes_text(const System *system, GString *out)
{
    const OpGraph *graph = system_graph(system);

    for (uint32_t i = 0; i < graph->lanes->len; i++) {
        LaneFigures f = system_collective_lane_figures(system, i);
        g_autofree char *wait = NULL;

        if (f.n_begun == 0)
            continue;
        wait = time_text(f.waited_ps / f.n_begun);
        g_string_append_printf(out,
                               "lane %s: each of %" G_GUINT64_FORMAT
                               " begins %s after it is ready, in the mean\n",
                               op_graph_lane(graph, i)->name, f.n_begun, wait);
        if (f.n_buffers > 0)
            g_string_append_printf(
                out,
                "buffers: %" G_GUINT64_FORMAT
                ", of %.1f operations and %.3g MB in the mean\n",
                f.n_buffers, mean_or_zero_if_empty(f.n_fused, f.n_buffers),
                mean_or_zero_if_empty(f.fused_bytes, f.n_buffers) / 1e6);
    }
}
