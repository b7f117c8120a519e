/* rank_path_csv.c - the critical path through all NPUs as CSV */
#include "sim/core/csv.h"
#include "sim/study/ranks/rank_study.h"
#include "sim/study/rows/run_rows.h"

typedef struct {
    const RankStudy *study;
    const RankPathPart *part;
} PathRowData;

static const Op *operation_of_path_part(const PathRowData *row_data)
{
    return op_graph_op(system_graph(row_data->study->system),
                       row_data->part->op);
}

static const OpClass *class_of_path_part(const PathRowData *row_data)
{
    return op_class_at(
        &row_data->study->classes,
        rank_study_class_of_part(row_data->study, row_data->part));
}

static void append_start_time_cell(GString *out, gconstpointer row)
{
    csv_add_fixed(out, ((const PathRowData *)row)->part->from_ps, 6);
}

static void append_end_time_cell(GString *out, gconstpointer row)
{
    csv_add_fixed(out, ((const PathRowData *)row)->part->to_ps, 6);
}

static void append_npu_cell(GString *out, gconstpointer row)
{
    csv_add_u64(out, ((const PathRowData *)row)->part->npu);
}

static void append_role_cell(GString *out, gconstpointer row)
{
    const PathRowData *row_data = row;
    const System *system = row_data->study->system;
    uint32_t number =
        coll_placement_role(system_placement(system), row_data->part->npu);

    csv_add_text(out, op_graph_role(system_graph(system), number)->name);
}

static void append_kind_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, class_kind_names[class_of_path_part(row)->kind]);
}

static void append_class_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, class_of_path_part(row)->name);
}

static void append_operation_cell(GString *out, gconstpointer row)
{
    const PathRowData *row_data = row;
    const OpGraph *graph = system_graph(row_data->study->system);

    csv_add_text(out,
                 g_ptr_array_index(graph->layers,
                                   operation_of_path_part(row_data)->layer));
}

static void append_pass_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, op_pass_names[operation_of_path_part(row)->pass]);
}

static void append_iteration_cell(GString *out, gconstpointer row)
{
    csv_add_u64(out, ((const PathRowData *)row)->part->iteration);
}

const Column rank_path_columns[] = {
    { "from_us", UNIT_US, append_start_time_cell },
    { "to_us", UNIT_US, append_end_time_cell },
    { "npu", UNIT_COUNT, append_npu_cell },
    { "role", UNIT_TEXT, append_role_cell },
    { "kind", UNIT_TEXT, append_kind_cell },
    { "class", UNIT_TEXT, append_class_cell },
    { "operation", UNIT_TEXT, append_operation_cell },
    { "pass", UNIT_TEXT, append_pass_cell },
    { "iteration", UNIT_COUNT, append_iteration_cell },
    { 0 },
};

void rank_study_append_csv(GString *out, const RankStudy *study)
{
    const GArray *parts = rank_path_parts(study->path);

    columns_append_header(out, rank_path_columns);
    for (guint i = 0; i < parts->len; i++) {
        const PathRowData at = { study,
                                 &g_array_index(parts, RankPathPart, i) };

        columns_append_row(out, rank_path_columns, &at);
    }
}
