/* report_models.c - a table of the language models of a sweep */
#include "sim/view/report/report_models.h"

#include "sim/view/report/html_escape.h"
#include "sim/view/report/report_answer_impl.h"

#define MAX_ROWS 24
#define GIB      (1024.0 * 1024 * 1024)

static gboolean is_model_row(const SweepResults *r, guint row, guint column)
{
    return *csv_table_text(r->table, row, column) != '\0';
}

static const char *const wait_columns[] = {
    "bubble_warm_up_us", "bubble_cool_down_us", "bubble_imbalance_us",
    "exposed_tp_us",     "exposed_cp_us",       "exposed_ep_us",
    "exposed_pp_us",     "exposed_dp_us",
};

static void append_model_row(GString *out, const SweepResults *r, guint row)
{
    double iteration_us = results_cell_number(r, row, "iteration_time_us");
    g_autofree char *point = describe_row_point(r, row);

    html_append_format(out, "<tr><td>%s</td>", point);
    g_string_append_printf(
        out,
        "<td class=\"n\">%.4g</td><td class=\"n\">%.4g</td>"
        "<td class=\"n\">%.1f %%</td><td class=\"n\">%.4g GiB</td>",
        results_cell_number(r, row, "tokens_per_s_per_npu"),
        results_cell_number(r, row, "model_tflop_per_s_per_npu"),
        100 * results_cell_number(r, row, "mfu"),
        results_cell_number(r, row, "memory_bytes") / GIB);
    for (guint i = 0; i < G_N_ELEMENTS(wait_columns); i++)
        g_string_append_printf(
            out, "<td class=\"n\">%.1f %%</td>",
            iteration_us > 0
                ? 100 * results_cell_number(r, row, wait_columns[i]) /
                      iteration_us
                : 0);
    g_string_append(out, "</tr>\n");
}

void report_write_models(GString *out, const SweepResults *r)
{
    guint column, n = 0;

    if (!csv_table_column(r->table, "mfu", &column, NULL))
        return;
    g_string_append(
        out,
        "<h2>Language models</h2>\n<div class=\"wide\">\n<table>\n<thead><tr>"
        "<th>point</th><th class=\"n\">tokens/s per NPU</th>"
        "<th class=\"n\">model TFLOP/s per NPU</th><th class=\"n\">MFU</th>"
        "<th class=\"n\">memory of a rank</th>"
        "<th class=\"n\">bubble, warm-up</th><th class=\"n\">cool-down</th>"
        "<th class=\"n\">imbalance</th><th class=\"n\">exposed, tp</th>"
        "<th class=\"n\">cp</th><th class=\"n\">ep</th><th class=\"n\">pp</th>"
        "<th class=\"n\">dp</th></tr></thead>\n<tbody>\n");
    for (guint i = 0; i < r->rows->len && n < MAX_ROWS; i++) {
        guint row = results_row_at(r, i);

        if (!is_model_row(r, row, column))
            continue;
        append_model_row(out, r, row);
        n++;
    }
    g_string_append(out, "</tbody>\n</table>\n</div>\n<p>Shares are of the "
                         "iteration; runs.csv has all points.</p>\n");
}
