/* ranks_text.c - the critical path through all NPUs, as text */
#include "sim/view/text/ranks_text.h"

#include "sim/core/aligned_table.h"
#include "sim/view/text/time_text.h"

#define WORTH_A_LINE 0.005 /* smallest share of the run that gets a line */
#define MOST_LINES   12
#define MOST_NAMED   4 /* NPUs or roles named in a line */

static double share_of_run_time(const RankStudy *study, SimTime ps)
{
    return study->r.total_ps > 0 ? (double)ps / (double)study->r.total_ps : 0;
}

/* Returns the time per iteration as text.  The caller owns it. */
static char *time_per_iteration_text(const RankStudy *study, SimTime ps)
{
    return time_text((ps + study->r.n_iterations / 2) / study->r.n_iterations);
}

/* ---- the critical path by class of operations ---------------------------- */

static void add_class_row(Table *table, const RankStudy *study,
                          const char *kind, const char *name, SimTime ps)
{
    g_autofree char *time = time_per_iteration_text(study, ps);

    table_add_cell(table, kind);
    table_add_cell(table, name);
    table_add_cell(table, time);
    table_add_cell_printf(table, "%.1f %%", 100 * share_of_run_time(study, ps));
}

static void write_class_table(const RankStudy *study, GString *out)
{
    const TableColumn columns[] = { { "on the critical path", FALSE, 0 },
                                    { "", FALSE, TABLE_REST },
                                    { "an iteration", TRUE, 0 },
                                    { "", TRUE, 0 } };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    SimTime rest_ps = 0;

    for (guint i = 0; i < study->times->len; i++) {
        const RankClassTime *time = rank_study_class_time_at(study, i);
        const OpClass *class = op_class_at(&study->classes, time->class);

        if (i < MOST_LINES &&
            share_of_run_time(study, time->path_ps) >= WORTH_A_LINE)
            add_class_row(table, study, class_kind_names[class->kind],
                          class->name, time->path_ps);
        else
            rest_ps += time->path_ps;
    }
    if (rest_ps > 0)
        add_class_row(table, study, "the rest", "", rest_ps);
    add_class_row(table, study, "the iteration", "", study->r.total_ps);
    table_write(table, out, 0, table_terminal_width());
}

/* ---- the critical path by NPU and role ----------------------------------- */

static gint compare_path_time_of_npus(gconstpointer a, gconstpointer b)
{
    const RankNpu *x = *(const RankNpu *const *)a;
    const RankNpu *y = *(const RankNpu *const *)b;

    if (x->path_ps != y->path_ps)
        return x->path_ps > y->path_ps ? -1 : 1;
    return x->npu < y->npu ? -1 : x->npu > y->npu;
}

/* Appends such as "NPU 5 81.0 %, NPU 3 19.0 %" and the number of further
 * NPUs. */
static void append_npu_shares(const RankStudy *study, GString *out)
{
    g_autoptr(GPtrArray) on_it = g_ptr_array_new();

    for (guint i = 0; i < study->npus->len; i++)
        if (rank_study_npu_at(study, i)->path_ps > 0)
            g_ptr_array_add(on_it, (gpointer)rank_study_npu_at(study, i));
    g_ptr_array_sort(on_it, compare_path_time_of_npus);
    for (guint i = 0; i < MIN(on_it->len, MOST_NAMED); i++) {
        const RankNpu *npu = g_ptr_array_index(on_it, i);

        g_string_append_printf(out, "%sNPU %u %.1f %%", i > 0 ? ", " : "",
                               npu->npu,
                               100 * share_of_run_time(study, npu->path_ps));
    }
    if (on_it->len > MOST_NAMED)
        g_string_append_printf(out, ", %u more", on_it->len - MOST_NAMED);
}

static void append_role_shares(const RankStudy *study, GString *out)
{
    const OpGraph *graph = system_graph(study->system);
    const char *before = "; role ";
    guint n_named = 0;

    for (guint r = 0; r < graph->roles->len && graph->roles->len > 1; r++) {
        if (share_of_run_time(study, study->roles_ps[r]) < WORTH_A_LINE ||
            n_named++ >= MOST_NAMED)
            continue;
        g_string_append_printf(
            out, "%s%s %.1f %%", before, op_graph_role(graph, r)->name,
            100 * share_of_run_time(study, study->roles_ps[r]));
        before = ", ";
    }
}

/* ---- the straggler and the cause of its delay ---------------------------- */

static const char *const whats[CLASS_N_KINDS] = {
    [CLASS_KERNEL] = "its kernels take",
    [CLASS_HOST] = "its host takes",
    [CLASS_DEVICE] = "copies on its device take",
    [CLASS_GAP] = "its recorded gaps take",
};

static void append_straggler_cause(const RankStudy *study, const RankNpu *npu,
                                   GString *out)
{
    g_autofree char *excess = time_per_iteration_text(study, npu->excess_ps);
    g_autofree char *most =
        time_per_iteration_text(study, npu->excess_class_ps);

    if (npu->excess_ps == 0) {
        g_string_append(
            out, ", and its own work takes no longer than that of others");
        return;
    }
    g_string_append_printf(out,
                           ": %s %s an iteration longer than the others' "
                           "mean",
                           whats[npu->excess_kind], excess);
    if (npu->excess_class_ps > 0)
        g_string_append_printf(
            out, " (%s of it %s)", most,
            op_class_at(&study->classes, npu->excess_class)->name);
}

static void append_straggler_sentence(const RankStudy *study, GString *out)
{
    const RankNpu *npu = rank_study_find_straggler(study);
    g_autofree char *held = NULL;

    if (study->n_collectives == 0)
        return;
    if (!npu || share_of_run_time(study, npu->held_ps) < WORTH_A_LINE) {
        g_string_append(out, " No collective waits long for one NPU alone.");
        return;
    }
    held = time_per_iteration_text(study, npu->held_ps);
    g_string_append_printf(
        out,
        " NPU %u is late: for %s of each iteration (%.1f %%) some collective "
        "waits for it alone, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " do",
        npu->npu, held, 100 * share_of_run_time(study, npu->held_ps),
        npu->n_begun_last, study->n_collectives);
    append_straggler_cause(study, npu, out);
    g_string_append_c(out, '.');
}

/* ---- the what-ifs of the critical path ----------------------------------- */

static void write_rank_what_ifs(const RankStudy *study, const GArray *what_ifs,
                                GString *out)
{
    const TableColumn columns[] = { { "if twice as fast", FALSE, TABLE_REST },
                                    { "the path says", TRUE, 0 },
                                    { "simulated", TRUE, 0 },
                                    { "times faster", TRUE, 0 } };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; i < what_ifs->len; i++) {
        const WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);
        g_autofree char *promised = time_text(what_if->predicted_ps);
        g_autofree char *simulated = time_text(what_if->iteration_ps);

        if (what_if->reason)
            continue;
        table_add_cell(table, what_if->name);
        table_add_cell(table, promised);
        table_add_cell(table, simulated);
        table_add_cell_printf(table, "%.3f",
                              (double)study->r.iteration_ps /
                                  (double)what_if->iteration_ps);
    }
    g_string_append_c(out, '\n');
    table_write(table, out, 0, table_terminal_width());
    for (guint i = 0; i < what_ifs->len; i++) {
        const WhatIf *what_if = &g_array_index(what_ifs, WhatIf, i);

        if (what_if->reason)
            g_string_append_printf(
                out, "%s: %s: %s\n",
                what_if->method == WHAT_IF_CRASHED ? "not run" : "cannot be",
                what_if->name, what_if->reason);
    }
}

char *ranks_text(const RankStudy *study, const GArray *what_ifs)
{
    const TableColumn column = { NULL, FALSE, TABLE_REST };
    g_autoptr(Table) answer = table_new(&column, 1);
    g_autoptr(GString) sentences = g_string_new("The path is on ");
    GString *out = g_string_new(NULL);

    write_class_table(study, out);
    append_npu_shares(study, sentences);
    append_role_shares(study, sentences);
    g_string_append_c(sentences, '.');
    append_straggler_sentence(study, sentences);
    table_add_cell(answer, sentences->str);
    g_string_append_c(out, '\n');
    table_write(answer, out, 0, table_terminal_width());
    if (what_ifs && what_ifs->len > 0)
        write_rank_what_ifs(study, what_ifs, out);
    return g_string_free(out, FALSE);
}
