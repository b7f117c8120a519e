/* what_ifs_text.c - the what-ifs of an explanation, as text */
#include "sim/view/text/explain/what_ifs_text.h"

#include "models/run/prepare/kernel_times.h"
#include "sim/core/aligned_table.h"
#include "sim/study/explain/what_if_pruning.h"
#include "sim/view/text/time_text.h"

double what_if_speedup(const Explanation *explanation, const WhatIf *what_if)
{
    return what_if->iteration_ps > 0 ? (double)explanation->r.iteration_ps /
                                           (double)what_if->iteration_ps
                                     : 0;
}

static void write_impossible_what_ifs(const Explanation *explanation,
                                      GString *out)
{
    for (guint i = 0; i < explanation->what_ifs->len; i++) {
        const WhatIf *what_if =
            &g_array_index(explanation->what_ifs, WhatIf, i);

        if (what_if->reason)
            g_string_append_printf(
                out, "%s: %s: %s\n",
                what_if->method == WHAT_IF_CRASHED ? "not run" : "impossible",
                what_if->name, what_if->reason);
    }
}

static gboolean is_what_if_simulated_or_proved(const WhatIf *what_if)
{
    return what_if->method == WHAT_IF_RUN || what_if->method == WHAT_IF_PROVED;
}

static gboolean what_if_has_effect(const Explanation *explanation,
                                   const WhatIf *what_if)
{
    return pruning_is_gain_significant(explanation->r.iteration_ps,
                                       what_if->iteration_ps,
                                       PRUNING_NOTICEABLE_GAIN);
}

/* Writes a text, broken into lines of the terminal's width. */
static void write_wrapped_line(const char *text, GString *out)
{
    const TableColumn column = { NULL, FALSE, TABLE_REST };
    g_autoptr(Table) table = table_new(&column, 1);

    table_add_cell(table, text);
    table_write(table, out, 0, table_terminal_width());
}

static void write_what_ifs_without_effect(const Explanation *explanation,
                                          GString *out)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const char *before = "below 0.1 %: ";

    for (guint i = 0; i < explanation->what_ifs->len; i++) {
        const WhatIf *what_if =
            &g_array_index(explanation->what_ifs, WhatIf, i);

        if (what_if->reason || !is_what_if_simulated_or_proved(what_if) ||
            what_if_has_effect(explanation, what_if))
            continue;
        g_string_append_printf(text, "%s%s", before, what_if->name);
        before = ", ";
    }
    if (text->len > 0)
        write_wrapped_line(text->str, out);
}

static guint count_what_ifs(const Explanation *explanation, WhatIfHow method)
{
    guint n = 0;

    for (guint i = 0; i < explanation->what_ifs->len; i++)
        n += g_array_index(explanation->what_ifs, WhatIf, i).method == method
                 ? 1
                 : 0;
    return n;
}

/* Writes the what-ifs that are @method, beginning with @title, each with its
 * speedup; those below PRUNING_WORTHWHILE_GAIN come last, without it. */
static void write_unsimulated_what_ifs(const Explanation *explanation,
                                       WhatIfHow method, const char *title,
                                       GString *out)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const char *before = title;

    for (guint i = 0; i < explanation->what_ifs->len; i++) {
        const WhatIf *what_if =
            &g_array_index(explanation->what_ifs, WhatIf, i);

        if (what_if->method != method ||
            (method == WHAT_IF_BOUNDED &&
             !pruning_is_gain_significant(explanation->r.iteration_ps,
                                          what_if->iteration_ps,
                                          PRUNING_WORTHWHILE_GAIN)))
            continue;
        g_string_append_printf(text, "%s%s %.3f", before, what_if->name,
                               what_if_speedup(explanation, what_if));
        before = "; ";
    }
    before = text->len > 0 ? "; below 0.5 %: " : NULL;
    for (guint i = 0;
         i < explanation->what_ifs->len && method == WHAT_IF_BOUNDED; i++) {
        const WhatIf *what_if =
            &g_array_index(explanation->what_ifs, WhatIf, i);

        if (what_if->method != method ||
            pruning_is_gain_significant(explanation->r.iteration_ps,
                                        what_if->iteration_ps,
                                        PRUNING_WORTHWHILE_GAIN))
            continue;
        if (!before)
            g_string_append_printf(text, "%sbelow 0.5 %%: ", title);
        g_string_append_printf(text, "%s%s", before ?: "", what_if->name);
        before = ", ";
    }
    if (text->len > 0)
        write_wrapped_line(text->str, out);
}

/* Writes how many what-ifs were not simulated, and the reasons. */
static void write_all_unsimulated_what_ifs(const Explanation *explanation,
                                           GString *out)
{
    guint n_proved = count_what_ifs(explanation, WHAT_IF_PROVED);
    guint n_left_out = count_what_ifs(explanation, WHAT_IF_LEFT_OUT);
    guint n_bounded = count_what_ifs(explanation, WHAT_IF_BOUNDED);
    guint n_estimated = count_what_ifs(explanation, WHAT_IF_ESTIMATED);
    g_autoptr(GString) text = g_string_new(NULL);
    const char *before = ": ";

    g_string_append_printf(text, "what-ifs: %u of %u simulated",
                           count_what_ifs(explanation, WHAT_IF_RUN),
                           explanation->what_ifs->len);
    if (n_proved > 0)
        g_string_append_printf(text, "; %u identical to this run by proof",
                               n_proved);
    if (n_bounded > 0)
        g_string_append_printf(text, "; %u bounded by the critical path",
                               n_bounded);
    if (n_estimated > 0)
        g_string_append_printf(text, "; %u estimated from runs of a few layers",
                               n_estimated);
    if (n_bounded > 0 || n_estimated > 0)
        g_string_append(text, " (--what-if-csv simulates each)");
    if (n_left_out > 0)
        g_string_append_printf(
            text,
            "; %u simulated only as a group, which gains "
            "less than 0.5 %% (--what-if-csv simulates each)",
            n_left_out);
    for (guint i = 0; i < explanation->what_ifs->len; i++) {
        const WhatIf *what_if =
            &g_array_index(explanation->what_ifs, WhatIf, i);

        if (what_if->method != WHAT_IF_LEFT_OUT || what_if->is_implied)
            continue;
        g_string_append_printf(text, "%s%s", before, what_if->name);
        before = ", ";
    }
    write_wrapped_line(text->str, out);
}

/* Counts all kernels, and those with a given time (measured, or by a total of
 * their pass). */
static void count_kernels(const Explanation *explanation, guint *ret_n_given,
                          guint *ret_n_all)
{
    const OpGraph *graph = system_graph(explanation->system);
    g_autofree ComputeScale *scales =
        compute_kernel_time_scales(&explanation->config->platform.npu, graph);

    *ret_n_given = *ret_n_all = 0;
    for (guint i = 0; i < graph->ops->len; i++) {
        if (op_graph_op(graph, i)->type != OP_COMPUTE)
            continue;
        *ret_n_given += scales[i].is_measured ? 1 : 0;
        (*ret_n_all)++;
    }
}

/* Writes that a better NPU changes kernels with given times only by the share
 * that communication takes from them. */
static void write_given_times_note(const Explanation *explanation, GString *out)
{
    g_autoptr(GString) text = g_string_new(NULL);
    guint n_given, n_kernels;

    count_kernels(explanation, &n_given, &n_kernels);
    if (n_given == 0)
        return;
    if (n_given == n_kernels)
        g_string_append(text, "note: the times of all kernels");
    else
        g_string_append_printf(text, "note: the times of %u of %u kernels",
                               n_given, n_kernels);
    g_string_append(
        text, " are given (training.compute: measured): a better NPU changes "
              "only how much communication slows them down, and more FLOP/s "
              "may increase that");
    if (n_given < n_kernels)
        g_string_append(text, ".  The times of the other kernels follow from "
                              "their FLOP and bytes");
    write_wrapped_line(text->str, out);
}

void write_all_what_ifs(const Explanation *explanation, GString *out)
{
    gboolean has_plans = system_graph(explanation->system)->n_tokens > 0;
    const TableColumn columns[] = {
        { has_plans ? "what-if: one resource twice as good, or another plan"
                    : "what-if: one resource twice as good",
          FALSE, 0 },
        { "iteration", TRUE, 0 },
        { "speedup", TRUE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; i < explanation->what_ifs->len; i++) {
        const WhatIf *what_if =
            &g_array_index(explanation->what_ifs, WhatIf, i);
        g_autofree char *time = time_text(what_if->iteration_ps);

        if (what_if->reason || !is_what_if_simulated_or_proved(what_if) ||
            !what_if_has_effect(explanation, what_if))
            continue;
        table_add_cell(table, what_if->name);
        table_add_cell(table, time);
        table_add_cell_printf(table, "%.3f",
                              what_if_speedup(explanation, what_if));
    }
    table_write(table, out, 0, 0);
    write_what_ifs_without_effect(explanation, out);
    write_unsimulated_what_ifs(explanation, WHAT_IF_ESTIMATED,
                               "not simulated, estimated speedup: ", out);
    write_unsimulated_what_ifs(explanation, WHAT_IF_BOUNDED,
                               "not simulated, speedup at most: ", out);
    write_all_unsimulated_what_ifs(explanation, out);
    write_impossible_what_ifs(explanation, out);
    write_given_times_note(explanation, out);
}
