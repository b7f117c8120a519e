/* training_step_fit.c - fits constants of training steps; see
 * training_step_fit.h */
#include "validate/fit/training_step_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate/llm/step_runs.h"

#define MAX_PARAMS 8
#define DELTA      .05 /* of a logarithm, for differences */
#define SOFT       .05 /* errors below count by their square */
#define STIFFNESS  .01 /* cost of leaving the start */
#define LONGEST    .3  /* step of a logarithm */

typedef struct {
    const char *key;
    const char *set;    /* the table to which it is limited; "": all */
    double start, high; /* .high 0: no bound */
    const char *unit;   /* "%", "us" */
    gboolean adds;      /* it is a fixed time of the step, in us */
    /* The precision of the only rows that depend on it; NULL: any.  Such
     * parameters are varied together. */
    const char *precision;
} StepParam;

typedef struct {
    const char *name;
    const char *sets[4];
    guint strides[4];    /* every so many rows of each set are fitted to */
    const char *fixed;   /* constants that are not fitted, as YAML */
    const char *npus[5]; /* end with NULL */
    StepParam params[MAX_PARAMS]; /* end with a key of NULL */
} StepFamily;

#define LANGUAGE "platform.npu.language."

static const StepFamily families[] = {
    { .name = "a100",
      .sets = { "vtrain-single", "vtrain-multi" },
      .strides = { 13, 3 },
      .fixed = ", workload.host.synchronises: true",
      .npus = { "a100-80gb" },
      .params = { { LANGUAGE "bf16.efficiency", "", 83, 100, "%", FALSE, NULL },
                  { LANGUAGE "elementwise", "", 55, 100, "%", FALSE, NULL },
                  { LANGUAGE "bf16.unaligned", "", 50, 100, "%", FALSE, NULL },
                  { "workload.elementwise", "vtrain-single", 176, 0, "%", FALSE,
                    NULL },
                  { "workload.host.forward", "", 1200, 0, "us", FALSE, NULL },
                  { "workload.host.backward", "", 2000, 0, "us", FALSE, NULL },
                  { "workload.host.step", "", 9500, 0, "us", TRUE, NULL } } },
    { .name = "hopper",
      .sets = { "mlperf", "megatron-bridge" },
      .strides = { 1, 1 },
      .fixed = "",
      .npus = { "h100-sxm", "h200" },
      .params = { { LANGUAGE "fp8.efficiency", "", 78, 100, "%", FALSE, NULL },
                  { "workload.host.step", "", 100000, 0, "us", TRUE, NULL } } },
    { .name = "blackwell",
      .sets = { "mlperf", "megatron-bridge" },
      .strides = { 1, 1 },
      .fixed = "",
      .npus = { "b200", "b300", "gb200", "gb300" },
      .params = { { LANGUAGE "fp8.efficiency", "", 80, 100, "%", FALSE, "fp8" },
                  { LANGUAGE "mxfp8.efficiency", "", 80, 100, "%", FALSE,
                    "mxfp8" },
                  { LANGUAGE "nvfp4.efficiency", "", 80, 100, "%", FALSE,
                    "nvfp4" },
                  { "workload.host.step", "", 100000, 0, "us", TRUE, NULL } } },
};

typedef struct {
    const Simulator *simulator;
    const StepFamily *family;
    GArray *rows[4];  /* owned: of StepRow */
    GPtrArray *train; /* of StepRow, borrowed from the above */
    guint n;          /* parameters */
    double x[MAX_PARAMS];
    double *base;   /* owned: log(simulated / measured) of .train */
    double *slopes; /* owned: by parameter and row */
    guint n_runs;   /* sweeps, which are numbered */
} StepFit;

static void step_fit_clear(StepFit *fit)
{
    for (guint i = 0; i < 4; i++)
        if (fit->rows[i])
            g_array_unref(fit->rows[i]);
    g_ptr_array_unref(fit->train);
    g_free(fit->base);
    g_free(fit->slopes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(StepFit, step_fit_clear)

/* ---- rows ---------------------------------------------------------------- */

/* Returns whether @a and @b differ in no more than their size, so that one of
 * them predicts the other. */
static gboolean step_rows_differ_only_in_size(const StepRow *a,
                                              const StepRow *b)
{
    return a->set == b->set && g_str_equal(a->model, b->model) &&
           g_str_equal(a->npu, b->npu) &&
           g_str_equal(a->precision, b->precision) && a->tp == b->tp &&
           a->pp == b->pp && a->cp == b->cp && a->n_chunks == b->n_chunks &&
           a->micro_batch == b->micro_batch;
}

/* Adds @row.  Of the rows of large machines that differ only in their size, the
 * one with the fewest GPUs is kept, because it takes the least time to
 * simulate. */
static void add_row_or_replace_larger(StepFit *fit, const StepRow *row)
{
    gboolean is_small = g_str_equal(fit->family->name, "a100");

    for (guint i = 0; i < fit->train->len && !is_small; i++) {
        const StepRow *other = fit->train->pdata[i];

        if (!step_rows_differ_only_in_size(row, other))
            continue;
        if (row->n_npus < other->n_npus)
            fit->train->pdata[i] = (gpointer)row;
        return;
    }
    g_ptr_array_add(fit->train, (gpointer)row);
}

static gboolean load_rows_of_family(StepFit *fit, GError **error)
{
    const StepFamily *family = fit->family;

    for (guint s = 0; family->sets[s]; s++) {
        guint n_kept = 0;

        fit->rows[s] = step_rows_load(family->sets[s], error);
        if (!fit->rows[s])
            return FALSE;
        for (guint i = 0; i < fit->rows[s]->len; i++) {
            const StepRow *row = step_row_at(fit->rows[s], i);

            if (*row->left_out != '\0' ||
                !g_str_equal(step_row_model_family(row), family->name) ||
                g_str_has_suffix(row->precision, "16") !=
                    g_str_equal(family->name, "a100"))
                continue;
            if (n_kept++ % family->strides[s] > 0)
                continue;
            add_row_or_replace_larger(fit, row);
        }
    }
    return TRUE;
}

/* ---- simulation ---------------------------------------------------------- */

/* Returns the keys and values of @x for @row. */
static char *yaml_of_parameters(const StepFamily *family, const StepRow *row,
                                const double *x)
{
    GString *out = g_string_new(family->fixed);

    for (guint p = 0; family->params[p].key; p++) {
        const StepParam *param = &family->params[p];

        if (*param->set == '\0' || g_str_equal(param->set, row->set))
            g_string_append_printf(out, ", %s: %.4f %s", param->key, exp(x[p]),
                                   param->unit);
    }
    return g_string_free(out, FALSE);
}

static gboolean simulate_step_times(StepFit *fit, const double *x, double *ret,
                                    GError **error)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(StepRun));
    g_autofree char *name =
        g_strdup_printf("%s-%u", fit->family->name, fit->n_runs++);

    for (guint i = 0; i < fit->train->len; i++) {
        StepRun run = { .row = fit->train->pdata[i] };
        char *text = yaml_of_parameters(fit->family, run.row, x);

        g_ptr_array_add(texts, text);
        run.constants = text;
        g_array_append_val(runs, run);
    }
    if (!step_runs_simulate_all(fit->simulator, name, runs, ret, error))
        return FALSE;
    for (guint i = 0; i < fit->train->len; i++)
        ret[i] = log(ret[i] / ((const StepRow *)fit->train->pdata[i])->step_ms);
    return TRUE;
}

/* Returns the slope of a fixed time in us: it adds to the step. */
static double slope_of_time_by_parameter(const StepFit *fit, guint p, guint i)
{
    const StepRow *row = fit->train->pdata[i];

    return exp(fit->x[p]) / 1000 / (row->step_ms * exp(fit->base[i]));
}

/* Returns whether @q varies when @p does. */
static gboolean parameters_always_vary_together(const StepFit *fit, guint q,
                                                guint p)
{
    const StepParam *params = fit->family->params;

    return q == p || (params[q].precision && params[p].precision);
}

/* Returns the first parameter that varies when @p does. */
static guint first_parameter_varying_with(const StepFit *fit, guint p)
{
    guint q = 0;

    while (!parameters_always_vary_together(fit, q, p))
        q++;
    return q;
}

/* Sets the slopes of @p, with those of parameters that vary with it. */
static gboolean find_slopes_by_difference(StepFit *fit, guint p, GError **error)
{
    guint n = fit->train->len;
    double *slopes = fit->slopes + (gsize)p * n;
    double x[MAX_PARAMS];

    for (guint q = 0; q < fit->n; q++)
        x[q] = fit->x[q] -
               (parameters_always_vary_together(fit, q, p) ? DELTA : 0);
    if (!simulate_step_times(fit, x, slopes, error))
        return FALSE;
    for (guint i = 0; i < n; i++)
        slopes[i] = (fit->base[i] - slopes[i]) / DELTA;
    return TRUE;
}

static gboolean find_slopes_of_parameters(StepFit *fit, GError **error)
{
    guint n = fit->train->len;

    if (!simulate_step_times(fit, fit->x, fit->base, error))
        return FALSE;
    for (guint p = 0; p < fit->n; p++) {
        double *slopes = fit->slopes + (gsize)p * n;
        guint first = first_parameter_varying_with(fit, p);

        if (fit->family->params[p].adds)
            for (guint i = 0; i < n; i++)
                slopes[i] = slope_of_time_by_parameter(fit, p, i);
        else if (first < p)
            memcpy(slopes, fit->slopes + (gsize)first * n, n * sizeof *slopes);
        else if (!find_slopes_by_difference(fit, p, error))
            return FALSE;
    }
    for (guint p = 0; p < fit->n; p++)
        for (guint i = 0; i < n && fit->family->params[p].precision; i++)
            if (!g_str_equal(((const StepRow *)fit->train->pdata[i])->precision,
                             fit->family->params[p].precision))
                fit->slopes[(gsize)p * n + i] = 0;
    return TRUE;
}

/* ---- the step ------------------------------------------------------------ */

/* Solves A s = b by elimination with pivots; @a and @b are overwritten. */
static void solve_linear_equations(double a[MAX_PARAMS][MAX_PARAMS], double *b,
                                   guint n)
{
    for (guint i = 0; i < n; i++) {
        guint best = i;

        for (guint j = i + 1; j < n; j++)
            if (fabs(a[j][i]) > fabs(a[best][i]))
                best = j;
        for (guint k = 0; k < n; k++) {
            double t = a[i][k];

            a[i][k] = a[best][k];
            a[best][k] = t;
        }
        {
            double t = b[i];

            b[i] = b[best];
            b[best] = t;
        }
        for (guint j = 0; j < n; j++) {
            double f = j == i ? 0 : a[j][i] / a[i][i];

            for (guint k = 0; k < n; k++)
                a[j][k] -= f * a[i][k];
            b[j] -= f * b[i];
        }
    }
    for (guint i = 0; i < n; i++)
        b[i] /= a[i][i];
}

/* Sets @ret to the parameters after a step on the rows of all units but
 * @left_out. */
static void gauss_newton_step_without_unit(const StepFit *fit,
                                           const char *left_out, double *ret)
{
    double a[MAX_PARAMS][MAX_PARAMS] = { { 0 } }, b[MAX_PARAMS] = { 0 };
    guint n = fit->train->len, n_used = 0;

    for (guint i = 0; i < n; i++) {
        double weight = 1 / MAX(fabs(fit->base[i]), SOFT);

        if (g_str_equal(step_row_fit_unit(fit->train->pdata[i]), left_out))
            continue;
        n_used++;
        for (guint p = 0; p < fit->n; p++) {
            double slope = fit->slopes[(gsize)p * n + i];

            b[p] -= weight * slope * fit->base[i];
            for (guint q = 0; q < fit->n; q++)
                a[p][q] += weight * slope * fit->slopes[(gsize)q * n + i];
        }
    }
    for (guint p = 0; p < fit->n; p++)
        a[p][p] += STIFFNESS * MAX(n_used, 1) / SOFT;
    solve_linear_equations(a, b, fit->n);
    for (guint p = 0; p < fit->n; p++) {
        double high = fit->family->params[p].high;

        ret[p] = fit->x[p] + CLAMP(b[p], -LONGEST, LONGEST);
        if (high > 0)
            ret[p] = MIN(ret[p], log(high));
    }
}

/* ---- results ------------------------------------------------------------- */

static void append_fitted_constants(GString *csv, const StepFamily *family,
                                    const char *left_out, const double *x)
{
    if (*family->fixed != '\0') {
        g_auto(GStrv) words = g_strsplit(family->fixed + 2, ": ", 2);

        g_string_append_printf(csv, "%s,,%s,%s,%s\n", family->name, left_out,
                               words[0], words[1]);
    }
    for (guint p = 0; family->params[p].key; p++)
        g_string_append_printf(
            csv, "%s,%s,%s,%s,%.2f %s\n", family->name, family->params[p].set,
            left_out, family->params[p].key, exp(x[p]), family->params[p].unit);
}

static void append_constants_of_held_out_units(const StepFit *fit, GString *csv)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    double x[MAX_PARAMS];

    gauss_newton_step_without_unit(fit, "", x);
    append_fitted_constants(csv, fit->family, "", x);
    for (guint i = 0; i < fit->train->len; i++) {
        const char *unit = step_row_fit_unit(fit->train->pdata[i]);

        if (!g_hash_table_add(seen, (gpointer)unit))
            continue;
        gauss_newton_step_without_unit(fit, unit, x);
        append_fitted_constants(csv, fit->family, unit, x);
    }
}

static void append_errors_of_fit(const StepFit *fit, GString *out)
{
    double mean = 0, worst = 0;

    for (guint i = 0; i < fit->train->len; i++) {
        double error = fabs(exp(fit->base[i]) - 1);

        mean += error / fit->train->len;
        worst = MAX(worst, error);
    }
    g_string_append_printf(
        out,
        "steps of %s: %u rows fitted to, errors %.1f %% mean, %.1f worst\n",
        fit->family->name, fit->train->len, 100 * mean, 100 * worst);
}

/* Replaces the value of each fitted key in the text of an NPU's file.  A key of
 * a section follows the section's line. */
static char *npu_text_with_values(const StepFit *fit, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autofree char *section = g_strdup("");

    for (guint i = 0; lines[i]; i++) {
        g_autofree char *key = NULL;
        gsize n = strcspn(lines[i], ":#");

        if (lines[i][n] != ':')
            continue;
        key = g_strstrip(g_strndup(lines[i], n));
        if (lines[i][0] != ' ' && lines[i][n + 1] == '\0') {
            g_free(section);
            section = g_strconcat(key, ".", NULL);
            continue;
        }
        for (guint p = 0; p < fit->n; p++) {
            const StepParam *param = &fit->family->params[p];
            g_autofree char *path = g_strconcat(
                LANGUAGE, lines[i][0] == ' ' ? section : "", key, NULL);

            if (!g_str_equal(path, param->key))
                continue;
            g_free(lines[i]);
            lines[i] = g_strdup_printf(
                "%s%s: %.2f %%  # fitted to %u training steps%s",
                strchr(path + strlen(LANGUAGE), '.') ? "  " : "", key,
                exp(fit->x[p]), fit->train->len,
                exp(fit->x[p]) > 99.99 ? "; at its bound: the peak" : "");
        }
    }
    return g_strjoinv("\n", lines);
}

static gboolean write_npu_files(const StepFit *fit, const char *folder,
                                GError **error)
{
    for (guint i = 0; fit->family->npus[i]; i++) {
        g_autofree char *path = g_strdup_printf("%s/language/%s.yaml", folder,
                                                fit->family->npus[i]);
        g_autofree char *text = NULL, *changed = NULL;

        if (!g_file_get_contents(path, &text, NULL, error))
            return FALSE;
        changed = npu_text_with_values(fit, text);
        if (!g_file_set_contents(path, changed, -1, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean fit_model_family(const Simulator *simulator,
                                 const StepFamily *family, const char *folder,
                                 GString *csv, GString *out, GError **error)
{
    g_auto(StepFit) fit = { .simulator = simulator,
                            .family = family,
                            .train = g_ptr_array_new() };

    while (family->params[fit.n].key) {
        fit.x[fit.n] = log(family->params[fit.n].start);
        fit.n++;
    }
    if (!load_rows_of_family(&fit, error))
        return FALSE;
    fit.base = g_new(double, fit.train->len);
    fit.slopes = g_new(double, (gsize)fit.train->len *fit.n);
    if (!find_slopes_of_parameters(&fit, error))
        return FALSE;
    append_errors_of_fit(&fit, out);
    append_constants_of_held_out_units(&fit, csv);
    gauss_newton_step_without_unit(&fit, "", fit.x);
    return write_npu_files(&fit, folder, error);
}

#define PROJECT_NPUS   "configs/npus"
#define CONSTANTS_NAME "constants.csv"

/* Returns whether @folder is that of the project's own NPUs, by
 * whatever name. */
static gboolean folder_holds_shipped_npu_files(const char *folder)
{
    g_autofree char *own = realpath(PROJECT_NPUS, NULL);
    g_autofree char *given = realpath(folder, NULL);

    return own && given && g_str_equal(own, given);
}

char *step_fit_constants_path(const char *folder)
{
    return folder_holds_shipped_npu_files(folder)
               ? g_strdup("validate/data/llm/" CONSTANTS_NAME)
               : g_build_filename(folder, "language", CONSTANTS_NAME, NULL);
}

gboolean step_fit_all(const Simulator *simulator, const char *folder,
                      GString *out, GError **error)
{
    g_autoptr(GString) csv = g_string_new("family,set,left_out,key,value\n");
    g_autofree char *path = step_fit_constants_path(folder);

    for (guint i = 0; i < G_N_ELEMENTS(families); i++)
        if (!fit_model_family(simulator, &families[i], folder, csv, out, error))
            return FALSE;
    return g_file_set_contents(path, csv->str, -1, error);
}
