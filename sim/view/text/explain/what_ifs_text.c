/* what_ifs_text.c - the what-ifs of an explanation, as text */
#include "sim/view/text/explain/what_ifs_text.h"

#include "models/run/prepare/kernel_times.h"
#include "sim/core/aligned_table.h"
#include "sim/study/explain/what_if_pruning.h"
#include "sim/view/text/time_text.h"

double what_if_speedup(const Explanation *e, const WhatIf *w)
{
    return w->iteration_ps > 0
               ? (double)e->r.iteration_ps / (double)w->iteration_ps
               : 0;
}

static void write_impossible_what_ifs(const Explanation *e, GString *out)
{
    for (guint i = 0; i < e->what_ifs->len; i++) {
        const WhatIf *w = &g_array_index(e->what_ifs, WhatIf, i);

        if (w->reason)
            g_string_append_printf(out, "%s: %s: %s\n",
                                   w->how == WHAT_IF_CRASHED ? "not run"
                                                             : "impossible",
                                   w->name, w->reason);
    }
}

static gboolean is_what_if_simulated_or_proved(const WhatIf *w)
{
    return w->how == WHAT_IF_RUN || w->how == WHAT_IF_PROVED;
}

static gboolean has_what_if_effect(const Explanation *e, const WhatIf *w)
{
    return pruning_is_gain_significant(e->r.iteration_ps, w->iteration_ps,
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

static void write_what_ifs_without_effect(const Explanation *e, GString *out)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const char *before = "below 0.1 %: ";

    for (guint i = 0; i < e->what_ifs->len; i++) {
        const WhatIf *w = &g_array_index(e->what_ifs, WhatIf, i);

        if (w->reason || !is_what_if_simulated_or_proved(w) ||
            has_what_if_effect(e, w))
            continue;
        g_string_append_printf(text, "%s%s", before, w->name);
        before = ", ";
    }
    if (text->len > 0)
        write_wrapped_line(text->str, out);
}

static guint count_what_ifs(const Explanation *e, WhatIfHow how)
{
    guint n = 0;

    for (guint i = 0; i < e->what_ifs->len; i++)
        n += g_array_index(e->what_ifs, WhatIf, i).how == how ? 1 : 0;
    return n;
}

/* Writes the what-ifs that are @how, beginning with @title, each with its
 * speedup; those below PRUNING_WORTHWHILE_GAIN come last, without it. */
static void write_unsimulated_what_ifs(const Explanation *e, WhatIfHow how,
                                       const char *title, GString *out)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const char *before = title;

    for (guint i = 0; i < e->what_ifs->len; i++) {
        const WhatIf *w = &g_array_index(e->what_ifs, WhatIf, i);

        if (w->how != how ||
            (how == WHAT_IF_BOUNDED &&
             !pruning_is_gain_significant(e->r.iteration_ps, w->iteration_ps,
                                          PRUNING_WORTHWHILE_GAIN)))
            continue;
        g_string_append_printf(text, "%s%s %.3f", before, w->name,
                               what_if_speedup(e, w));
        before = "; ";
    }
    before = text->len > 0 ? "; below 0.5 %: " : NULL;
    for (guint i = 0; i < e->what_ifs->len && how == WHAT_IF_BOUNDED; i++) {
        const WhatIf *w = &g_array_index(e->what_ifs, WhatIf, i);

        if (w->how != how ||
            pruning_is_gain_significant(e->r.iteration_ps, w->iteration_ps,
                                        PRUNING_WORTHWHILE_GAIN))
            continue;
        if (!before)
            g_string_append_printf(text, "%sbelow 0.5 %%: ", title);
        g_string_append_printf(text, "%s%s", before ?: "", w->name);
        before = ", ";
    }
    if (text->len > 0)
        write_wrapped_line(text->str, out);
}

/* Writes how many what-ifs were not simulated, and the reasons. */
static void write_left_out_what_ifs(const Explanation *e, GString *out)
{
    guint n_proved = count_what_ifs(e, WHAT_IF_PROVED);
    guint n_left_out = count_what_ifs(e, WHAT_IF_LEFT_OUT);
    guint n_bounded = count_what_ifs(e, WHAT_IF_BOUNDED);
    guint n_estimated = count_what_ifs(e, WHAT_IF_ESTIMATED);
    g_autoptr(GString) text = g_string_new(NULL);
    const char *before = ": ";

    g_string_append_printf(text, "what-ifs: %u of %u simulated",
                           count_what_ifs(e, WHAT_IF_RUN), e->what_ifs->len);
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
    for (guint i = 0; i < e->what_ifs->len; i++) {
        const WhatIf *w = &g_array_index(e->what_ifs, WhatIf, i);

        if (w->how != WHAT_IF_LEFT_OUT || w->is_implied)
            continue;
        g_string_append_printf(text, "%s%s", before, w->name);
        before = ", ";
    }
    write_wrapped_line(text->str, out);
}

/* Counts all kernels, and those with a given time (measured, or by a total of
 * their pass). */
static void count_kernels(const Explanation *e, guint *ret_n_given,
                          guint *ret_n_all)
{
    const OpGraph *graph = system_graph(e->system);
    g_autofree ComputeScale *scales =
        compute_kernel_time_scales(&e->config->platform.npu, graph);

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
static void write_given_times_note(const Explanation *e, GString *out)
{
    g_autoptr(GString) text = g_string_new(NULL);
    guint n_given, n_kernels;

    count_kernels(e, &n_given, &n_kernels);
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

void write_all_what_ifs(const Explanation *e, GString *out)
{
    gboolean has_plans = system_graph(e->system)->n_tokens > 0;
    const TableColumn columns[] = {
        { has_plans ? "what-if: one resource twice as good, or another plan"
                    : "what-if: one resource twice as good",
          FALSE, 0 },
        { "iteration", TRUE, 0 },
        { "speedup", TRUE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; i < e->what_ifs->len; i++) {
        const WhatIf *w = &g_array_index(e->what_ifs, WhatIf, i);
        g_autofree char *time = time_text(w->iteration_ps);

        if (w->reason || !is_what_if_simulated_or_proved(w) ||
            !has_what_if_effect(e, w))
            continue;
        table_add_cell(table, w->name);
        table_add_cell(table, time);
        table_add_cell_printf(table, "%.3f", what_if_speedup(e, w));
    }
    table_write(table, out, 0, 0);
    write_what_ifs_without_effect(e, out);
    write_unsimulated_what_ifs(e, WHAT_IF_ESTIMATED,
                               "not simulated, estimated speedup: ", out);
    write_unsimulated_what_ifs(e, WHAT_IF_BOUNDED,
                               "not simulated, speedup at most: ", out);
    write_left_out_what_ifs(e, out);
    write_impossible_what_ifs(e, out);
    write_given_times_note(e, out);
}
