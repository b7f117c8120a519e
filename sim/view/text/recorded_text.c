/* recorded_text.c - what was recorded, for people */
#include "sim/view/text/recorded_text.h"

#include "sim/view/text/time_text.h"

void recorded_text_add(const System *system, SimTime iteration_ps, Table *table)
{
    const OpRecorded *recorded = &system_graph(system)->recorded;
    double more;
    g_autofree char *time = NULL;

    if (recorded->iteration_ps == 0)
        return;
    more = (double)iteration_ps / (double)recorded->iteration_ps - 1;
    time = time_text(recorded->iteration_ps);
    table_add(table, "recorded");
    table_add(table, time);
    if (recorded->n_ranks > 0)
        table_addf(table,
                   "of %" G_GUINT64_FORMAT " ranks, from %s; this is %.1f %% "
                   "%s",
                   recorded->n_ranks, recorded->from, 100 * ABS(more),
                   more < 0 ? "shorter" : "longer");
    else
        table_addf(table, "from %s; this is %.1f %% %s", recorded->from,
                   100 * ABS(more), more < 0 ? "shorter" : "longer");
}

static void add_notes(char *const *notes, GString *out)
{
    for (guint i = 0; notes && notes[i]; i++)
        g_string_append_printf(out, "note: %s\n", notes[i]);
    g_string_append(out, notes ? "\n" : "");
}

/* Ranks of each set of group @g; 0: that depends on the platform. */
static uint32_t group_size(const OpGraph *graph, uint32_t g, uint32_t n_npus)
{
    const OpGroup *group = op_graph_group(graph, g);

    if (group->by == GROUP_ALL)
        return n_npus;
    return group->by == GROUP_DIMS ? 0 : group->size;
}

/* Of a program that was imported: collectives that are over at once, as nobody
 * but the rank itself takes part. */
static void warn_of_alone(const System *system, GString *out)
{
    const OpGraph *graph = system_graph(system);
    uint32_t n_npus = system_result(system).n_npus;
    guint n = 0;

    if (graph->recorded.iteration_ps == 0 && !graph->recorded.notes)
        return;
    for (guint i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        n += op->type == OP_COLLECTIVE && op->kind < COLL_N_KINDS &&
             !op->is_recorded && op->payload_bytes > 1 &&
             group_size(graph, op->group, n_npus) == 1;
    }
    if (n > 0)
        g_string_append_printf(
            out,
            "warning: %u collective%s one participant and move%s nothing%s\n\n",
            n, n == 1 ? " has" : "s have", n == 1 ? "s" : "",
            n_npus == 1 ? ": say how many ranks there were by `acesim import "
                          "--ranks N`"
                        : "");
}

void recorded_text_warn(const System *system, GString *out)
{
    uint64_t n = system_graph(system)->recorded.n_unsized;

    add_notes(system_graph(system)->recorded.notes, out);
    warn_of_alone(system, out);
    if (n == 0 || system_result(system).sent_bytes == 0)
        return;
    g_string_append_printf(
        out,
        "warning: the recording does not say how much %" G_GUINT64_FORMAT
        " communication%s move%s: they are\n"
        "simulated with 1 B each; `training.communication: recorded` has the "
        "times that they took\n\n",
        n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}

gboolean recorded_text_is_of(const System *system)
{
    const OpGraph *graph = system_graph(system);

    for (guint i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->is_recorded)
            return TRUE;
    return FALSE;
}
