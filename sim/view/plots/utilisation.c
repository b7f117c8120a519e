/* utilisation.c - plot of SMs and links in use over the time of a run */
#include "sim/view/plots/plot_impl.h"

static const char *const columns[] = { "start_us", "end_us", "sms_compute",
                                       "sms_comm", "links",  NULL };

/* Panels for the largest platform: one for each endpoint (vertical) and each
 * combination of the other settings (horizontal). */
typedef struct {
    const Results *results; /* borrowed */
    Names settings, endpoints;
    GArray *spans; /* owned: of Span, in the order of the rows */
    double max_us[CANVAS_MAX_PANELS]; /* longest run of each setting */
    double n_npus;
} Panels;

typedef struct {
    guint setting, endpoint;
    guint row;
} Span;

static double number(const Results *r, guint row, const char *column)
{
    return results_number(r, row, column);
}

static void panels_clear(Panels *panels)
{
    if (!panels->spans)
        return;
    names_clear(&panels->settings);
    names_clear(&panels->endpoints);
    g_array_unref(panels->spans);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Panels, panels_clear)

static const Span *span_at(const Panels *panels, guint i)
{
    return &g_array_index(panels->spans, Span, i);
}

static void add_span(Panels *panels, const GArray *label_columns, guint row)
{
    const Results *r = panels->results;
    g_autofree char *label = plot_label(r, row, label_columns);
    Span span = { .setting = names_add(&panels->settings, label),
                  .endpoint = names_add(&panels->endpoints,
                                        results_text(r, row, r->endpoint)),
                  .row = row };

    g_array_append_val(panels->spans, span);
    if (span.setting < CANVAS_MAX_PANELS)
        panels->max_us[span.setting] =
            MAX(panels->max_us[span.setting], number(r, row, "end_us"));
}

static void panels_init(Panels *panels, const Results *r)
{
    g_autoptr(GArray) label_columns =
        plot_panel_columns(r, r->n_npus, G_MAXUINT);

    panels->results = r;
    names_init(&panels->settings);
    names_init(&panels->endpoints);
    panels->spans = g_array_new(FALSE, FALSE, sizeof(Span));
    for (guint i = 0; i < r->rows->len; i++)
        panels->n_npus =
            MAX(panels->n_npus, number(r, results_row(r, i), "n_npus"));
    for (guint i = 0; i < r->rows->len; i++)
        if (number(r, results_row(r, i), "n_npus") == panels->n_npus)
            add_span(panels, label_columns, results_row(r, i));
}

static char *unfit_reason(const PlotKind *kind, const Results *r)
{
    g_auto(Panels) panels = { 0 };
    guint n;

    (void)kind;
    panels_init(&panels, r);
    n = names_n(&panels.settings) * names_n(&panels.endpoints);
    return n <= CANVAS_MAX_PANELS
               ? NULL
               : g_strdup_printf("%u panels are more than %d", n,
                                 CANVAS_MAX_PANELS);
}

/* Returns the index of the panel on the canvas. */
static guint panel_of(const Panels *panels, const Canvas *canvas, guint setting,
                      guint endpoint)
{
    guint block = setting / canvas->n_columns * names_n(&panels->endpoints);

    return (block + endpoint) * canvas->n_columns + setting % canvas->n_columns;
}

static char *title_of(const Panels *panels, guint setting, guint endpoint)
{
    const char *text = names_text(&panels->settings, setting);

    return g_strdup_printf("%s%s%s", text, *text ? ", " : "",
                           names_text(&panels->endpoints, endpoint));
}

static void fit_titles(const Panels *panels, Canvas *canvas)
{
    for (guint s = 0; s < names_n(&panels->settings); s++) {
        for (guint e = 0; e < names_n(&panels->endpoints); e++) {
            g_autofree char *title = title_of(panels, s, e);

            canvas_fit_title(canvas, title);
        }
    }
}

static void label_panel(const Panels *panels, Canvas *canvas, const Span *span,
                        double unit_us)
{
    guint panel = panel_of(panels, canvas, span->setting, span->endpoint);
    g_autofree char *title = title_of(panels, span->setting, span->endpoint);
    g_autofree char *name = g_strdup_printf("x_max[%u]", panel + 1);

    canvas_panel_title(canvas, panel, title);
    canvas_number(canvas, name, panels->max_us[span->setting] / unit_us);
}

/* Returns whether the next span is in the same panel and has equal values in
 * @names. */
static gboolean continues(const Panels *panels, guint i,
                          const char *const *names)
{
    const Results *r = panels->results;
    const Span *a, *b;

    if (i + 1 >= panels->spans->len)
        return FALSE;
    a = span_at(panels, i);
    b = span_at(panels, i + 1);
    if (a->setting != b->setting || a->endpoint != b->endpoint)
        return FALSE;
    for (guint k = 0; names[k]; k++)
        if (number(r, a->row, names[k]) != number(r, b->row, names[k]))
            return FALSE;
    return TRUE;
}

/* Adds a point at the begin and at the end of the span; none between spans with
 * equal values. */
static void add_points(const Panels *panels, Canvas *canvas, CanvasFile file,
                       const char *const *names, double unit_us, guint i)
{
    const Span *span = span_at(panels, i);
    const Results *r = panels->results;
    guint panel = panel_of(panels, canvas, span->setting, span->endpoint) + 1;
    double first = 100 * number(r, span->row, names[0]);
    double sum = first;

    if (names[1])
        sum += 100 * number(r, span->row, names[1]);
    if (i == 0 || !continues(panels, i - 1, names))
        CANVAS_ADD(canvas, file, NULL, panel,
                   number(r, span->row, "start_us") / unit_us, first, sum);
    if (!continues(panels, i, names))
        CANVAS_ADD(canvas, file, NULL, panel,
                   number(r, span->row, "end_us") / unit_us, first, sum);
}

static void label_times(const Panels *panels, Canvas *canvas, guint setting,
                        const char *unit)
{
    guint panel =
        panel_of(panels, canvas, setting, names_n(&panels->endpoints) - 1);

    canvas_text(canvas, CANVAS_AXIS,
                canvas_x_px(canvas, panel) + canvas->panel_w_px / 2,
                canvas_y_px(canvas, panel) + canvas->panel_h_px + 30, unit, 30);
}

static void draw_panels(const Panels *panels, Canvas *canvas)
{
    static const char *const sms[] = { "sms_compute", "sms_comm", NULL };
    static const char *const links[] = { "links", NULL };
    guint n = names_n(&panels->settings);
    g_autofree gboolean *labelled = g_new0(gboolean, CANVAS_MAX_PANELS);

    for (guint setting = 0; setting < n; setting++) {
        const char *unit;

        plot_time_unit_us(panels->max_us[setting], &unit);
        label_times(panels, canvas, setting, unit);
    }
    for (guint i = 0; i < panels->spans->len; i++) {
        const Span *span = span_at(panels, i);
        const char *unit;
        double unit_us =
            plot_time_unit_us(panels->max_us[span->setting], &unit);
        guint at = span->setting * names_n(&panels->endpoints) + span->endpoint;

        if (!labelled[at])
            label_panel(panels, canvas, span, unit_us);
        labelled[at] = TRUE;
        add_points(panels, canvas, CANVAS_POINTS, sms, unit_us, i);
        add_points(panels, canvas, CANVAS_MARKS, links, unit_us, i);
    }
}

static void draw(const PlotKind *kind, const Results *r, Canvas *canvas)
{
    g_auto(Panels) panels = { 0 };
    g_autofree char *title = NULL;
    guint n_settings, n_blocks, n_panels;

    (void)kind;
    panels_init(&panels, r);
    title = g_strdup_printf("SMs and links in use on one of %.0f NPUs",
                            panels.n_npus);
    canvas_title(
        canvas, title,
        "per cent of all, over the time of a run; where a panel is empty, "
        "compute stands still");
    canvas_entry(canvas, CANVAS_BOX, "SMs that compute");
    canvas_entry(canvas, CANVAS_BOX, "SMs that drive communication");
    canvas_entry(canvas, CANVAS_LINE, "links busy");
    n_settings = names_n(&panels.settings);
    canvas->n_columns = n_settings == 4 ? 4 : MIN(n_settings, 3);
    canvas->panel_h_px = canvas->n_columns == 1 ? 80 : 64;
    canvas->left_px = 46;
    canvas->gap_x_px = 36;
    canvas->bottom_px = 44;
    n_blocks = (n_settings + canvas->n_columns - 1) / canvas->n_columns;
    /* The gap between blocks has room for the unit of the axis. */
    canvas->gap_y_px = n_blocks > 1 ? 40 : 22;
    fit_titles(&panels, canvas);
    n_panels = n_blocks * names_n(&panels.endpoints) * canvas->n_columns;
    canvas_grid(canvas, n_panels);
    g_string_append_printf(canvas->numbers, "array x_max[%u]\n", n_panels);
    for (guint i = 0; i < n_panels; i++) {
        g_autofree char *name = g_strdup_printf("x_max[%u]", i + 1);

        canvas_number(canvas, name, 0);
    }
    draw_panels(&panels, canvas);
}

/* Returns the mean of a column over the time of a run, in per cent. */
static double mean(const Panels *panels, guint setting, guint endpoint,
                   const char *column)
{
    const Results *r = panels->results;
    double sum = 0, all_us = 0;

    for (guint i = 0; i < panels->spans->len; i++) {
        const Span *span = span_at(panels, i);
        double us =
            number(r, span->row, "end_us") - number(r, span->row, "start_us");

        if (span->setting != setting || span->endpoint != endpoint)
            continue;
        sum += us * number(r, span->row, column);
        all_us += us;
    }
    return all_us > 0 ? 100 * sum / all_us : 0;
}

/* Returns the setting whose endpoints differ most in the SMs that compute. */
static guint widest(const Panels *panels)
{
    double most = -1;
    guint best = 0;

    for (guint s = 0; s < names_n(&panels->settings); s++) {
        double min = G_MAXDOUBLE, max = 0;

        for (guint e = 0; e < names_n(&panels->endpoints); e++) {
            double value = mean(panels, s, e, "sms_compute");

            min = MIN(min, value);
            max = MAX(max, value);
        }
        best = max - min > most ? s : best;
        most = MAX(most, max - min);
    }
    return best;
}

static char *caption(const PlotKind *kind, const Results *r)
{
    g_auto(Panels) panels = { 0 };
    GString *out = g_string_new("SMs that compute and links that are busy, "
                                "mean over the run");
    guint setting;

    (void)kind;
    panels_init(&panels, r);
    setting = widest(&panels);
    if (*names_text(&panels.settings, setting))
        g_string_append_printf(out, ", %s",
                               names_text(&panels.settings, setting));
    for (guint e = 0; e < names_n(&panels.endpoints); e++)
        g_string_append_printf(out, "%s %s %.0f %% and %.0f %%",
                               e == 0 ? ":" : ",",
                               names_text(&panels.endpoints, e),
                               mean(&panels, setting, e, "sms_compute"),
                               mean(&panels, setting, e, "links"));
    g_string_append_c(out, '.');
    return g_string_free(out, FALSE);
}

const PlotKind plot_utilisation = {
    .name = "utilisation",
    .summary = "SMs and links in use over the time of a run",
    .columns = columns,
    .script = text_utilisation_gp,
    .over_time = TRUE,
    .unfit_reason = unfit_reason,
    .draw = draw,
    .caption = caption,
};
