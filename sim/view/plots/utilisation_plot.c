/* utilisation_plot.c - plot of SMs and links in use over the time of a run */
#include "sim/view/plots/plot_kinds_impl.h"

static const char *const columns[] = { "start_us", "end_us", "sms_compute",
                                       "sms_comm", "links",  NULL };

/* Panels for the largest platform: one for each endpoint (vertical) and each
 * combination of the other settings (horizontal). */
typedef struct {
    const SweepResults *results; /* borrowed */
    DistinctNames settings, endpoints;
    GArray *spans; /* owned: of UtilisationSpan, in the order of the rows */
    double max_us[CANVAS_MAX_PANELS]; /* longest run of each setting */
    double n_npus;
} UtilisationPanels;

typedef struct {
    guint setting, endpoint;
    guint row;
} UtilisationSpan;

static double results_cell_value(const SweepResults *results, guint row,
                                 const char *column)
{
    return results_cell_number(results, row, column);
}

static void clear_utilisation_panels(UtilisationPanels *panels)
{
    if (!panels->spans)
        return;
    distinct_names_clear(&panels->settings);
    distinct_names_clear(&panels->endpoints);
    g_array_unref(panels->spans);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(UtilisationPanels, clear_utilisation_panels)

static const UtilisationSpan *time_span_at(const UtilisationPanels *panels,
                                           guint i)
{
    return &g_array_index(panels->spans, UtilisationSpan, i);
}

static void add_time_span(UtilisationPanels *panels,
                          const GArray *label_columns, guint row)
{
    const SweepResults *results = panels->results;
    g_autofree char *label = plot_row_label(results, row, label_columns);
    UtilisationSpan span = {
        .setting = distinct_names_add(&panels->settings, label),
        .endpoint = distinct_names_add(
            &panels->endpoints,
            results_cell_text(results, row, results->endpoint)),
        .row = row
    };

    g_array_append_val(panels->spans, span);
    if (span.setting < CANVAS_MAX_PANELS)
        panels->max_us[span.setting] =
            MAX(panels->max_us[span.setting],
                results_cell_value(results, row, "end_us"));
}

static void init_utilisation_panels(UtilisationPanels *panels,
                                    const SweepResults *results)
{
    g_autoptr(GArray) label_columns =
        plot_panel_columns(results, results->n_npus, G_MAXUINT);

    panels->results = results;
    distinct_names_init(&panels->settings);
    distinct_names_init(&panels->endpoints);
    panels->spans = g_array_new(FALSE, FALSE, sizeof(UtilisationSpan));
    for (guint i = 0; i < results->rows->len; i++)
        panels->n_npus = MAX(
            panels->n_npus,
            results_cell_value(results, results_row_at(results, i), "n_npus"));
    for (guint i = 0; i < results->rows->len; i++)
        if (results_cell_value(results, results_row_at(results, i), "n_npus") ==
            panels->n_npus)
            add_time_span(panels, label_columns, results_row_at(results, i));
}

static char *utilisation_unfit_reason(const PlotKind *kind,
                                      const SweepResults *results)
{
    g_auto(UtilisationPanels) panels = { 0 };
    guint n;

    (void)kind;
    init_utilisation_panels(&panels, results);
    n = distinct_names_count(&panels.settings) *
        distinct_names_count(&panels.endpoints);
    return n <= CANVAS_MAX_PANELS
               ? NULL
               : g_strdup_printf("%u panels are more than %d", n,
                                 CANVAS_MAX_PANELS);
}

/* Returns the index of the panel on the canvas. */
static guint panel_index_of(const UtilisationPanels *panels,
                            const Canvas *canvas, guint setting, guint endpoint)
{
    guint block =
        setting / canvas->n_columns * distinct_names_count(&panels->endpoints);

    return (block + endpoint) * canvas->n_columns + setting % canvas->n_columns;
}

static char *title_of_panel(const UtilisationPanels *panels, guint setting,
                            guint endpoint)
{
    const char *text = distinct_names_text_at(&panels->settings, setting);

    return g_strdup_printf(
        "%s%s%s", text, *text ? ", " : "",
        distinct_names_text_at(&panels->endpoints, endpoint));
}

static void fit_endpoint_titles(const UtilisationPanels *panels, Canvas *canvas)
{
    for (guint s = 0; s < distinct_names_count(&panels->settings); s++) {
        for (guint e = 0; e < distinct_names_count(&panels->endpoints); e++) {
            g_autofree char *title = title_of_panel(panels, s, e);

            canvas_fit_panel_title(canvas, title);
        }
    }
}

static void label_utilisation_panel(const UtilisationPanels *panels,
                                    Canvas *canvas, const UtilisationSpan *span,
                                    double unit_us)
{
    guint panel = panel_index_of(panels, canvas, span->setting, span->endpoint);
    g_autofree char *title =
        title_of_panel(panels, span->setting, span->endpoint);
    g_autofree char *name = g_strdup_printf("x_max[%u]", panel + 1);

    canvas_add_panel_title(canvas, panel, title);
    canvas_set_variable(canvas, name, panels->max_us[span->setting] / unit_us);
}

/* Returns whether the next span is in the same panel and has equal values in
 * @names. */
static gboolean next_span_continues(const UtilisationPanels *panels, guint i,
                                    const char *const *names)
{
    const SweepResults *results = panels->results;
    const UtilisationSpan *span, *b;

    if (i + 1 >= panels->spans->len)
        return FALSE;
    span = time_span_at(panels, i);
    b = time_span_at(panels, i + 1);
    if (span->setting != b->setting || span->endpoint != b->endpoint)
        return FALSE;
    for (guint k = 0; names[k]; k++)
        if (results_cell_value(results, span->row, names[k]) !=
            results_cell_value(results, b->row, names[k]))
            return FALSE;
    return TRUE;
}

/* Adds a point at the begin and at the end of the span; none between spans with
 * equal values. */
static void append_span_points(const UtilisationPanels *panels, Canvas *canvas,
                               CanvasFile file, const char *const *names,
                               double unit_us, guint i)
{
    const UtilisationSpan *span = time_span_at(panels, i);
    const SweepResults *results = panels->results;
    guint panel =
        panel_index_of(panels, canvas, span->setting, span->endpoint) + 1;
    double first = 100 * results_cell_value(results, span->row, names[0]);
    double sum = first;

    if (names[1])
        sum += 100 * results_cell_value(results, span->row, names[1]);
    if (i == 0 || !next_span_continues(panels, i - 1, names))
        CANVAS_ADD(canvas, file, NULL, panel,
                   results_cell_value(results, span->row, "start_us") / unit_us,
                   first, sum);
    if (!next_span_continues(panels, i, names))
        CANVAS_ADD(canvas, file, NULL, panel,
                   results_cell_value(results, span->row, "end_us") / unit_us,
                   first, sum);
}

static void label_time_axis(const UtilisationPanels *panels, Canvas *canvas,
                            guint setting, const char *unit)
{
    guint panel = panel_index_of(panels, canvas, setting,
                                 distinct_names_count(&panels->endpoints) - 1);

    canvas_add_text(canvas, CANVAS_AXIS,
                    canvas_panel_x_px(canvas, panel) + canvas->panel_w_px / 2,
                    canvas_panel_y_px(canvas, panel) + canvas->panel_h_px + 30,
                    unit, 30);
}

static void draw_utilisation_panels(const UtilisationPanels *panels,
                                    Canvas *canvas)
{
    static const char *const sms[] = { "sms_compute", "sms_comm", NULL };
    static const char *const links[] = { "links", NULL };
    guint n = distinct_names_count(&panels->settings);
    g_autofree gboolean *labelled = g_new0(gboolean, CANVAS_MAX_PANELS);

    for (guint setting = 0; setting < n; setting++) {
        const char *unit;

        plot_time_unit_us(panels->max_us[setting], &unit);
        label_time_axis(panels, canvas, setting, unit);
    }
    for (guint i = 0; i < panels->spans->len; i++) {
        const UtilisationSpan *span = time_span_at(panels, i);
        const char *unit;
        double unit_us =
            plot_time_unit_us(panels->max_us[span->setting], &unit);
        guint at = span->setting * distinct_names_count(&panels->endpoints) +
                   span->endpoint;

        if (!labelled[at])
            label_utilisation_panel(panels, canvas, span, unit_us);
        labelled[at] = TRUE;
        append_span_points(panels, canvas, CANVAS_POINTS, sms, unit_us, i);
        append_span_points(panels, canvas, CANVAS_MARKS, links, unit_us, i);
    }
}

static void draw_utilisation_plot(const PlotKind *kind,
                                  const SweepResults *results, Canvas *canvas)
{
    g_auto(UtilisationPanels) panels = { 0 };
    g_autofree char *title = NULL;
    guint n_settings, n_blocks, n_panels;

    (void)kind;
    init_utilisation_panels(&panels, results);
    title = g_strdup_printf("SMs and links in use on one of %.0f NPUs",
                            panels.n_npus);
    canvas_set_title(
        canvas, title,
        "per cent of all, over the time of a run; where a panel is empty, "
        "compute stands still");
    canvas_add_legend_entry(canvas, CANVAS_BOX, "SMs that compute");
    canvas_add_legend_entry(canvas, CANVAS_BOX, "SMs that drive communication");
    canvas_add_legend_entry(canvas, CANVAS_LINE, "links busy");
    n_settings = distinct_names_count(&panels.settings);
    canvas->n_columns = n_settings == 4 ? 4 : MIN(n_settings, 3);
    canvas->panel_h_px = canvas->n_columns == 1 ? 80 : 64;
    canvas->left_px = 46;
    canvas->gap_x_px = 36;
    canvas->bottom_px = 44;
    n_blocks = (n_settings + canvas->n_columns - 1) / canvas->n_columns;
    /* The gap between blocks has room for the unit of the axis. */
    canvas->gap_y_px = n_blocks > 1 ? 40 : 22;
    fit_endpoint_titles(&panels, canvas);
    n_panels =
        n_blocks * distinct_names_count(&panels.endpoints) * canvas->n_columns;
    canvas_place_panels(canvas, n_panels);
    g_string_append_printf(canvas->numbers, "array x_max[%u]\n", n_panels);
    for (guint i = 0; i < n_panels; i++) {
        g_autofree char *name = g_strdup_printf("x_max[%u]", i + 1);

        canvas_set_variable(canvas, name, 0);
    }
    draw_utilisation_panels(&panels, canvas);
}

const PlotKind plot_utilisation = {
    .name = "utilisation",
    .summary = "SMs and links in use over the time of a run",
    .columns = columns,
    .script = text_utilisation_gp,
    .over_time = TRUE,
    .unfit_reason = utilisation_unfit_reason,
    .draw = draw_utilisation_plot,
};
