/* recorded_times_text.c - recorded times for comparison, as text */
#include "sim/view/text/recorded_times_text.h"

#include "sim/view/text/time_text.h"

void add_recorded_time_row(const System *system, SimTime iteration_ps,
                           Table *table)
{
    const OpRecorded *recorded = &system_graph(system)->recorded;
    double more;
    g_autofree char *time = NULL;

    if (recorded->iteration_ps == 0)
        return;
    more = (double)iteration_ps / (double)recorded->iteration_ps - 1;
    time = time_text(recorded->iteration_ps);
    table_add_cell(table, "recorded");
    table_add_cell(table, time);
    table_add_cell_printf(table, "%.1f %%", 100 / (1 + more));
    if (recorded->n_ranks > 0)
        table_add_cell_printf(table,
                              "of %" G_GUINT64_FORMAT
                              " ranks, from %s; simulated %.1f %% "
                              "%s",
                              recorded->n_ranks, recorded->from,
                              100 * ABS(more), more < 0 ? "shorter" : "longer");
    else
        table_add_cell_printf(table, "from %s; simulated %.1f %% %s",
                              recorded->from, 100 * ABS(more),
                              more < 0 ? "shorter" : "longer");
}

gboolean is_any_communication_replayed(const System *system)
{
    const OpGraph *graph = system_graph(system);

    for (guint i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->is_recorded)
            return TRUE;
    return FALSE;
}
