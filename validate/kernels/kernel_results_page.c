/* kernel_results_page.c - points for plots and an HTML page of the measured
 * kernels */
#include "validate/kernels/kernel_study.h"

#include <math.h>

/* ---- points of kernel plots ---------------------------------------------- */

/* The quantity of the x axis of a kernel family, which is the first of these
 * that its rows have. */
typedef enum {
    AXIS_IN_FLIGHT,
    AXIS_FLOP,
    AXIS_BYTES,
} PlotAxis;

static const struct {
    const char *x, *y;
} axis_names[] = {
    [AXIS_IN_FLIGHT] = { "bytes in flight on an SM", "GB/s" },
    [AXIS_FLOP] = { "FLOP", "TFLOPS" },
    [AXIS_BYTES] = { "bytes", "GB/s" },
};

typedef struct {
    double x, measured, simulated, measured_us, simulated_us;
    gboolean is_held_out;
} PlotPoint;

static gboolean result_is_of_npu_and_family(const KernelStudy *study,
                                            const KernelResult *result,
                                            const char *npu, const char *family)
{
    const KernelRow *row = kernel_rows_at(study->rows, result->row);

    return g_str_equal(row->npu, npu) && g_str_equal(row->family, family);
}

static PlotPoint plot_point_of_result(const KernelStudy *study,
                                      const KernelResult *result, PlotAxis axis)
{
    const KernelRow *row = kernel_rows_at(study->rows, result->row);
    double x = axis == AXIS_IN_FLIGHT ? result->in_flight_bytes
               : axis == AXIS_FLOP    ? result->flop
                                      : result->bytes;
    double rate = axis == AXIS_FLOP ? result->flop / 1e6 : result->bytes / 1e3;

    return (PlotPoint){ x,
                        rate / row->time_us,
                        rate / result->simulated_us,
                        row->time_us,
                        result->simulated_us,
                        row->is_held_out };
}

static gint compare_points_by_x(gconstpointer a, gconstpointer b)
{
    double x = ((const PlotPoint *)a)->x, y = ((const PlotPoint *)b)->x;

    return (x > y) - (x < y);
}

static PlotAxis varied_axis_of_family(const KernelStudy *study, const char *npu,
                                      const char *family)
{
    PlotAxis axis = AXIS_BYTES;

    for (guint i = 0; i < study->results->len; i++) {
        const KernelResult *result = kernel_result_at(study, i);

        if (!result_is_of_npu_and_family(study, result, npu, family))
            continue;
        if (result->in_flight_bytes > 0)
            return AXIS_IN_FLIGHT;
        if (result->flop > 0 && result->flop > result->bytes)
            axis = AXIS_FLOP;
    }
    return axis;
}

static void append_points_of_family(const KernelStudy *study, const char *npu,
                                    const char *family, GString *out)
{
    g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(PlotPoint));
    PlotAxis axis = varied_axis_of_family(study, npu, family);

    for (guint i = 0; i < study->results->len; i++) {
        const KernelResult *result = kernel_result_at(study, i);
        PlotPoint point;

        if (!result_is_of_npu_and_family(study, result, npu, family))
            continue;
        point = plot_point_of_result(study, result, axis);
        g_array_append_val(points, point);
    }
    g_array_sort(points, compare_points_by_x);
    g_string_append_printf(out, "%s\"%s\" \"%s\" \"%s\"\n",
                           out->len > 0 ? "\n\n" : "", family,
                           axis_names[axis].x, axis_names[axis].y);
    for (guint i = 0; i < points->len; i++) {
        const PlotPoint *p = &g_array_index(points, PlotPoint, i);

        g_string_append_printf(out, "%.6g %.6g %.6g %.6g %.6g %d\n", p->x,
                               p->measured, p->simulated, p->measured_us,
                               p->simulated_us, p->is_held_out);
    }
}

char *kernel_study_points(const KernelStudy *study, const char *npu)
{
    g_autoptr(GPtrArray) families = kernel_study_families(study, npu);
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < families->len; i++)
        append_points_of_family(study, npu, families->pdata[i], out);
    return g_string_free(out, FALSE);
}

/* ---- HTML page of measured kernels --------------------------------------- */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>acesim against published kernels</title>\n<style>\n"
    "body { margin: 0 auto; max-width: 64rem; padding: 1rem;\n"
    "  font: 16px/1.5 system-ui, \"DejaVu Sans\", sans-serif; color: #222;\n"
    "  background: #fff; }\n"
    "h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: .875rem; }\n"
    "th, td { text-align: right; padding: .15rem .6rem .15rem 0;\n"
    "  border-bottom: 1px solid #ddd; white-space: nowrap; }\n"
    "th:first-child, td:first-child { text-align: left; }\n"
    ".plots { display: flex; flex-wrap: wrap; gap: .5rem; }\n"
    ".plots img { width: 100%; max-width: 22rem; height: auto; }\n"
    "</style></head><body>\n";

/* Adds the mean error of all held-out rows. */
static void append_answer_section(const KernelStudy *study, GString *out)
{
    g_autoptr(GPtrArray) npus = kernel_study_npus(study);
    double sum = 0;
    guint n = 0;

    for (guint i = 0; i < study->results->len; i++) {
        const KernelResult *result = kernel_result_at(study, i);

        if (!kernel_rows_at(study->rows, result->row)->is_held_out)
            continue;
        sum += fabs(result->error_percent);
        n++;
    }
    g_string_append_printf(
        out,
        "<h1>acesim against published kernels of real GPUs</h1>\n"
        "<p>On %u kernels of %u GPUs that nothing was fitted to, acesim's "
        "times are off by <b>%.1f&nbsp;%%</b> on average. Filled marks are "
        "those kernels; open ones were fitted to. They were measured by "
        "others: see validate/SOURCES.md.</p>\n",
        n, npus->len, n > 0 ? sum / n : 0);
}

/* Adds the cells for the held-out rows of a kernel family, or of all families
 * if it is NULL. */
static void append_held_out_line(const KernelStudy *study, const char *npu,
                                 const char *family, GString *out)
{
    KernelScore held = kernel_study_score(study, npu, family, TRUE);

    if (held.n > 0)
        g_string_append_printf(out, "<td><b>%.1f</b><td>%.1f<td>%.1f<td>%u",
                               held.mean_percent, held.median_percent,
                               held.worst_percent, held.n);
    else
        g_string_append(out, "<td><td><td><td>0");
}

static void append_overview_table(const KernelStudy *study, GString *out)
{
    g_autoptr(GPtrArray) npus = kernel_study_npus(study);

    g_string_append(out, "<div class=\"wide\"><table><tr><th>off, %<th>mean"
                         "<th>median<th>worst<th>kernels\n");
    for (guint i = 0; i < npus->len; i++) {
        const char *npu = npus->pdata[i];

        g_string_append_printf(out, "<tr><td><a href=\"#%s\">%s</a>", npu, npu);
        append_held_out_line(study, npu, NULL, out);
        g_string_append_c(out, '\n');
    }
    g_string_append(out, "</table></div>\n");
}

static void append_family_table(const KernelStudy *study, const char *npu,
                                const GPtrArray *families, GString *out)
{
    g_string_append(out, "<details><summary>Errors by family</summary>\n"
                         "<div class=\"wide\"><table><tr><th>off, %<th>mean"
                         "<th>median<th>worst<th>kernels"
                         "<th>fitted to: mean<th>kernels\n");
    for (guint i = 0; i < families->len; i++) {
        const char *family = families->pdata[i];
        KernelScore training = kernel_study_score(study, npu, family, FALSE);

        g_string_append_printf(out, "<tr><td>%s", family);
        append_held_out_line(study, npu, family, out);
        if (training.n > 0)
            g_string_append_printf(out, "<td>%.1f<td>%u\n",
                                   training.mean_percent, training.n);
        else
            g_string_append(out, "<td><td>0\n");
    }
    g_string_append(out, "</table></div></details>\n");
}

/* Returns whether the points have more than one x.  Otherwise a plot is
 * useless. */
static gboolean family_is_plotted(const KernelStudy *study, const char *npu,
                                  const char *family)
{
    PlotAxis axis = varied_axis_of_family(study, npu, family);
    double x = -1;

    for (guint i = 0; i < study->results->len; i++) {
        const KernelResult *result = kernel_result_at(study, i);
        double here;

        if (!result_is_of_npu_and_family(study, result, npu, family))
            continue;
        here = plot_point_of_result(study, result, axis).x;
        if (x >= 0 && fabs(here - x) > x / 100)
            return TRUE;
        x = here;
    }
    return FALSE;
}

static void append_plot(const char *folder, const char *npu, guint block,
                        const char *what, GString *out)
{
    g_string_append_printf(
        out, "<img src=\"%s/%s-%u.svg\" alt=\"%s\" loading=\"lazy\">\n", folder,
        npu, block, what);
}

static void append_plots_of_npu(const KernelStudy *study, const char *folder,
                                const char *npu, const GPtrArray *families,
                                GString *out)
{
    g_string_append_printf(
        out, "<h2 id=\"%s\">%s</h2>\n<div class=\"plots\">\n", npu, npu);
    append_plot(folder, npu, 0, "simulated over measured times", out);
    for (guint i = 0; i < families->len; i++)
        if (family_is_plotted(study, npu, families->pdata[i]))
            append_plot(folder, npu, i + 1, "measured and simulated rates",
                        out);
    g_string_append(out, "</div>\n");
}

char *kernel_study_page(const KernelStudy *study, const char *folder)
{
    g_autoptr(GPtrArray) npus = kernel_study_npus(study);
    GString *out = g_string_new(head);

    append_answer_section(study, out);
    append_overview_table(study, out);
    for (guint i = 0; i < npus->len; i++) {
        const char *npu = npus->pdata[i];
        g_autoptr(GPtrArray) families = kernel_study_families(study, npu);

        append_plots_of_npu(study, folder, npu, families, out);
        append_family_table(study, npu, families, out);
    }
    g_string_append(out, "</body></html>\n");
    return g_string_free(out, FALSE);
}
