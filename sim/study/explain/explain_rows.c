/* explain_rows.c - the critical path and the what-ifs of a run as CSV */
#include "models/run/report/run_notes.h"
#include "sim/core/csv.h"
#include "sim/study/explain/explain.h"
#include "sim/study/explain/resource_what_ifs.h"
#include "sim/study/rows/run_rows.h"

/* The data of one CSV row.  Each of the three files uses one of the last three
 * fields. */
typedef struct {
    const Explanation *e;
    uint32_t row; /* row of the critical path */
    const WhatIf *w;
    const ExplainBlocker *behind;
    const char *notes; /* notes of the run */
} ExplainRow;

static void append_workload_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_text(out, workload_name(&row_data->e->config->workload));
}

static void append_n_npus_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_u64(out, row_data->e->r.n_npus);
}

static void append_endpoint_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_text(out, rows_endpoint_name(row_data->e->config));
}

/* ---- the critical path as CSV cells -------------------------------------- */

static void append_path_part_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_text(out, path_row_is_wait(row_data->row) ? "exposed" : "compute");
}

static void append_resource_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;
    g_autofree char *id = critical_path_row_id(row_data->e, row_data->row);

    csv_add_text(out, id);
}

static void append_path_time_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_fixed(out, row_data->e->rows_ps[row_data->row], 6);
}

static void append_path_share_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_ratio(out, row_data->e->rows_ps[row_data->row],
                  row_data->e->r.iteration_ps, 6);
}

static void append_served_time_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_fixed(out, explain_row_served_ps(row_data->e, row_data->row), 6);
}

static void append_own_queue_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_fixed(out, row_data->e->own_queue_ps[row_data->row], 6);
}

static void append_other_queue_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_fixed(out, row_data->e->other_queue_ps[row_data->row], 6);
}

static void append_run_notes_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_text(out, row_data->notes);
}

const Column explain_columns[] = {
    { "workload", UNIT_TEXT, append_workload_cell },
    { "n_npus", UNIT_COUNT, append_n_npus_cell },
    { "endpoint", UNIT_TEXT, append_endpoint_cell },
    { "part", UNIT_TEXT, append_path_part_cell },
    { "resource", UNIT_TEXT, append_resource_cell },
    { "time_us", UNIT_US, append_path_time_cell },
    { "share", UNIT_RATIO, append_path_share_cell },
    { "served_us", UNIT_US, append_served_time_cell },
    { "own_queue_us", UNIT_US, append_own_queue_cell },
    { "other_queue_us", UNIT_US, append_other_queue_cell },
    { "notes", UNIT_TEXT, append_run_notes_cell },
    { 0 },
};

void explain_append_rows_csv(GString *out, const Explanation *explanation)
{
    g_autoptr(RunNotes) notes = run_notes_new(explanation->system);
    g_autofree char *line = run_notes_line(notes, explanation->config);

    columns_append_header(out, explain_columns);
    for (guint i = 0; i < explanation->n_rows; i++) {
        const ExplainRow at = { .e = explanation,
                                .row = explanation->order[i],
                                .notes = line };

        if (explanation->rows_ps[at.row] > 0)
            columns_append_row(out, explain_columns, &at);
    }
}

/* ---- collectives that delayed others, as CSV cells ----------------------- */

static const Op *blocking_operation(const ExplainRow *row_data)
{
    return op_graph_op(system_graph(row_data->e->system), row_data->behind->op);
}

static void append_collective_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_text(out,
                 explain_collective_name(row_data->e, row_data->behind->op));
}

static void append_kind_cell(GString *out, gconstpointer row)
{
    csv_add_text(out, coll_kind_name(blocking_operation(row)->kind));
}

static void append_group_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_text(out, op_graph_group(system_graph(row_data->e->system),
                                     blocking_operation(row_data)->group)
                          ->name);
}

static void append_wait_time_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_fixed(out, row_data->behind->time_ps, 6);
}

static void append_wait_share_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    csv_add_ratio(out, row_data->behind->time_ps, row_data->e->r.iteration_ps,
                  6);
}

const Column explain_blocker_columns[] = {
    { "workload", UNIT_TEXT, append_workload_cell },
    { "n_npus", UNIT_COUNT, append_n_npus_cell },
    { "endpoint", UNIT_TEXT, append_endpoint_cell },
    { "collective", UNIT_TEXT, append_collective_cell },
    { "kind", UNIT_TEXT, append_kind_cell },
    { "group", UNIT_TEXT, append_group_cell },
    { "other_queue_us", UNIT_US, append_wait_time_cell },
    { "share", UNIT_RATIO, append_wait_share_cell },
    { 0 },
};

void explain_append_blockers_csv(GString *out, const Explanation *explanation)
{
    columns_append_header(out, explain_blocker_columns);
    for (guint i = 0; i < explanation->behind->len; i++) {
        const ExplainRow at = { .e = explanation,
                                .behind = &g_array_index(explanation->behind,
                                                         ExplainBlocker, i) };

        columns_append_row(out, explain_blocker_columns, &at);
    }
}

/* ---- the what-ifs as CSV cells ------------------------------------------- */

static void append_settings_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;
    g_autofree char *sets = g_strjoinv(" ", row_data->w->sets);

    csv_add_text(out, sets);
}

static void append_iteration_time_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    if (row_data->w->reason)
        csv_add_empty(out);
    else
        csv_add_fixed(out, row_data->w->iteration_ps, 6);
}

static void append_speedup_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;

    if (row_data->w->reason)
        csv_add_empty(out);
    else
        csv_add_ratio(out, row_data->e->r.iteration_ps,
                      row_data->w->iteration_ps, 4);
}

static void append_status_cell(GString *out, gconstpointer row)
{
    const ExplainRow *row_data = row;
    g_autofree char *reason =
        g_strdelimit(g_strdup(row_data->w->reason ?: "ok"), "\n", ' ');

    csv_add_text(out, reason);
}

const Column explain_what_if_columns[] = {
    { "workload", UNIT_TEXT, append_workload_cell },
    { "n_npus", UNIT_COUNT, append_n_npus_cell },
    { "endpoint", UNIT_TEXT, append_endpoint_cell },
    { "set", UNIT_TEXT, append_settings_cell },
    { "iteration_time_us", UNIT_US, append_iteration_time_cell },
    { "speedup", UNIT_RATIO, append_speedup_cell },
    { "status", UNIT_TEXT, append_status_cell },
    { 0 },
};

void explain_append_what_ifs_csv(GString *out, const Explanation *explanation)
{
    columns_append_header(out, explain_what_if_columns);
    for (guint i = 0; i < explanation->what_ifs->len; i++) {
        const ExplainRow at = { .e = explanation,
                                .w = &g_array_index(explanation->what_ifs,
                                                    WhatIf, i) };

        columns_append_row(out, explain_what_if_columns, &at);
    }
}
