/* rank_rows.c - the critical path through all NPUs as CSV */
#include "sim/core/csv.h"
#include "sim/study/ranks/rank_study.h"
#include "sim/study/rows/rows.h"

typedef struct {
    const RankStudy *study;
    const RankPathPart *part;
} RowAt;

static const Op *op_of(const RowAt *at)
{
    return op_graph_op(system_graph(at->study->system), at->part->op);
}

static const OpClass *class_of(const RowAt *at)
{
    return op_class(&at->study->classes, rank_study_class(at->study, at->part));
}

static void from(GString *out, gconstpointer of)
{
    csv_add_u64(out, ((const RowAt *)of)->part->from_ps);
}

static void to(GString *out, gconstpointer of)
{
    csv_add_u64(out, ((const RowAt *)of)->part->to_ps);
}

static void npu(GString *out, gconstpointer of)
{
    csv_add_u64(out, ((const RowAt *)of)->part->npu);
}

static void role(GString *out, gconstpointer of)
{
    const RowAt *at = of;
    const System *system = at->study->system;
    uint32_t number = coll_placement_role(system_cast(system), at->part->npu);

    csv_add_text(out, op_graph_role(system_graph(system), number)->name);
}

static void kind(GString *out, gconstpointer of)
{
    csv_add_text(out, class_kind_names[class_of(of)->kind]);
}

static void class_name(GString *out, gconstpointer of)
{
    csv_add_text(out, class_of(of)->name);
}

static void operation(GString *out, gconstpointer of)
{
    const RowAt *at = of;
    const OpGraph *graph = system_graph(at->study->system);

    csv_add_text(out, g_ptr_array_index(graph->layers, op_of(at)->layer));
}

static void pass(GString *out, gconstpointer of)
{
    csv_add_text(out, op_pass_names[op_of(of)->pass]);
}

static void iteration(GString *out, gconstpointer of)
{
    csv_add_u64(out, ((const RowAt *)of)->part->iteration);
}

const Column rank_path_columns[] = {
    { "from_ps", UNIT_PS, from },
    { "to_ps", UNIT_PS, to },
    { "npu", UNIT_COUNT, npu },
    { "role", UNIT_TEXT, role },
    { "kind", UNIT_TEXT, kind },
    { "class", UNIT_TEXT, class_name },
    { "operation", UNIT_TEXT, operation },
    { "pass", UNIT_TEXT, pass },
    { "iteration", UNIT_COUNT, iteration },
    { 0 },
};

void rank_study_add_rows(GString *out, const RankStudy *study)
{
    const GArray *parts = rank_path_parts(study->path);

    column_add_header(out, rank_path_columns);
    for (guint i = 0; i < parts->len; i++) {
        const RowAt at = { study, &g_array_index(parts, RankPathPart, i) };

        column_add_row(out, rank_path_columns, &at);
    }
}
