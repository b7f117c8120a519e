/* step_study.c - measured and simulated training steps; see step_study.h */
#include "validate/llm/step_study.h"

#include <math.h>

#include "validate/deviation.h"
#include "validate/llm/step_constants.h"
#include "validate/llm/step_runs.h"
#include "validate/text_table.h"

static const char *const sets[] = {
    "vtrain-single", "vtrain-multi",    "korthikanti",
    "mlperf",        "megatron-bridge", "llama3",
};

static const StepResult *step_result_at_index(const StepStudy *study, guint i)
{
    return &g_array_index(study->results, StepResult, i);
}

/* ---- simulation ---------------------------------------------------------- */

/* Returns the unit that the constants of @row were fitted without: "" for a
 * table that nothing was fitted to. */
static const char *fit_unit_without_row(const StepRow *row)
{
    return g_str_equal(row->set, "korthikanti") ||
                   g_str_equal(row->set, "llama3")
               ? ""
               : step_row_fit_unit(row);
}

static gboolean simulate_step_rows(const Simulator *simulator, const char *name,
                                   StepStudy *study, GError **error)
{
    g_autoptr(CsvTable) constants = step_constants_load(error);
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(StepRun));
    g_autofree double *ms = g_new0(double, study->results->len);
    g_autofree char *file = g_strconcat(name, "/steps", NULL);

    for (guint i = 0; constants && i < study->results->len; i++) {
        StepRun run = { .row = step_result_at_index(study, i)->row };
        char *text = step_constants_yaml(constants, run.row,
                                         fit_unit_without_row(run.row), error);

        if (!text)
            return FALSE;
        g_ptr_array_add(texts, text);
        run.constants = text;
        g_array_append_val(runs, run);
    }
    if (!constants || !step_runs_simulate_all(simulator, file, runs, ms, error))
        return FALSE;
    for (guint i = 0; i < study->results->len; i++) {
        StepResult *result = &g_array_index(study->results, StepResult, i);

        result->simulated_ms = ms[i];
        result->error_percent =
            compare_deviation_percent(ms[i], result->row->step_ms);
    }
    return TRUE;
}

/* ---- the trivial predictor ----------------------------------------------- */

/* Returns the logarithm of the share of the peak that the row reached. */
static double log_of_peak_share(const StepRow *row)
{
    return log(step_row_model_flop(row) / (row->step_ms / 1000 * row->n_npus *
                                           step_row_peak_flop_per_s(row)));
}

static gboolean row_predicts_other_row(const StepRow *other, const StepRow *row)
{
    return g_str_equal(step_row_model_family(other),
                       step_row_model_family(row)) &&
           g_str_equal(other->precision, row->precision) &&
           *fit_unit_without_row(other) != '\0' &&
           !g_str_equal(step_row_fit_unit(other), step_row_fit_unit(row));
}

static double trivial_predictor_error(const StepStudy *study,
                                      const StepRow *row)
{
    double sum = 0;
    guint n = 0;

    for (guint i = 0; i < study->results->len; i++) {
        const StepRow *other = step_result_at_index(study, i)->row;

        if (!row_predicts_other_row(other, row))
            continue;
        sum += log_of_peak_share(other);
        n++;
    }
    return n > 0 ? 100 * (exp(log_of_peak_share(row) - sum / n) - 1) : NAN;
}

/* ---- the study ----------------------------------------------------------- */

static gboolean add_step_rows_of_table(StepStudy *study, const char *set,
                                       GError **error)
{
    GArray *rows = step_rows_load(set, error);

    if (!rows)
        return FALSE;
    g_ptr_array_add(study->tables, rows);
    for (guint i = 0; i < rows->len; i++) {
        StepResult result = { .row = step_row_at(rows, i) };

        if (*result.row->left_out == '\0')
            g_array_append_val(study->results, result);
        else
            g_array_append_val(study->left_out, result.row);
    }
    return TRUE;
}

StepStudy *step_study_run(const Simulator *simulator, const char *name,
                          GError **error)
{
    g_autoptr(StepStudy) study = g_new0(StepStudy, 1);

    study->tables =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    study->results = g_array_new(FALSE, FALSE, sizeof(StepResult));
    study->left_out = g_array_new(FALSE, FALSE, sizeof(const StepRow *));
    for (guint i = 0; i < G_N_ELEMENTS(sets); i++)
        if (!add_step_rows_of_table(study, sets[i], error))
            return NULL;
    if (!simulate_step_rows(simulator, name, study, error))
        return NULL;
    for (guint i = 0; i < study->results->len; i++) {
        StepResult *result = &g_array_index(study->results, StepResult, i);

        result->trivial_percent = trivial_predictor_error(study, result->row);
    }
    return g_steal_pointer(&study);
}

void step_study_free(StepStudy *study)
{
    if (!study)
        return;
    g_array_unref(study->results);
    g_array_unref(study->left_out);
    g_ptr_array_unref(study->tables);
    g_free(study);
}

/* ---- errors -------------------------------------------------------------- */

static gboolean text_matches_filter(const char *wanted, const char *text)
{
    return !wanted || g_str_equal(wanted, text);
}

gboolean step_filter_has_row(const StepFilter *filter, const StepRow *row)
{
    return text_matches_filter(filter->set, row->set) &&
           text_matches_filter(filter->family, step_row_model_family(row)) &&
           text_matches_filter(filter->npu, row->npu) &&
           text_matches_filter(filter->model, row->model) &&
           (!filter->precision ||
            g_str_has_prefix(row->precision, filter->precision)) &&
           (!filter->not_precision ||
            !g_str_has_prefix(row->precision, filter->not_precision));
}

StepErrors step_study_errors(const StepStudy *study, const StepFilter *filter)
{
    StepErrors ret = { 0 };
    guint n_trivial = 0;

    for (guint i = 0; i < study->results->len; i++) {
        const StepResult *result = step_result_at_index(study, i);
        double percent = fabs(result->error_percent);
        double trivial = fabs(result->trivial_percent);

        if (!step_filter_has_row(filter, result->row))
            continue;
        ret.n++;
        ret.mean_percent += (percent - ret.mean_percent) / ret.n;
        ret.worst_percent = MAX(ret.worst_percent, percent);
        if (isnan(trivial))
            continue;
        n_trivial++;
        ret.trivial_mean_percent +=
            (trivial - ret.trivial_mean_percent) / n_trivial;
        ret.trivial_worst_percent = MAX(ret.trivial_worst_percent, trivial);
    }
    return ret;
}

/* ---- tables -------------------------------------------------------------- */

static void add_row_of_mean_errors(const StepStudy *study, TextTable *table,
                                   const char *set, const char *unit,
                                   const StepFilter *filter)
{
    StepErrors errors = step_study_errors(study, filter);

    if (errors.n > 0)
        text_table_add_row(table, "%s\t%s\t%u\t%.1f\t%.1f\t%.1f\t%.1f", set,
                           unit, errors.n, errors.mean_percent,
                           errors.worst_percent, errors.trivial_mean_percent,
                           errors.trivial_worst_percent);
}

static void render_error_table(const StepStudy *study, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("llrrrrr");

    text_table_add_row(table, "table\tunit left out\trows\tmean %%\tworst "
                              "%%\ttrivial mean\tworst");
    for (guint s = 0; s < G_N_ELEMENTS(sets); s++) {
        g_autoptr(GHashTable) seen =
            g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

        for (guint i = 0; i < study->results->len; i++) {
            const StepRow *row = step_result_at_index(study, i)->row;
            char *unit = g_strdup_printf("%s on %s", row->model, row->npu);
            StepFilter filter = { .set = sets[s],
                                  .model = row->model,
                                  .npu = row->npu };

            if (!g_str_equal(row->set, sets[s]) ||
                !g_hash_table_add(seen, unit)) {
                if (!g_str_equal(row->set, sets[s]))
                    g_free(unit);
                continue;
            }
            add_row_of_mean_errors(study, table, sets[s], unit, &filter);
        }
        add_row_of_mean_errors(study, table, sets[s], "all",
                               &(StepFilter){ .set = sets[s] });
    }
    text_table_render(table, out);
}

static void render_row_table(const StepStudy *study, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lllrlrrrrl");

    text_table_add_row(table, "table\tmodel\tGPU\tGPUs\tprecision\tmeasured "
                              "ms\tsimulated\terror %%\ttrivial\tsource");
    for (guint i = 0; i < study->results->len; i++) {
        const StepResult *result = step_result_at_index(study, i);
        const StepRow *row = result->row;

        if (!g_str_equal(row->set, "vtrain-single"))
            text_table_add_row(
                table, "%s\t%s\t%s\t%u\t%s\t%.0f\t%.0f\t%.1f\t%.1f\t%s",
                row->set, row->model, row->npu, row->n_npus, row->precision,
                row->step_ms, result->simulated_ms, result->error_percent,
                result->trivial_percent, row->source);
    }
    text_table_render(table, out);
}

static void render_held_out_table(const StepStudy *study, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lllrl");

    text_table_add_row(table, "left out\tmodel\tGPU\tGPUs\twhy");
    for (guint i = 0; i < study->left_out->len; i++) {
        const StepRow *row = g_array_index(study->left_out, StepRow *, i);

        text_table_add_row(table, "%s\t%s\t%s\t%u\t%s", row->set, row->model,
                           row->npu, row->n_npus, row->left_out);
    }
    text_table_render(table, out);
}

void step_study_render(const StepStudy *study, GString *out)
{
    render_error_table(study, out);
    g_string_append_c(out, '\n');
    render_row_table(study, out);
    g_string_append_c(out, '\n');
    render_held_out_table(study, out);
}

char *step_study_csv(const StepStudy *study)
{
    GString *out = g_string_new(
        "set,model,npu,gpus,precision,tp,cp,pp,chunks,micro_batch,"
        "global_batch,measured_ms,simulated_ms,error_percent,trivial_percent,"
        "source\n");

    for (guint i = 0; i < study->results->len; i++) {
        const StepResult *result = step_result_at_index(study, i);
        const StepRow *row = result->row;

        g_string_append_printf(
            out, "%s,%s,%s,%u,%s,%u,%u,%u,%u,%u,%u,%.3f,%.3f,%.2f,%.2f,%s\n",
            row->set, row->model, row->npu, row->n_npus, row->precision,
            row->tp, row->cp, row->pp, row->n_chunks, row->micro_batch,
            row->global_batch, row->step_ms, result->simulated_ms,
            result->error_percent, result->trivial_percent, row->source);
    }
    return g_string_free(out, FALSE);
}
