/* npu_fit.c - fits the parameters of an NPU to kernels measured on a GPU */
#include "validate/fit/npu_fit.h"

#include <math.h>
#include <string.h>

#include "validate/fit/pattern_search.h"

#define PS_PER_US 1e6
#define MIN_STEP  1e-4
/* Relative error above which the penalty grows linearly, not quadratically
 * (assumed). */
#define LINEAR_FROM 0.05
/* Cost factor: a value that is one spread from the usual one costs as much as
 * an error of this size. */
#define PULL_PER_SPREAD 0.005

/* ---- conversion of measured rows to kernels ------------------------------ */

static gboolean read_kernel_of_row(const KernelRow *row, NpuRow *ret,
                                   GError **error)
{
    static const ConfigField fields[] = {
        { .key = "kernel",
          .help = "of a row",
          .type = CONFIG_KIND,
          .registry = &kernel_registry },
        CONFIG_END,
    };
    g_autofree char *text = g_strdup_printf("kernel: %s\n", row->yaml);
    g_autofree char *name = g_strdup_printf("%s of %s", row->family, row->npu);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(name, text, strlen(text), error);
    ConfigVariant kernel;

    if (!doc || !config_doc_read(doc, fields, &kernel, error) ||
        !kernel_check(&kernel, error))
        return FALSE;
    *ret = (NpuRow){ .row = row, .n_sms = kernel_common(&kernel)->n_sms };
    kernel_list_works(&kernel, ret->works);
    return TRUE;
}

GArray *npu_rows_new(const GArray *rows, const char *npu, const char *like,
                     GError **error)
{
    g_autoptr(GArray) ret = g_array_new(FALSE, FALSE, sizeof(NpuRow));

    for (guint i = 0; i < rows->len; i++) {
        const KernelRow *row = kernel_rows_at(rows, i);
        NpuRow one;

        if (!g_str_equal(row->npu, npu) &&
            (row->is_own || !g_str_equal(row->npu, like)))
            continue;
        if (!read_kernel_of_row(row, &one, error))
            return NULL;
        g_array_append_val(ret, one);
    }
    return g_steal_pointer(&ret);
}

static const NpuRow *npu_fit_row_at(const GArray *rows, guint i)
{
    return &g_array_index(rows, NpuRow, i);
}

double npu_row_modelled_us(const NpuConfig *npu, const NpuRow *row)
{
    uint64_t n_sms = row->n_sms > 0 ? row->n_sms : npu->n_sms;
    SimTime ps =
        compute_times_on_whole_hbm(npu, &row->works[0], n_sms).total_ps;

    for (guint i = 1; i < KERNEL_MAX_WORKS; i++)
        if (row->works[i].flop > 0 || row->works[i].bytes > 0)
            ps = sim_time_add(
                ps, compute_times_on_whole_hbm(npu, &row->works[i], n_sms)
                        .total_ps);
    return (double)ps / 1e6;
}

gboolean npu_fit_range_contains_row(NpuRange range, const NpuRow *row)
{
    const OpWork *work = &row->works[0];

    return range.most_in_flight_ppm <= 0 ||
           (double)work->in_flight_bytes <=
               range.most_in_flight_ppm / 1e6 * (double)work->bytes;
}

static gboolean is_training_row_of_stage(const NpuStage *stage, NpuRange range,
                                         const NpuRow *row)
{
    return !row->row->is_held_out && npu_fit_range_contains_row(range, row) &&
           npu_stage_has_family(stage, row->row->family);
}

static guint count_training_rows(const GArray *rows, const NpuStage *stage,
                                 NpuRange range)
{
    guint n = 0;

    for (guint i = 0; i < rows->len; i++)
        n += is_training_row_of_stage(stage, range, npu_fit_row_at(rows, i))
                 ? 1
                 : 0;
    return n;
}

/* Returns whether @rows have what @param needs. */
static gboolean parameter_can_be_fitted_to_rows(const GArray *rows,
                                                const NpuParam *param)
{
    const char *needs = npu_family_that_param_needs(param);

    if (!needs)
        return TRUE;
    for (guint i = 0; i < rows->len; i++) {
        const KernelRow *row = npu_fit_row_at(rows, i)->row;

        if (!row->is_held_out && g_str_equal(row->family, needs))
            return TRUE;
    }
    return FALSE;
}

const NpuStage *npu_fit_stage_of_key(const GArray *rows, const char *key,
                                     guint *ret_n_rows)
{
    const NpuRange all = { 0 };

    for (const NpuStage *stage = npu_stages; stage->name; stage++)
        for (const NpuParam *param = stage->params; param->key; param++)
            if (g_str_equal(param->key, key) &&
                parameter_can_be_fitted_to_rows(rows, param) &&
                (*ret_n_rows = count_training_rows(rows, stage, all)) > 0)
                return stage;
    return NULL;
}

/* ---- fit of NPU parameters by numeric search ----------------------------- */

typedef struct {
    /* The training rows of the stage, which another object owns. */
    const GArray *rows;
    NpuParam params[SEARCH_MAX_VARIABLES];
    guint n_params;
    NpuConfig *npu; /* Another object owns this memory. */
} Fit;

static double parameter_value_from_unit_interval(const NpuParam *param,
                                                 double x)
{
    return param->is_log ? param->low * pow(param->high / param->low, x)
                         : param->low + (param->high - param->low) * x;
}

static double parameter_value_to_unit_interval(const NpuParam *param,
                                               double value)
{
    return param->is_log
               ? log(value / param->low) / log(param->high / param->low)
               : (value - param->low) / (param->high - param->low);
}

/* Rounds to the precision of the rows, so that the values are readable: 0.1 ns
 * and 0.01 %. */
static uint64_t round_to_fitted_digits(const NpuParam *param, double value)
{
    size_t offset;
    ConfigType type = npu_field_at_path(param->key, &offset)->type;
    double grain = type == CONFIG_TIME || type == CONFIG_FRACTION ? 100 : 1;

    return (uint64_t)(llround(value / grain) * (long long)grain);
}

/* Returns the cost of a value that differs from the usual one. */
static double cost_of_deviation_from_usual(const NpuParam *param, double value)
{
    double off =
        param->is_log ? log(value / param->usual) : value - param->usual;
    double cost = PULL_PER_SPREAD * off / param->spread;

    return param->spread > 0 ? cost * cost : 0;
}

/* Returns the Huber penalty of a relative error.  It is quadratic for small
 * errors, which are noise, and linear beyond, so that a few bad rows do not
 * dominate the others. */
static double penalty_outside_unit_interval(double off)
{
    double far = fabs(off);

    return far <= LINEAR_FROM ? off * off
                              : LINEAR_FROM * (2 * far - LINEAR_FROM);
}

/* Sets the parameters to @x and returns what the search minimises. */
static double evaluate_parameters(gpointer self, const double *x)
{
    const Fit *fit = self;
    double sum = 0, pulls = 0;

    for (guint i = 0; i < fit->n_params; i++) {
        double value =
            parameter_value_from_unit_interval(&fit->params[i], x[i]);

        set_npu_field_at_path(fit->npu, fit->params[i].key,
                              round_to_fitted_digits(&fit->params[i], value));
        pulls += cost_of_deviation_from_usual(&fit->params[i], value);
    }
    for (guint i = 0; i < fit->rows->len; i++) {
        const NpuRow *row = npu_fit_row_at(fit->rows, i);

        sum += penalty_outside_unit_interval(
            log(npu_row_modelled_us(fit->npu, row) / row->row->time_us));
    }
    return sum / fit->rows->len + pulls;
}

/* Returns @param with the upper bound that @training rows imply: an overhead
 * that each kernel has is at most the shortest row without its launch. */
static NpuParam limit_parameter_interval_by_rows(const NpuParam *param,
                                                 const GArray *training,
                                                 const NpuConfig *npu)
{
    NpuParam ret = *param;

    if (!g_str_has_suffix(param->key, ".overhead"))
        return ret;
    for (guint i = 0; i < training->len; i++) {
        double ps = npu_fit_row_at(training, i)->row->time_us * PS_PER_US -
                    (double)npu->launch_ps;

        ret.high = MIN(ret.high, MAX(ps, 1));
    }
    ret.usual = MIN(ret.usual, ret.high);
    return ret;
}

static void fit_parameters_of_stage(const GArray *rows, const NpuStage *stage,
                                    NpuRange range, GHashTable *done,
                                    NpuConfig *npu)
{
    g_autoptr(GArray) training = g_array_new(FALSE, FALSE, sizeof(NpuRow));
    Fit fit = { .rows = training, .npu = npu };
    double x[SEARCH_MAX_VARIABLES];

    for (guint i = 0; i < rows->len; i++)
        if (is_training_row_of_stage(stage, range, npu_fit_row_at(rows, i)))
            g_array_append_val(training, *npu_fit_row_at(rows, i));
    if (training->len == 0)
        return;
    for (const NpuParam *npu_param = stage->params; npu_param->key; npu_param++)
        if (parameter_can_be_fitted_to_rows(rows, npu_param) &&
            g_hash_table_add(done, (gpointer)npu_param->key)) {
            NpuParam param =
                limit_parameter_interval_by_rows(npu_param, training, npu);

            g_assert(fit.n_params < SEARCH_MAX_VARIABLES);
            x[fit.n_params] =
                parameter_value_to_unit_interval(&param, param.usual);
            fit.params[fit.n_params++] = param;
        }
    if (fit.n_params == 0)
        return;
    search_minimum(evaluate_parameters, &fit, x, fit.n_params, MIN_STEP);
    evaluate_parameters(&fit, x);
}

void npu_fit(const GArray *rows, NpuRange range, NpuConfig *npu)
{
    g_autoptr(GHashTable) done = g_hash_table_new(g_str_hash, g_str_equal);

    for (const NpuStage *stage = npu_stages; stage->name; stage++)
        fit_parameters_of_stage(rows, stage, range, done, npu);
}

gboolean npu_fit_rows_depend_on(const GArray *rows, const NpuStage *stage,
                                const NpuConfig *npu, const NpuParam *param)
{
    const NpuRange all = { 0 };
    NpuConfig low = *npu, high = *npu;

    set_npu_field_at_path(&low, param->key,
                          round_to_fitted_digits(param, param->low));
    set_npu_field_at_path(&high, param->key,
                          round_to_fitted_digits(param, param->high));
    for (guint i = 0; i < rows->len; i++) {
        const NpuRow *row = npu_fit_row_at(rows, i);
        double us = npu_row_modelled_us(npu, row);

        if (is_training_row_of_stage(stage, all, row) &&
            (npu_row_modelled_us(&low, row) != us ||
             npu_row_modelled_us(&high, row) != us))
            return TRUE;
    }
    return FALSE;
}

/* ---- errors of a fitted NPU ---------------------------------------------- */

static gint compare_by_value(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static gboolean row_is_selected(const NpuRow *row, const char *family,
                                NpuRange range, gboolean is_held_out)
{
    if (family && !g_str_equal(row->row->family, family))
        return FALSE;
    if (range.most_in_flight_ppm <= 0)
        return row->row->is_held_out == is_held_out;
    return !row->row->is_held_out && !row->row->is_own &&
           npu_stage_has_family(&npu_stages[0], row->row->family) &&
           npu_fit_range_contains_row(range, row) != is_held_out;
}

NpuScore npu_fit_score(const GArray *rows, const NpuConfig *npu,
                       const char *family, NpuRange range, gboolean is_held_out)
{
    g_autoptr(GArray) errors = g_array_new(FALSE, FALSE, sizeof(double));
    NpuScore score = { 0 };

    for (guint i = 0; i < rows->len; i++) {
        const NpuRow *row = npu_fit_row_at(rows, i);
        double error;

        if (!row_is_selected(row, family, range, is_held_out))
            continue;
        error =
            fabs(npu_row_modelled_us(npu, row) / row->row->time_us - 1) * 100;
        g_array_append_val(errors, error);
        score.mean_percent += error;
    }
    score.n = errors->len;
    if (score.n == 0)
        return score;
    g_array_sort(errors, compare_by_value);
    score.mean_percent /= score.n;
    score.median_percent = g_array_index(errors, double, score.n / 2);
    score.worst_percent = g_array_index(errors, double, score.n - 1);
    return score;
}
