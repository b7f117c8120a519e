/* explain_text.c - an explanation of the iteration time, as text */
#include "sim/view/text/explain/explain_text.h"

#include <string.h>

#include "sim/core/aligned_table.h"
#include "sim/study/explain/resource_what_ifs.h"
#include "sim/study/explain/what_if_pruning.h"
#include "sim/study/model_figures.h"
#include "sim/study/rows/run_rows.h"
#include "sim/view/text/explain/what_ifs_text.h"
#include "sim/view/text/parameter_server_load_text.h"
#include "sim/view/text/time_text.h"

/* The smallest share of the iteration time that a sentence mentions. */
#define WORTH_A_WORD  0.01
#define WORTH_A_LINE  PRUNING_NOTICEABLE_GAIN
#define MOST_IN_FRONT 8 /* limit of named collectives */
/* Smallest improvement that is recommended.  What-ifs with a smaller effect may
 * have been simulated only as a group. */
#define EXPLAIN_IMPROVES PRUNING_WORTHWHILE_GAIN

static const char *critical_path_section_name(uint32_t row)
{
    if (path_row_is_wait(row))
        return "exposed, waiting for";
    return row >= PATH_SIDE_SLOWDOWN ? "compute, slowed by"
                                     : "compute, limited by";
}

static double share_of_iteration(const Explanation *explanation, SimTime ps)
{
    return explanation->r.iteration_ps > 0
               ? (double)ps / (double)explanation->r.iteration_ps
               : 0;
}

/* ---- the sentences of the answer ----------------------------------------- */

/* Returns the what-if for a row, or NULL. All rows of HBM bandwidth have the
 * same what-if. */
static const WhatIf *find_what_if_of_row(const Explanation *explanation,
                                         uint32_t row)
{
    if (row == PATH_RESOURCES + RESOURCE_HBM)
        row = PATH_MEMORY;
    for (guint i = 0; i < explanation->what_ifs->len; i++) {
        const WhatIf *what_if =
            &g_array_index(explanation->what_ifs, WhatIf, i);

        if (what_if->row == row)
            return what_if;
    }
    return NULL;
}

static gboolean is_what_if_simulated(const WhatIf *what_if)
{
    return what_if->method == WHAT_IF_RUN || what_if->method == WHAT_IF_PROVED;
}

/* Returns whether @what_if was simulated and makes the iteration faster by at
 * least EXPLAIN_IMPROVES. Only such changes are recommended. */
static gboolean is_significant_improvement(const Explanation *explanation,
                                           const WhatIf *what_if)
{
    return is_what_if_simulated(what_if) && !what_if->reason &&
           what_if_speedup(explanation, what_if) >= 1 + EXPLAIN_IMPROVES;
}

/* Returns the best improvement, or the best of communication if @communication,
 * or NULL if there is none. */
static const WhatIf *find_best_improvement(const Explanation *explanation,
                                           gboolean communication)
{
    for (guint i = 0; i < explanation->what_ifs->len; i++) {
        const WhatIf *what_if =
            &g_array_index(explanation->what_ifs, WhatIf, i);

        if ((!communication || what_if_is_communication(what_if)) &&
            is_significant_improvement(explanation, what_if))
            return what_if;
    }
    return NULL;
}

/* Returns the row with the most time in @from .. @to - 1. */
static uint32_t find_path_row_with_most_time(const Explanation *explanation,
                                             uint32_t from, uint32_t to)
{
    uint32_t best = from;

    for (guint i = 0; i < explanation->n_rows; i++) {
        uint32_t row = explanation->order[i];

        if (row >= from && row < to &&
            explanation->rows_ps[row] > explanation->rows_ps[best])
            best = row;
    }
    return best;
}

/* Recommends a change of communication that helps more than @named.  @named is
 * NULL if no what-if changes the resource that is waited for. */
static void append_best_communication_change(const Explanation *explanation,
                                             const WhatIf *named, GString *out)
{
    const WhatIf *best = find_best_improvement(explanation, TRUE);

    if (!best || best == named || (named && named->method == WHAT_IF_CRASHED) ||
        (named && is_significant_improvement(explanation, named) &&
         what_if_speedup(explanation, best) <
             (1 + EXPLAIN_IMPROVES) * what_if_speedup(explanation, named)))
        return;
    g_string_append_printf(
        out, " What helps %s is %s: speedup %.2f.",
        named && is_significant_improvement(explanation, named) ? "more"
                                                                : "most",
        best->name, what_if_speedup(explanation, best));
}

static guint count_failed_what_ifs(const Explanation *explanation)
{
    guint n = 0;

    for (guint i = 0; i < explanation->what_ifs->len; i++)
        n += g_array_index(explanation->what_ifs, WhatIf, i).method ==
                     WHAT_IF_CRASHED
                 ? 1
                 : 0;
    return n;
}

/* If the sentences so far recommend no change of communication, recommends the
 * best other change, unless that is @named, or says that no change helps. */
static void append_best_other_change(const Explanation *explanation,
                                     const WhatIf *named, GString *out)
{
    const WhatIf *best = find_best_improvement(explanation, FALSE);

    if (!best && count_failed_what_ifs(explanation) == 0)
        g_string_append_printf(
            out,
            " No single value, twice as good, makes the iteration %.1f %% "
            "faster.",
            100 * EXPLAIN_IMPROVES);
    if (!best || find_best_improvement(explanation, TRUE))
        return;
    g_string_append_printf(out,
                           " No change of communication makes the iteration "
                           "%.1f %% faster",
                           100 * EXPLAIN_IMPROVES);
    if (best != named)
        g_string_append_printf(out, "; what helps most is %s: speedup %.2f",
                               best->name, what_if_speedup(explanation, best));
    g_string_append_c(out, '.');
}

static void append_what_if_effect(const Explanation *explanation,
                                  const WhatIf *what_if, GString *out)
{
    double gain = what_if_speedup(explanation, what_if);

    if (gain >= 1 + EXPLAIN_IMPROVES)
        g_string_append_printf(out, "makes the iteration %.2f times faster",
                               gain);
    else if (gain <= 1 - EXPLAIN_IMPROVES)
        g_string_append_printf(out, "makes it slower (speedup %.2f)", gain);
    else
        g_string_append_printf(out, "alone changes less than %.1f %%",
                               100 * EXPLAIN_IMPROVES);
}

static gboolean is_latency_row(const Explanation *explanation, uint32_t row)
{
    const ResourceKind *kind = critical_path_row_resource(explanation, row);

    return kind && kind->form == RESOURCE_DELAY;
}

/* Adds a note if doubling the resource has no full effect, because another
 * limit of the endpoint applies first. */
static void append_endpoint_cap_note(const Explanation *explanation,
                                     uint32_t row, GString *out)
{
    g_autofree char *cap = NULL;

    if (row != PATH_RESOURCES + RESOURCE_HBM_SHARE &&
        row != PATH_RESOURCES + RESOURCE_SMS)
        return;
    cap = endpoint_bandwidth_cap_reason(&explanation->config->endpoint,
                                        &explanation->config->platform.npu, 2);
    if (cap)
        g_string_append_printf(out, " But %s.", cap);
}

static SimTime sum_blocked_time_ps(const Explanation *explanation)
{
    SimTime ps = 0;

    for (guint i = 0; i < explanation->n_rows; i++)
        ps += explanation->other_queue_ps[explanation->order[i]];
    return ps;
}

/* Appends the time spent waiting behind other collectives, and the longest of
 * these.  A resource that is busy with another collective is not necessarily
 * slow, although a faster one would also shorten this wait. */
static void append_wait_behind_sentence(const Explanation *explanation,
                                        GString *out)
{
    SimTime sum_ps = sum_blocked_time_ps(explanation);
    const ExplainBlocker *most;
    const Op *op;

    if (share_of_iteration(explanation, sum_ps) < WORTH_A_WORD ||
        explanation->behind->len == 0)
        return;
    most = &g_array_index(explanation->behind, ExplainBlocker, 0);
    op = op_graph_op(system_graph(explanation->system), most->op);
    g_string_append_printf(out,
                           " %.1f %% of the iteration is spent in queues "
                           "behind %s, ",
                           100 * share_of_iteration(explanation, sum_ps),
                           explanation->behind->len > 1 ? "other collectives"
                                                        : "another collective");
    if (explanation->behind->len > 1)
        g_string_append_printf(
            out, "%.1f %% behind ",
            100 * share_of_iteration(explanation, most->time_ps));
    g_string_append_printf(
        out, "`%s` (%s of group %s); a faster resource shortens that, too.",
        explain_collective_name(explanation, most->op),
        coll_kind_name(op->kind),
        op_graph_group(system_graph(explanation->system), op->group)->name
            ?: "all");
}

static void append_exposed_sentence(const Explanation *explanation,
                                    SimTime exposed_ps, GString *out)
{
    uint32_t row =
        find_path_row_with_most_time(explanation, PATH_RESOURCES, PATH_N);
    const WhatIf *what_if = find_what_if_of_row(explanation, row);
    g_autofree char *name = critical_path_row_name(explanation, row);

    g_string_append_printf(out, "%.1f %% of the iteration is exposed %s, ",
                           100 * share_of_iteration(explanation, exposed_ps),
                           path_row_is_communication_wait(row) ? "communication"
                                                               : "waiting");
    g_string_append_printf(
        out, "%s of it (%.1f %%) for %s",
        2 * explanation->rows_ps[row] > exposed_ps ? "most"
                                                   : "the largest part",
        100 * share_of_iteration(explanation, explanation->rows_ps[row]), name);
    if (2 * explanation->other_queue_ps[row] > explanation->rows_ps[row])
        g_string_append(out, ", busy with other collectives");
    if (what_if && what_if->iteration_ps > 0) {
        g_string_append_printf(out, "; %s ",
                               is_latency_row(explanation, row) ? "half of that"
                                                                : "twice that");
        append_what_if_effect(explanation, what_if, out);
    }
    g_string_append_c(out, '.');
    append_wait_behind_sentence(explanation, out);
    append_endpoint_cap_note(explanation, row, out);
    append_best_communication_change(explanation, what_if, out);
}

/* Returns the change that the sentence names, or NULL. */
static const WhatIf *
append_kernel_slowdown_sentence(const Explanation *explanation, GString *out)
{
    SimTime sms_ps = explanation->rows_ps[PATH_LOST_SMS];
    SimTime hbm_ps = explanation->rows_ps[PATH_LOST_HBM];
    const WhatIf *what_if = find_what_if_of_row(
        explanation, hbm_ps >= sms_ps ? PATH_MEMORY : PATH_LOST_SMS);

    g_string_append_printf(
        out,
        "Communication slows kernels down: %.1f %% of the iteration by the "
        "HBM bandwidth and %.1f %% by the SMs that it takes",
        100 * share_of_iteration(explanation, hbm_ps),
        100 * share_of_iteration(explanation, sms_ps));
    if (what_if && what_if->iteration_ps > 0) {
        g_string_append_printf(out, "; twice the %s ",
                               hbm_ps >= sms_ps ? "HBM bandwidth"
                                                : "SMs (of the same peak)");
        append_what_if_effect(explanation, what_if, out);
    }
    g_string_append(out, ".");
    return what_if;
}

static void append_answer_sentences(const Explanation *explanation,
                                    GString *out)
{
    SimTime lost_ps = explanation->rows_ps[PATH_LOST_SMS] +
                      explanation->rows_ps[PATH_LOST_HBM];
    SimTime exposed_ps = 0;
    uint32_t bound = find_path_row_with_most_time(explanation, PATH_FLOP,
                                                  PATH_SIDE_SLOWDOWN);
    g_autofree char *bound_name = critical_path_row_name(explanation, bound);
    const WhatIf *named = NULL;

    for (uint32_t row = PATH_RESOURCES; row < PATH_N; row++)
        exposed_ps += explanation->rows_ps[row];
    if (share_of_iteration(explanation, exposed_ps) >= WORTH_A_WORD)
        append_exposed_sentence(explanation, exposed_ps, out);
    if (share_of_iteration(explanation, lost_ps) >= WORTH_A_WORD) {
        g_string_append(out, out->len > 0 ? " " : "");
        named = append_kernel_slowdown_sentence(explanation, out);
    }
    if (share_of_iteration(explanation, explanation->rows_ps[PATH_PERTURBED]) >=
        WORTH_A_WORD)
        g_string_append_printf(
            out, "%s`perturb` slows kernels by %.1f %% of the iteration.",
            out->len > 0 ? " " : "",
            100 * share_of_iteration(explanation,
                                     explanation->rows_ps[PATH_PERTURBED]));
    if (out->len == 0)
        g_string_append_printf(
            out,
            "Communication is hidden and costs %.1f %% of "
            "the iteration; %.1f %% is kernels limited by "
            "%s.",
            100 * share_of_iteration(explanation, exposed_ps + lost_ps),
            100 * share_of_iteration(explanation, explanation->rows_ps[bound]),
            bound_name);
    append_best_other_change(explanation, named, out);
}

/* ---- the table of the critical path -------------------------------------- */

static void add_time_and_share_cells(Table *table, SimTime ps)
{
    g_autofree char *time = time_text(ps);

    table_add_cell(table, ps > 0 ? time : "");
}

static void add_path_row(Table *table, const char *part, const char *name,
                         SimTime ps, double part_of_all)
{
    table_add_cell(table, part);
    table_add_cell(table, name);
    add_time_and_share_cells(table, ps);
    table_add_cell_printf(table, "%.1f %%", 100 * part_of_all);
}

/* Adds the service and queueing times of a row; empty if it has no queue. */
static void add_queue_cells(const Explanation *explanation, Table *table,
                            uint32_t row)
{
    gboolean has_queue =
        explanation->own_queue_ps[row] + explanation->other_queue_ps[row] > 0;

    add_time_and_share_cells(
        table, has_queue ? explain_row_served_ps(explanation, row) : 0);
    add_time_and_share_cells(table, explanation->own_queue_ps[row]);
    add_time_and_share_cells(table, explanation->other_queue_ps[row]);
}

static void add_empty_queue_cells(Table *table)
{
    for (guint i = 0; i < 3; i++)
        table_add_cell(table, "");
}

static gint compare_path_times(gconstpointer a, gconstpointer b, gpointer data)
{
    const Explanation *explanation = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return explanation->rows_ps[x] > explanation->rows_ps[y]
               ? -1
               : explanation->rows_ps[x] < explanation->rows_ps[y];
}

#define N_WITHOUT_QUEUES 4 /* number of columns */

static SimTime sum_queue_time_ps(const Explanation *explanation)
{
    SimTime ps = 0;

    for (guint i = 0; i < explanation->n_rows; i++)
        ps += explanation->own_queue_ps[explanation->order[i]] +
              explanation->other_queue_ps[explanation->order[i]];
    return ps;
}

/* Writes the collectives that others waited behind, if that time is
 * significant. */
static void write_blocking_collectives(const Explanation *explanation,
                                       GString *out)
{
    const TableColumn columns[] = {
        { "collectives that others waited behind", FALSE, 0 },
        { "", FALSE, 0 },
        { "other queue", TRUE, 0 },
        { "", TRUE, 0 },
    };
    const OpGraph *graph = system_graph(explanation->system);
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    guint n = 0;

    for (guint i = 0; i < explanation->behind->len && n < MOST_IN_FRONT; i++) {
        const ExplainBlocker *behind =
            &g_array_index(explanation->behind, ExplainBlocker, i);
        const Op *op = op_graph_op(graph, behind->op);

        if (share_of_iteration(explanation, behind->time_ps) < WORTH_A_LINE)
            break;
        table_add_cell(table, explain_collective_name(explanation, behind->op));
        table_add_cell_printf(table, "%s of group %s", coll_kind_name(op->kind),
                              op_graph_group(graph, op->group)->name ?: "all");
        add_time_and_share_cells(table, behind->time_ps);
        table_add_cell_printf(
            table, "%.1f %%",
            100 * share_of_iteration(explanation, behind->time_ps));
        n++;
    }
    if (n == 0)
        return;
    g_string_append_c(out, '\n');
    table_write(table, out, 0, 0);
}

static void write_critical_path_table(const Explanation *explanation,
                                      GString *out)
{
    const TableColumn columns[] = {
        { "critical path", FALSE, 0 },
        { "", FALSE, 0 },
        { "", TRUE, 0 },
        { "", TRUE, 0 },
        { "served", TRUE, 0 },
        { "own queue", TRUE, 0 },
        { "other queue", TRUE, 0 },
    };
    gboolean has_queues = sum_queue_time_ps(explanation) > 0;
    g_autoptr(Table) table = table_new(
        columns, has_queues ? G_N_ELEMENTS(columns) : N_WITHOUT_QUEUES);
    uint32_t order[PATH_N];
    SimTime rest_ps = 0;

    memcpy(order, explanation->order, sizeof order);
    /* The sort is stable, so rows with equal times keep their order. */
    g_qsort_with_data(order, (gint)explanation->n_rows, sizeof order[0],
                      compare_path_times, (gpointer)explanation);
    for (guint i = 0; i < explanation->n_rows; i++) {
        g_autofree char *name = critical_path_row_name(explanation, order[i]);
        SimTime ps = explanation->rows_ps[order[i]];

        if (share_of_iteration(explanation, ps) < WORTH_A_LINE) {
            rest_ps += ps;
            continue;
        }
        add_path_row(table, critical_path_section_name(order[i]), name, ps,
                     share_of_iteration(explanation, ps));
        if (has_queues)
            add_queue_cells(explanation, table, order[i]);
    }
    if (rest_ps > 0) {
        add_path_row(table, "rows below 0.1 %", "", rest_ps,
                     share_of_iteration(explanation, rest_ps));
        if (has_queues)
            add_empty_queue_cells(table);
    }
    add_path_row(table, "iteration", "", explanation->r.iteration_ps, 1);
    if (has_queues)
        add_empty_queue_cells(table);
    table_write(table, out, 0, 0);
}

static void add_bubble_row(const Explanation *explanation, Table *table,
                           const char *name, SimTime ps)
{
    table_add_cell(table, name);
    add_time_and_share_cells(table, ps);
    table_add_cell_printf(table, "%.1f %%",
                          100 * share_of_iteration(explanation, ps));
}

/* Writes the bubble and the exposed communication of a language model.  The
 * critical path is that of one NPU; these rows are means of all. */
static void write_bubble_table(const Explanation *explanation, GString *out)
{
    static const char *const names[WAIT_N_CAUSES] = {
        [WAIT_WARM_UP] = "bubble, warm-up",
        [WAIT_COOL_DOWN] = "bubble, cool-down",
        [WAIT_IMBALANCE] = "bubble, imbalance",
        [WAIT_TP] = "exposed communication, tp",
        [WAIT_CP] = "exposed communication, cp",
        [WAIT_EP] = "exposed communication, ep",
        [WAIT_PP] = "exposed communication, pp",
        [WAIT_DP] = "exposed communication, dp",
        [WAIT_OTHER] = "other waits",
    };
    const TableColumn columns[] = {
        { "main streams, mean of all NPUs", FALSE, 0 },
        { "", TRUE, 0 },
        { "", TRUE, 0 },
    };
    ModelFigures model;
    SimTime rest_ps = 0;
    g_autoptr(Table) table = NULL;

    if (!model_figures_of_run(explanation->config, explanation->system, &model))
        return;
    table = table_new(columns, G_N_ELEMENTS(columns));
    add_bubble_row(explanation, table, "compute", model.times.compute_ps);
    for (WaitCause c = 0; c < WAIT_N_CAUSES; c++) {
        SimTime ps = model.times.wait_ps[c];

        if (share_of_iteration(explanation, ps) < WORTH_A_LINE)
            rest_ps += ps;
        else
            add_bubble_row(explanation, table, names[c], ps);
    }
    if (rest_ps > WAIT_N_CAUSES + 1) /* not rounding */
        add_bubble_row(explanation, table, "rows below 0.1 %", rest_ps);
    g_string_append_c(out, '\n');
    table_write(table, out, 0, 0);
}

char *explain_text(const Explanation *explanation)
{
    const TableColumn column = { NULL, FALSE, TABLE_REST };
    g_autoptr(Table) answer = table_new(&column, 1);
    g_autoptr(GString) sentences = g_string_new(NULL);
    GString *out = g_string_new(NULL);

    append_answer_sentences(explanation, sentences);
    if (system_unfolded_reason(explanation->system))
        g_string_append_printf(sentences,
                               " (Critical path of NPU %u, which ends last.)",
                               explanation->r.last_npu);
    g_string_append_c(sentences, ' ');
    append_busiest_server_sentence(sentences, explanation->system);
    table_add_cell(answer, g_strchomp(sentences->str));
    table_write(answer, out, 0, table_terminal_width());
    g_string_append_c(out, '\n');
    append_server_table(out, explanation->system);
    write_critical_path_table(explanation, out);
    write_blocking_collectives(explanation, out);
    write_bubble_table(explanation, out);
    g_string_append_c(out, '\n');
    write_all_what_ifs(explanation, out);
    return g_string_free(out, FALSE);
}
