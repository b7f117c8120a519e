/*
 * program_times.c - adds stages of a program, and times that differ by NPU
 *
 * A list of times has one entry for all NPUs of a role, one per NPU, or a
 * period of entries that repeats.
 */
#include "workloads/fixed_time_queues.h"
#include "workloads/programs/program_state.h"

typedef unsigned __int128 Wide;

static uint64_t mean_of_list(const ConfigList *list)
{
    const uint64_t *all = list->items;
    Wide sum = 0;

    for (guint i = 0; i < list->n; i++)
        sum += all[i];
    return (uint64_t)((sum + list->n - 1) / list->n);
}

uint64_t program_time_ps(const ProgramTimes *times)
{
    return times->times.n > 0 ? mean_of_list(&times->times) : times->time_ps;
}

static void set_gaps_before_op(OpGraph *graph, uint32_t op,
                               const uint64_t *gaps_ps, guint n,
                               uint64_t gaps_ppm)
{
    g_autofree uint64_t *scaled = g_new(uint64_t, n);

    for (guint i = 0; i < n; i++)
        scaled[i] = (uint64_t)((Wide)gaps_ps[i] * gaps_ppm / 1000000);
    op_graph_set_gaps(graph, op, scaled, n);
}

void program_set_times(OpGraph *graph, uint32_t op, const ProgramTimes *times,
                       const TrainingConfig *training, gboolean is_timed)
{
    if (times->times.n > 0 && is_timed)
        op_graph_set_times(graph, op, times->times.items, times->times.n);
    if (times->gaps.n > 0)
        set_gaps_before_op(graph, op, times->gaps.items, times->gaps.n,
                           training->gaps_ppm);
    else if (times->gap_ps > 0)
        set_gaps_before_op(graph, op, &times->gap_ps, 1, training->gaps_ppm);
}

gboolean program_add_stage(OpGraph *graph, const ConfigVariant *op,
                           uint32_t layer, uint32_t *ret, GError **error)
{
    const ProgramStage *program_stage = op->params;
    OpStage stage = program_op_kind(op)->stage;
    uint32_t queue;

    if (!op_graph_find_queue(graph, stage, program_stage->queue, &queue)) {
        if (graph->queues->len == OP_MAX_QUEUES) {
            config_set_error(error, op->node, CONFIG_ERROR_CONFLICT,
                             "queue: '%s' is one too many, there are %d",
                             program_stage->queue, OP_MAX_QUEUES);
            return FALSE;
        }
        queue = op_graph_add_queue(graph, stage, program_stage->queue);
    }
    *ret = op_graph_add_work(graph, layer, (OpPass)program_stage->common.pass,
                             queue, program_time_ps(&program_stage->times));
    return TRUE;
}
