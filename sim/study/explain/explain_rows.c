/* explain_rows.c - the critical path and the what-ifs of a run as CSV */
#include "models/run/report/notes.h"
#include "sim/core/csv.h"
#include "sim/study/explain/explain.h"
#include "sim/study/explain/factors.h"
#include "sim/study/rows/rows.h"

/* The data of one CSV row.  Each of the three files uses one of the last three
 * fields. */
typedef struct {
    const Explanation *e;
    uint32_t row; /* row of the critical path */
    const WhatIf *w;
    const ExplainBlocker *behind;
    const char *notes; /* notes of the run */
} ExplainRow;

static void workload(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_text(out, workload_name(&at->e->config->workload));
}

static void n_npus(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_u64(out, at->e->r.n_npus);
}

static void endpoint(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_text(out, rows_endpoint_name(at->e->config));
}

/* ---- the critical path as CSV cells -------------------------------------- */

static void part(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_text(out, path_row_is_wait(at->row) ? "exposed" : "compute");
}

static void resource(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;
    g_autofree char *id = explain_row_id(at->e, at->row);

    csv_add_text(out, id);
}

static void time_ps(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_u64(out, at->e->rows_ps[at->row]);
}

static void share(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_ratio(out, at->e->rows_ps[at->row], at->e->r.iteration_ps, 6);
}

static void served(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_u64(out, explain_served_ps(at->e, at->row));
}

static void own_queue(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_u64(out, at->e->own_queue_ps[at->row]);
}

static void other_queue(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_u64(out, at->e->other_queue_ps[at->row]);
}

static void notes_of_run(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_text(out, at->notes);
}

const Column explain_columns[] = {
    { "workload", UNIT_TEXT, workload },
    { "n_npus", UNIT_COUNT, n_npus },
    { "endpoint", UNIT_TEXT, endpoint },
    { "part", UNIT_TEXT, part },
    { "resource", UNIT_TEXT, resource },
    { "time_ps", UNIT_PS, time_ps },
    { "share", UNIT_RATIO, share },
    { "served_ps", UNIT_PS, served },
    { "own_queue_ps", UNIT_PS, own_queue },
    { "other_queue_ps", UNIT_PS, other_queue },
    { "notes", UNIT_TEXT, notes_of_run },
    { 0 },
};

void explain_add_rows(GString *out, const Explanation *e)
{
    g_autoptr(RunNotes) notes = run_notes_new(e->system);
    g_autofree char *line = run_notes_line(notes, e->config);

    column_add_header(out, explain_columns);
    for (guint i = 0; i < e->n_rows; i++) {
        const ExplainRow at = { .e = e, .row = e->order[i], .notes = line };

        if (e->rows_ps[at.row] > 0)
            column_add_row(out, explain_columns, &at);
    }
}

/* ---- collectives that delayed others, as CSV cells ----------------------- */

static const Op *op_of(const ExplainRow *at)
{
    return op_graph_op(system_graph(at->e->system), at->behind->op);
}

static void collective(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_text(out, explain_op_name(at->e, at->behind->op));
}

static void kind(GString *out, gconstpointer of)
{
    csv_add_text(out, coll_kind_name(op_of(of)->kind));
}

static void group(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_text(
        out,
        op_graph_group(system_graph(at->e->system), op_of(at)->group)->name);
}

static void behind_time_ps(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_u64(out, at->behind->time_ps);
}

static void behind_share(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    csv_add_ratio(out, at->behind->time_ps, at->e->r.iteration_ps, 6);
}

const Column explain_blocker_columns[] = {
    { "workload", UNIT_TEXT, workload },
    { "n_npus", UNIT_COUNT, n_npus },
    { "endpoint", UNIT_TEXT, endpoint },
    { "collective", UNIT_TEXT, collective },
    { "kind", UNIT_TEXT, kind },
    { "group", UNIT_TEXT, group },
    { "other_queue_ps", UNIT_PS, behind_time_ps },
    { "share", UNIT_RATIO, behind_share },
    { 0 },
};

void explain_add_blockers(GString *out, const Explanation *e)
{
    column_add_header(out, explain_blocker_columns);
    for (guint i = 0; i < e->behind->len; i++) {
        const ExplainRow at = {
            .e = e, .behind = &g_array_index(e->behind, ExplainBlocker, i)
        };

        column_add_row(out, explain_blocker_columns, &at);
    }
}

/* ---- the what-ifs as CSV cells ------------------------------------------- */

static void set(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;
    g_autofree char *sets = g_strjoinv(" ", at->w->sets);

    csv_add_text(out, sets);
}

static void iteration_time(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    if (at->w->reason)
        csv_add_empty(out);
    else
        csv_add_fixed(out, at->w->iteration_ps, 6);
}

static void speedup(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;

    if (at->w->reason)
        csv_add_empty(out);
    else
        csv_add_ratio(out, at->e->r.iteration_ps, at->w->iteration_ps, 4);
}

static void status(GString *out, gconstpointer of)
{
    const ExplainRow *at = of;
    g_autofree char *reason =
        g_strdelimit(g_strdup(at->w->reason ?: "ok"), "\n", ' ');

    csv_add_text(out, reason);
}

const Column explain_what_if_columns[] = {
    { "workload", UNIT_TEXT, workload },
    { "n_npus", UNIT_COUNT, n_npus },
    { "endpoint", UNIT_TEXT, endpoint },
    { "set", UNIT_TEXT, set },
    { "iteration_time_us", UNIT_US, iteration_time },
    { "speedup", UNIT_RATIO, speedup },
    { "status", UNIT_TEXT, status },
    { 0 },
};

void explain_add_what_ifs(GString *out, const Explanation *e)
{
    column_add_header(out, explain_what_if_columns);
    for (guint i = 0; i < e->what_ifs->len; i++) {
        const ExplainRow at = { .e = e,
                                .w = &g_array_index(e->what_ifs, WhatIf, i) };

        column_add_row(out, explain_what_if_columns, &at);
    }
}
