/* lanes_text.c - lanes in a few words */
#include "sim/view/text/lanes_text.h"

#include "models/run/report/lane_figures.h"
#include "sim/view/text/time_text.h"

static void add_buffers(const LaneFigures *f, GString *out)
{
    if (f->n_fused == 0)
        return;
    g_string_append_printf(out,
                           ";\n  %" G_GUINT64_FORMAT
                           " of them buffers, of %.1f collectives and %.3g MB "
                           "in the mean",
                           f->n_fused,
                           (double)f->n_members / (double)f->n_fused,
                           (double)f->fused_bytes / (double)f->n_fused / 1e6);
}

void lanes_text(const System *system, GString *out)
{
    const OpGraph *graph = system_graph(system);

    for (uint32_t i = 0; i < graph->lanes->len; i++) {
        LaneFigures f = system_lane_figures(system, i);
        g_autofree char *wait =
            time_text(f.n_loads > 0 ? f.waited_ps / f.n_loads : 0);

        if (f.n_loads == 0)
            continue;
        g_string_append_printf(out,
                               "lane %s: %" G_GUINT64_FORMAT
                               " begun over the run, %s after they were ready",
                               op_graph_lane(graph, i)->name, f.n_loads, wait);
        add_buffers(&f, out);
        g_string_append_c(out, '\n');
    }
}
