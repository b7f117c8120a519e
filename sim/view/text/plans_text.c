/* plans_text.c - the fastest plans of a language model, as text and JSON */
#include "sim/view/text/plans_text.h"

#include "sim/core/aligned_table.h"
#include "sim/core/json_writer.h"

#define MS_PER_PS 1e-9
#define GIB       (1024.0 * 1024 * 1024)

static const RatedPlan *find_fastest_plan(const PlanSearch *search, guint i)
{
    return g_ptr_array_index(search->best, i);
}

/* Returns the number of runs that have ended, of which some were cut off. */
static guint count_ended_runs(const PlanSearch *search)
{
    guint n = 0;

    for (guint i = 0; i < search->trials.trials->len; i++) {
        const Trial *trial = g_ptr_array_index(search->trials.trials, i);

        n += trial->time_ps > 0 || trial->cut_off_ps > 0 || trial->reason;
    }
    return n;
}

static void write_numbers_of_plans(const PlanSearch *search, GString *out)
{
    guint n_simulated = count_ended_runs(search);

    g_string_append_printf(out, "plans    %u are valid, %u fit",
                           search->n_valid, search->n_fit);
    if (search->memory_bytes > 0)
        g_string_append_printf(out, " the %.4g GiB of an NPU",
                               (double)search->memory_bytes / GIB);
    else
        g_string_append(out, "; the memory of an NPU is not known (--memory)");
    if (search->n_needless > 0)
        g_string_append_printf(out, "; %u recompute needlessly",
                               search->n_needless);
    g_string_append_printf(out,
                           "\nrated    %u plans, from %u runs of a few layers "
                           "each\nruns     %u of whole plans",
                           search->plans->len, search->n_samples, n_simulated);
    if (search->n_by_bound > 0)
        g_string_append_printf(out, "; %u plans are slower by their bound",
                               search->n_by_bound);
    if (search->n_by_estimate > 0)
        g_string_append_printf(out, "; %u by their estimate",
                               search->n_by_estimate);
    if (search->n_by_limit > 0)
        g_string_append_printf(
            out, "; %u were not tried, since %s", search->n_by_limit,
            search->interrupted ? "the search was interrupted"
                                : "--evaluations is reached");
    g_string_append_c(out, '\n');
}

static void write_file_plan(const PlanSearch *search, GString *out)
{
    const RatedPlan *file = search->of_file;
    const RatedPlan *best = find_fastest_plan(search, 0);

    if (!file || !file->trial) {
        g_string_append(out, "file     its own plan is not valid or does not "
                             "fit\n");
        return;
    }
    if (file->trial->time_ps == 0) {
        g_string_append_printf(out, "file     its own plan cannot be run: %s\n",
                               file->trial->reason);
        return;
    }
    g_string_append_printf(out,
                           "file     %.3f ms; the best is %.3f times as "
                           "fast\n",
                           (double)file->trial->time_ps * MS_PER_PS,
                           (double)file->trial->time_ps /
                               (double)best->trial->time_ps);
}

static void write_best_table(const PlanSearch *search, guint width,
                             GString *out)
{
    static const TableColumn columns[] = {
        { "", TRUE, 0 },
        { "step", TRUE, 0 },
        { "MFU", TRUE, 0 },
        { "memory", TRUE, 0 },
        { "bubble", TRUE, 0 },
        { "estimate", TRUE, 0 },
        { "plan", FALSE, TABLE_REST },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; i < search->best->len; i++) {
        const RatedPlan *rated = find_fastest_plan(search, i);
        const Trial *trial = rated->trial;

        table_add_cell_printf(table, "%u", i + 1);
        table_add_cell_printf(table, "%.3f ms",
                              (double)trial->time_ps * MS_PER_PS);
        table_add_cell_printf(table, "%.1f %%", (double)trial->mfu_ppm * 1e-4);
        table_add_cell_printf(table, "%.2f GiB",
                              (double)rated->plan.memory_bytes / GIB);
        table_add_cell_printf(table, "%.1f %%",
                              100 * (double)trial->bubble_ps /
                                  (double)trial->time_ps);
        table_add_cell_printf(
            table, "%+.1f %%",
            100 * ((double)rated->estimate_ps / (double)trial->time_ps - 1));
        table_add_cell(table, rated->summary);
    }
    g_string_append_c(out, '\n');
    table_write(table, out, 0, width);
}

/* Appends the settings of each of the best as options. */
static void write_set_options(const PlanSearch *search, GString *out)
{
    g_string_append(out, "\nas options:\n");
    for (guint i = 0; i < search->best->len; i++) {
        g_auto(GStrv) lines =
            g_strsplit(find_fastest_plan(search, i)->sets, "\n", -1);

        g_string_append_printf(out, "%2u ", i + 1);
        for (guint k = 0; lines[k]; k++)
            g_string_append_printf(out, " --set '%s'", lines[k]);
        g_string_append_c(out, '\n');
    }
}

char *plans_text(const PlanSearch *search, guint width)
{
    GString *out = g_string_new(NULL);

    if (search->interrupted)
        g_string_append_printf(out, "%s; these are the best until then\n\n",
                               search->interrupted->message);
    write_file_plan(search, out);
    write_numbers_of_plans(search, out);
    write_best_table(search, width, out);
    write_set_options(search, out);
    return g_string_free(out, FALSE);
}

char *plans_file_head_text(const PlanSearch *search, const char *path)
{
    const RatedPlan *best = find_fastest_plan(search, 0);

    return g_strdup_printf("The fastest plan that `acesim optimise` found for "
                           "%s:\n%.3f ms, of %u plans that fit.",
                           path, (double)best->trial->time_ps * MS_PER_PS,
                           search->n_fit);
}

/* ---- JSON ---------------------------------------------------------------- */

static void add_number_cell(Json *json, const char *key, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd(text, sizeof text, "%.6f", value);
    json_add_raw(json, key, text);
}

static void add_json_plan(const RatedPlan *rated, Json *json)
{
    const Trial *trial = rated->trial;
    g_auto(GStrv) lines = g_strsplit(rated->sets, "\n", -1);

    json_begin_object(json, NULL);
    json_add_text(json, "plan", rated->summary);
    add_number_cell(json, "iteration_time_us", (double)trial->time_ps * 1e-6);
    add_number_cell(json, "mfu", (double)trial->mfu_ppm * 1e-6);
    json_add_u64(json, "memory_bytes", rated->plan.memory_bytes);
    add_number_cell(json, "bubble_us", (double)trial->bubble_ps * 1e-6);
    add_number_cell(json, "bound_us", (double)rated->bound_ps * 1e-6);
    add_number_cell(json, "estimate_us", (double)rated->estimate_ps * 1e-6);
    json_add_texts(json, "settings", (const char *const *)lines);
    json_end_object(json);
}

GString *plans_json(const PlanSearch *search)
{
    GString *out = g_string_new(NULL);
    Json json = { .out = out };

    json_begin_object(&json, NULL);
    json_add_u64(&json, "plans_valid", search->n_valid);
    json_add_u64(&json, "plans_that_fit", search->n_fit);
    json_add_u64(&json, "memory_limit_bytes", search->memory_bytes);
    json_add_u64(&json, "sample_runs", search->n_samples);
    json_add_u64(&json, "plan_runs", search->trials.trials->len);
    json_add_u64(&json, "left_out_by_bound", search->n_by_bound);
    json_add_u64(&json, "left_out_by_estimate", search->n_by_estimate);
    json_add_u64(&json, "left_out_by_limit", search->n_by_limit);
    json_add_bool(&json, "is_complete", search->interrupted == NULL);
    if (search->of_file && search->of_file->trial &&
        search->of_file->trial->time_ps > 0)
        add_number_cell(&json, "file_iteration_time_us",
                        (double)search->of_file->trial->time_ps * 1e-6);
    json_begin_array(&json, "best");
    for (guint i = 0; i < search->best->len; i++)
        add_json_plan(find_fastest_plan(search, i), &json);
    json_end_array(&json);
    json_end_object(&json);
    g_string_append_c(out, '\n');
    return out;
}
