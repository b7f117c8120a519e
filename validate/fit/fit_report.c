#include "validate/fit/fit_report.h"

#include <math.h>

#include "validate/text_table.h"

/* "overlap cublas 1024 x 1024 x 512 beside reduce on 8 SMs" */
static char *describe(const Measured *m)
{
    GString *out = g_string_new(m->kernel);

    if (m->m > 0)
        g_string_append_printf(out,
                               " %" G_GUINT64_FORMAT "x%" G_GUINT64_FORMAT
                               "x%" G_GUINT64_FORMAT,
                               m->m, m->n, m->k);
    else if (m->bytes > 0)
        g_string_append_printf(out, " of %.4g MiB", (double)m->bytes / 1048576);
    if (m->n_sms > 0)
        g_string_append_printf(out, " on %" G_GUINT64_FORMAT " SMs", m->n_sms);
    if (*m->beside != '\0')
        g_string_append_printf(out, " beside %s", m->beside);
    if (m->beside_n_sms > 0)
        g_string_append_printf(out, " on %" G_GUINT64_FORMAT, m->beside_n_sms);
    return g_string_free(out, FALSE);
}

static void add_scores(GString *out, const Measurements *all,
                       const GArray *scores)
{
    g_autoptr(TextTable) table = text_table_new("lrrrrl");

    text_table_add(table,
                   "family\tfitted to\theld out\tmean off\tworst\tthat is");
    for (guint i = 0; i < scores->len; i++) {
        const FitScore *s = &g_array_index(scores, FitScore, i);
        g_autofree char *worst =
            s->n_held_out ? describe(measurements_row(all, s->worst_row))
                          : g_strdup("no row is held out");

        text_table_add(table, "%s\t%u\t%u\t%.1f %%\t%.1f %%\t%s", s->family,
                       s->n_training, s->n_held_out, s->mean_percent,
                       s->worst_percent, worst);
    }
    g_string_append(out, "\nHow far the model is off, on rows that nothing was "
                         "fitted to\n\n");
    text_table_render(table, out);
}

static void add_params(GString *out, const Measurements *all,
                       const GpuModel *gpu)
{
    g_autoptr(TextTable) table = text_table_new("lrlrl");

    text_table_add(table, "parameter\tvalue\tunit\trows\twhat");
    for (int p = 0; p < GPU_N_PARAMS; p++) {
        const char *families;
        guint n = fit_n_rows(all, (GpuParam)p, &families);

        text_table_add(table, "%s\t%.4g\t%s\t%u\t%s", gpu_params[p].name,
                       gpu->values[p], gpu_params[p].unit, n,
                       n ? gpu_params[p].meaning : "not measured: a guess");
    }
    text_table_add(table,
                   "library_stays\t%s\t\t\tcuBLAS, untold, has a wave "
                   "more when an SM is taken",
                   gpu->library_stays ? "yes" : "no");
    g_string_append(out, "\nWhat was found, from training rows\n\n");
    text_table_render(table, out);
}

/* The same kernel with nothing beside it and all SMs. */
static Measured alone(const Measured *m, const GpuModel *gpu)
{
    Measured same = *m;

    same.beside = same.beside_kernel = "";
    same.beside_n_sms = 0;
    same.n_sms = gpu->n_sms;
    return same;
}

/* A compute kernel of a pair, and how much slower than alone. */
static void add_slowdown(TextTable *table, const Measurements *all,
                         const GpuModel *gpu, guint row)
{
    const Measured *m = measurements_row(all, row);
    Measured same = alone(m, gpu);
    g_autofree char *what = describe(m);
    double alone_us, beside_us;

    if (!gpu_model_predict(gpu, &same, NULL, &alone_us) ||
        !gpu_model_predict_row(gpu, all, row, &beside_us))
        return;
    text_table_add(table, "%s\t%.3f\t%.3f\t%s", what,
                   m->median_us / m->alone_us, beside_us / alone_us,
                   m->is_held_out ? "held out" : "fitted");
}

static void add_slowdowns(GString *out, const Measurements *all,
                          const GpuModel *gpu)
{
    g_autoptr(TextTable) table = text_table_new("lrrl");
    gboolean any = FALSE;

    text_table_add(table, "kernel\tmeasured\tmodel\tpart");
    for (guint i = 0; i < all->rows->len; i++) {
        const Measured *m = measurements_row(all, i);

        if (*m->beside == '\0' || m->beside_n_sms == gpu->n_sms ||
            m->alone_us <= 0 || g_str_equal(m->kernel, "reduce") ||
            g_str_equal(m->kernel, "copy") || m->m + m->dim + m->flop == 0)
            continue;
        add_slowdown(table, all, gpu, i);
        any = TRUE;
    }
    if (!any)
        return;
    g_string_append(out, "\nTime of a kernel beside another, over its time "
                         "alone on all SMs\n\n");
    text_table_render(table, out);
}

static gboolean is_near(const FitScore *s)
{
    return s->n_held_out > 0 && s->mean_percent <= FIT_MEAN_PERCENT &&
           s->worst_percent <= FIT_WORST_PERCENT;
}

static void add_verdict(GString *out, const GArray *scores)
{
    guint n_near = 0;

    for (guint i = 0; i < scores->len; i++)
        n_near += (guint)is_near(&g_array_index(scores, FitScore, i));
    g_string_append_printf(
        out,
        "  %s  held-out rows: %u of %u families within %d %% on average and "
        "%d %% at worst\n",
        n_near == scores->len ? "ok" : "NO", n_near, scores->len,
        FIT_MEAN_PERCENT, FIT_WORST_PERCENT);
}

char *fit_report_text(const Measurements *all, const GpuModel *gpu,
                      const GpuRecord *record, const char *path)
{
    g_autoptr(GArray) scores = fit_scores(all, gpu);
    GString *out = g_string_new(NULL);

    g_string_append_printf(out, "%s, measured %.10s, %u rows in %s%s\n",
                           record->device, record->date_utc, all->rows->len,
                           path, record->is_complete ? "" : " (not complete)");
    add_verdict(out, scores);
    add_scores(out, all, scores);
    add_params(out, all, gpu);
    add_slowdowns(out, all, gpu);
    return g_string_free(out, FALSE);
}

static void add_us(GString *out, double us)
{
    csv_add_fixed(out, (uint64_t)(us * 1000 + 0.5), 3);
}

char *fit_report_csv(const Measurements *all, const GpuModel *gpu)
{
    GString *out = g_string_new("family,kernel,what,part,measured_us,"
                                "predicted_us,off_percent\n");

    for (guint i = 0; i < all->rows->len; i++) {
        const Measured *m = measurements_row(all, i);
        g_autofree char *what = describe(m);
        char off[32];
        double us;

        if (!gpu_model_predict_row(gpu, all, i, &us))
            continue;
        csv_add_text(out, m->family);
        csv_add_text(out, m->kernel);
        csv_add_text(out, what);
        csv_add_text(out, m->is_held_out ? "held-out" : "training");
        add_us(out, m->median_us);
        add_us(out, us);
        csv_add_text(out, g_ascii_formatd(off, sizeof off, "%.2f",
                                          (us / m->median_us - 1) * 100));
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
