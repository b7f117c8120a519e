/*
 * timeline_cause.c - why things happened: what a program can be made of again
 *
 * A slice of an operation says its number, its kind, what it has to do, how
 * long that takes alone, and the operations that it waits for, each with how
 * many iterations back.  Before all events stand the NPUs, whom each simulated
 * one stands for, and the groups, so that a reader (workloads/readers) needs
 * nothing else.
 */
#include "models/run/report/alone.h"
#include "sim/core/json.h"
#include "sim/view/timeline/timeline_impl.h"

#define U64 "%" G_GUINT64_FORMAT

/* ---- the head ---------------------------------------------------------- */

static void add_stood_for(const Timeline *t, GString *text)
{
    uint32_t n = topology_n_npus(system_topology(t->system));

    g_string_append(text, ",\"place of\":[");
    for (uint32_t i = 0; i < n; i++)
        g_string_append_printf(text, i > 0 ? ",%u" : "%u",
                               system_place(t->system, i));
    g_string_append_c(text, ']');
}

static void add_group(const CollMembers *members, const char *name,
                      GString *text)
{
    g_string_append(text, "{\"name\":");
    json_append_quoted(text, name);
    g_string_append(text, ",\"ranks\":[");
    for (uint32_t g = 0; g < members->n_groups; g++) {
        g_string_append(text, g > 0 ? ",[" : "[");
        for (uint32_t r = 0; r < members->n_ranks; r++)
            g_string_append_printf(text, r > 0 ? ",%u" : "%u",
                                   coll_members_at(members, g, r));
        g_string_append_c(text, ']');
    }
    g_string_append(text, "]}");
}

char *timeline_head(const Timeline *t, const GArray *npus)
{
    const OpGraph *graph = system_graph(t->system);
    GString *text = g_string_new("\"acesim\":{\"causes\":1,\"workload\":");

    json_append_quoted(text,
                       workload_name(&system_config(t->system)->workload));
    g_string_append_printf(
        text, ",\"npus\":%u,\"simulated\":%u,\"iterations\":" U64,
        topology_n_npus(system_topology(t->system)), t->n_npus,
        system_config(t->system)->training.n_iterations);
    g_string_append(text, ",\"watched\":[");
    for (guint i = 0; i < npus->len; i++)
        g_string_append_printf(text, i > 0 ? ",%u" : "%u",
                               g_array_index(npus, uint32_t, i));
    g_string_append_c(text, ']');
    add_stood_for(t, text);
    g_string_append(text, ",\"groups\":[");
    for (uint32_t i = 0; i < graph->groups->len; i++) {
        g_string_append(text, i > 0 ? "," : "");
        add_group(&system_cast(t->system)->members[i],
                  op_graph_group(graph, i)->name, text);
    }
    g_string_append(text, "]},");
    return g_string_free(text, FALSE);
}

/* ---- slices ------------------------------------------------------------ */

static const char *kind_of(const Op *op)
{
    if (op->type == OP_COMPUTE)
        return "kernel";
    if (op->type == OP_STAGE)
        return op_stage_names[op->stage];
    return op->kind == COLL_SEND ? "message" : "collective";
}

static void add_collective(const Op *op, GString *args)
{
    g_string_append_printf(
        args,
        ",\"collective\":\"%s\",\"group\":%u,\"from\":%u,\"to\":%u,"
        "\"priority\":%u,\"star\":%s,\"uneven\":%s",
        coll_kind_name(op->kind), op->group, op->from, op->to, op->priority,
        op->is_star ? "true" : "false", op->weights ? "true" : "false");
}

static void add_deps(const Op *op, uint32_t role, GString *args)
{
    gboolean any = FALSE;

    g_string_append(args, ",\"after\":[");
    for (uint32_t d = 0; d < op->n_deps; d++) {
        const OpDep *dep = &op->deps[d];

        if (!(dep->roles >> role & 1))
            continue;
        g_string_append_printf(args, "%s[%u,%u]", any ? "," : "", dep->op,
                               dep->back);
        any = TRUE;
    }
    g_string_append_c(args, ']');
}

void timeline_add_cause(const Timeline *t, const Watched *w, uint32_t op,
                        uint64_t iteration, GString *args)
{
    const OpGraph *graph = system_graph(t->system);
    const Op *o = op_graph_op(graph, op);
    SimTime gap_ps = system_gap_ps(t->system, w->npu, op);

    g_string_append_printf(args, ",\"op\":%u,\"kind\":\"%s\",\"layer\":", op,
                           kind_of(o));
    json_append_quoted(args, g_ptr_array_index(graph->layers, o->layer));
    if (o->type == OP_COLLECTIVE)
        add_collective(o, args);
    if (o->type != OP_COLLECTIVE || o->is_recorded)
        g_string_append_printf(
            args, ",\"alone ps\":" U64,
            system_alone_ps(t->system, w->npu, op, iteration));
    if (gap_ps > 0)
        g_string_append_printf(args, ",\"gap ps\":" U64, gap_ps);
    add_deps(o, coll_cast_role(system_cast(t->system), w->npu), args);
}
