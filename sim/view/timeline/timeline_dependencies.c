/*
 * timeline_dependencies.c - dependencies and work of operations, as args of
 * slices
 *
 * The slice of an operation has its number, its kind, its work, its time in
 * isolation, and the operations that it waits for, each with a distance in
 * iterations.  The head of the file has the NPUs, the simulated NPU that
 * represents each of them, and the groups.  Therefore a reader
 * (workloads/readers) can make a program from the file alone.
 */
#include "models/run/report/isolated_run.h"
#include "sim/core/json_writer.h"
#include "sim/view/timeline/timeline_impl.h"

#define U64 "%" G_GUINT64_FORMAT

/* ---- the head of a trace file -------------------------------------------- */

static void append_representatives_json(const Timeline *timeline, GString *text)
{
    uint32_t n = topology_n_npus(system_topology(timeline->system));

    g_string_append(text, ",\"place of\":[");
    for (uint32_t i = 0; i < n; i++)
        g_string_append_printf(text, i > 0 ? ",%u" : "%u",
                               system_representative_npu(timeline->system, i));
    g_string_append_c(text, ']');
}

static void append_group_json(const CollMembers *members, const char *name,
                              GString *text)
{
    g_string_append(text, "{\"name\":");
    json_append_quoted(text, name);
    g_string_append(text, ",\"ranks\":[");
    for (uint32_t g = 0; g < members->n_groups; g++) {
        g_string_append(text, g > 0 ? ",[" : "[");
        for (uint32_t r = 0; r < members->n_ranks; r++)
            g_string_append_printf(text, r > 0 ? ",%u" : "%u",
                                   coll_members_npu_of_rank(members, g, r));
        g_string_append_c(text, ']');
    }
    g_string_append(text, "]}");
}

char *timeline_head_json(const Timeline *timeline, const GArray *npus)
{
    const OpGraph *graph = system_graph(timeline->system);
    GString *text = g_string_new("{\"causes\":1,\"workload\":");

    json_append_quoted(
        text, workload_name(&system_config(timeline->system)->workload));
    g_string_append_printf(
        text, ",\"npus\":%u,\"simulated\":%u,\"iterations\":" U64,
        topology_n_npus(system_topology(timeline->system)), timeline->n_npus,
        system_config(timeline->system)->training.n_iterations);
    if (timeline->recorded)
        g_string_append_printf(text, ",\"processes\":%u", PROCESS_RECORDED);
    g_string_append(text, ",\"watched\":[");
    for (guint i = 0; i < npus->len; i++)
        g_string_append_printf(text, i > 0 ? ",%u" : "%u",
                               g_array_index(npus, uint32_t, i));
    g_string_append_c(text, ']');
    append_representatives_json(timeline, text);
    g_string_append(text, ",\"groups\":[");
    for (uint32_t i = 0; i < graph->groups->len; i++) {
        g_string_append(text, i > 0 ? "," : "");
        append_group_json(&system_placement(timeline->system)->members[i],
                          op_graph_group(graph, i)->name, text);
    }
    g_string_append(text, "]}");
    return g_string_free(text, FALSE);
}

/* ---- the args of slices -------------------------------------------------- */

static const char *operation_kind_name(const Op *op)
{
    if (op->type == OP_COMPUTE)
        return "kernel";
    if (op->type == OP_STAGE)
        return op_stage_names[op->stage];
    return op->kind == COLL_SEND ? "message" : "collective";
}

static void add_collective_args(const Op *op, TraceArgs *args)
{
    trace_args_add_text(args, "collective", coll_kind_name(op->kind));
    trace_args_add_number(args, "group", op->group);
    trace_args_add_number(args, "from", op->from);
    trace_args_add_number(args, "to", op->to);
    trace_args_add_number(args, "priority", op->priority);
    trace_args_add_flag(args, "star", op->is_star);
    trace_args_add_flag(args, "uneven", op->weights != NULL);
}

/* Returns the dependencies of @role as [[operation, iterations back], ...]. The
 * caller owns the text. */
static char *dependencies_json(const Op *op, uint32_t role)
{
    GString *text = g_string_new("[");

    for (uint32_t d = 0; d < op->n_deps; d++) {
        const OpDep *dep = &op->deps[d];

        if (role_set_has(dep->roles, role))
            g_string_append_printf(text, "%s[%u,%u]", text->len > 1 ? "," : "",
                                   dep->op, dep->n_iterations_back);
    }
    g_string_append_c(text, ']');
    return g_string_free(text, FALSE);
}

void timeline_add_dependencies(const Timeline *timeline,
                               const WatchedNpu *watched_npu, uint32_t op,
                               uint64_t iteration, TraceArgs *args)
{
    const OpGraph *graph = system_graph(timeline->system);
    const Op *o = op_graph_op(graph, op);
    SimTime gap_ps =
        system_gap_before_op_ps(timeline->system, watched_npu->npu, op);

    trace_args_add_number(args, "op", op);
    trace_args_add_text(args, "kind", operation_kind_name(o));
    trace_args_add_text(args, "layer",
                        g_ptr_array_index(graph->layers, o->layer));
    if (o->type == OP_COLLECTIVE)
        add_collective_args(o, args);
    if (o->type != OP_COLLECTIVE || o->is_recorded)
        trace_args_add_number(args, "alone ps",
                              system_isolated_op_time_ps(timeline->system,
                                                         watched_npu->npu, op,
                                                         iteration));
    if (gap_ps > 0)
        trace_args_add_number(args, "gap ps", gap_ps);
    trace_args_add_lists(
        args, "after",
        dependencies_json(
            o, coll_placement_role(system_placement(timeline->system),
                                   watched_npu->npu)));
}
