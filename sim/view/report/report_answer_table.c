/* report_answer_table.c - tables of compared endpoints */
#include "sim/view/report/report_answer_impl.h"

#define MAX_ROWS 16 /* limit of the rows of the table on the first screen */
/* The maximum number of rows of the table of means of each workload and
 * size. */
#define MAX_SIZES    60
#define MAX_ALL_ROWS 500

static gboolean has_ideal_bound(const Comparison *c)
{
    for (guint i = 0; i < c->pairs->len; i++)
        if (compare_pair(c, i)->ideal_ps > 0)
            return TRUE;
    return FALSE;
}

static gboolean has_built_baseline(const Comparison *c)
{
    for (guint i = 0; i < c->pairs->len; i++)
        if (compare_pair(c, i)->built_ps > 0)
            return TRUE;
    return FALSE;
}

static const char *css_class_of_speedup(double speedup)
{
    return speedup >= COMPARE_MIN_GAIN  ? " win"
           : speedup < COMPARE_MAX_LOSS ? " loss"
                                        : "";
}

/* Adds the speedup over the best baseline that could be built. */
static void append_built_speedup_cell(GString *out, const ComparePair *pair)
{
    double speedup = compare_built_speedup(pair);

    if (speedup > 0)
        g_string_append_printf(out, "<td class=\"n%s\">%.2fx</td>",
                               css_class_of_speedup(speedup), speedup);
    else
        g_string_append(out, "<td class=\"n\">-</td>");
}

/* Columns are ordered by importance, because a narrow page shows only the first
 * ones: the point, the speedups, their causes.  Columns of class `minor` are
 * hidden there (page.css). */
static void open_comparison_table(GString *out, const SweepResults *r,
                                  gboolean keys)
{
    const Comparison *c = r->comparison;

    const char *offload = g_ptr_array_index(c->offloads, 0);

    g_string_append(
        out, "<div class=\"wide\">\n<table>\n<thead><tr><th>workload</th>"
             "<th class=\"n\">NPUs</th>");
    g_string_append_printf(out, "<th class=\"n\">%sspeedup</th>",
                           keys ? "" : "mean ");
    if (keys && has_built_baseline(c))
        g_string_append(out, "<th class=\"n\" title=\"over the best that could "
                             "be built without it\">over best</th>");
    for (guint k = 0; keys && k < c->keys->len; k++)
        html_append_format(
            out, "<th>%s</th>",
            results_axis_name(r, g_array_index(c->keys, guint, k)));
    if (keys)
        html_append_format(
            out,
            "<th>best baseline</th><th class=\"n minor\">its time</th>"
            "<th class=\"n minor\">%s</th>",
            offload);
    else
        html_append_format(
            out,
            "<th class=\"n\">least</th><th class=\"n\">largest</th>"
            "<th class=\"n minor\">points</th>"
            "<th class=\"n minor\">%s is faster</th>",
            offload);
    if (keys && has_built_baseline(c))
        g_string_append(out, "<th class=\"minor\">best that could be built"
                             "</th>");
    if (keys && has_ideal_bound(c))
        g_string_append(out, "<th class=\"n minor\" title=\"best baseline "
                             "over the ideal endpoint\">ideal bound</th>");
    g_string_append(out, "</tr></thead>\n<tbody>\n");
}

static void close_html_table(GString *out)
{
    g_string_append(out, "</tbody>\n</table>\n</div>\n");
}

static void append_time_cell(GString *out, SimTime ps)
{
    g_autofree char *text = time_text(ps);

    html_append_format(out, "<td class=\"n minor\">%s</td>", text);
}

/* Adds the row of a pair.  @ideal: the table has a column for the ideal bound.
 * @built: it has columns for the best baseline that could be built. */
static void append_pair_row(GString *out, const SweepResults *r,
                            const ComparePair *pair, gboolean ideal,
                            gboolean built)
{
    const Comparison *c = r->comparison;
    double speedup = compare_speedup(pair);

    html_append_format(out, "<tr><td>%s</td><td class=\"n\">%s</td>",
                       results_cell_text(r, pair->row, c->workload),
                       results_cell_text(r, pair->row, c->n_npus));
    g_string_append_printf(out, "<td class=\"n%s\">%.2fx</td>",
                           css_class_of_speedup(speedup), speedup);
    if (built)
        append_built_speedup_cell(out, pair);
    for (guint k = 0; k < c->keys->len; k++)
        html_append_format(
            out, "<td>%s</td>",
            results_cell_text(r, pair->row, g_array_index(c->keys, guint, k)));
    html_append_format(out, "<td>%s</td>",
                       results_cell_text(r, pair->best_row, c->endpoint));
    append_time_cell(out, pair->best_ps);
    append_time_cell(out, pair->time_ps);
    if (built) {
        g_autofree char *text = compare_built_text(c, pair);

        html_append_format(out, "<td class=\"minor\">%s</td>", text);
    }
    if (pair->ideal_ps > 0)
        g_string_append_printf(out, "<td class=\"n minor\">%.2fx</td>",
                               (double)pair->best_ps / (double)pair->ideal_ps);
    else if (ideal)
        g_string_append(out, "<td class=\"n minor\">-</td>");
    g_string_append(out, "</tr>\n");
}

static void write_pair_rows(GString *out, const SweepResults *r, guint max_rows)
{
    const Comparison *c = r->comparison;
    gboolean ideal = has_ideal_bound(c), built = has_built_baseline(c);
    guint n = 0;

    open_comparison_table(out, r, TRUE);
    for (guint i = 0; i < c->pairs->len && n < max_rows; i++) {
        if (!is_pair_of_main_offload(c, compare_pair(c, i)))
            continue;
        append_pair_row(out, r, compare_pair(c, i), ideal, built);
        n++;
    }
    close_html_table(out);
}

/* ---- means of each workload and size -------------------------------- */

typedef struct {
    guint row; /* row of the first pair */
    double sum, least, most;
    guint n, n_faster;
} SizeMeans;

static void add_speedup_to_size(SizeMeans *size, double speedup)
{
    size->n++;
    size->n_faster += speedup >= COMPARE_MIN_GAIN;
    size->sum += speedup;
    size->least = MIN(size->least, speedup);
    size->most = MAX(size->most, speedup);
}

/* Returns an array of Size, in the order of their first pairs.  The caller owns
 * it. */
static GArray *list_size_means(const SweepResults *r)
{
    const Comparison *c = r->comparison;
    g_autoptr(GHashTable) index =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(SizeMeans));

    for (guint i = 0; i < c->pairs->len; i++) {
        const ComparePair *pair = compare_pair(c, i);
        SizeMeans size = { .row = pair->row, .least = G_MAXDOUBLE };
        g_autofree char *id = NULL;
        gpointer at;

        if (!is_pair_of_main_offload(c, pair))
            continue;
        id = describe_row_size(r, pair->row);
        if (!g_hash_table_lookup_extended(index, id, NULL, &at)) {
            at = GUINT_TO_POINTER(sizes->len);
            g_hash_table_insert(index, g_steal_pointer(&id), at);
            g_array_append_val(sizes, size);
        }
        add_speedup_to_size(
            &g_array_index(sizes, SizeMeans, GPOINTER_TO_UINT(at)),
            compare_speedup(pair));
    }
    return sizes;
}

static void append_size_mean_row(GString *out, const SweepResults *r,
                                 const SizeMeans *size)
{
    const Comparison *c = r->comparison;
    double mean = size->sum / size->n;

    html_append_format(out, "<tr><td>%s</td><td class=\"n\">%s</td>",
                       results_cell_text(r, size->row, c->workload),
                       results_cell_text(r, size->row, c->n_npus));
    g_string_append_printf(out,
                           "<td class=\"n%s\">%.2fx</td>"
                           "<td class=\"n\">%.2fx</td>"
                           "<td class=\"n\">%.2fx</td>"
                           "<td class=\"n minor\">%u</td>"
                           "<td class=\"n minor\">%u</td></tr>\n",
                           css_class_of_speedup(mean), mean, size->least,
                           size->most, size->n, size->n_faster);
}

static void write_size_mean_rows(GString *out, const SweepResults *r)
{
    g_autoptr(GArray) sizes = list_size_means(r);

    open_comparison_table(out, r, FALSE);
    for (guint i = 0; i < MIN(sizes->len, MAX_SIZES); i++)
        append_size_mean_row(out, r, &g_array_index(sizes, SizeMeans, i));
    close_html_table(out);
    if (sizes->len > MAX_SIZES)
        g_string_append_printf(out,
                               "<p>The first %d of %u pairs of workload and "
                               "size; `acesim compare` writes them all.</p>\n",
                               MAX_SIZES, sizes->len);
}

/* ---- choosing and writing the table -------------------------------------- */

static guint count_main_pairs(const Comparison *c)
{
    guint n = 0;

    for (guint i = 0; i < c->pairs->len; i++)
        n += is_pair_of_main_offload(c, compare_pair(c, i)) ? 1 : 0;
    return n;
}

void report_write_answer_table(GString *out, const SweepResults *r)
{
    const Comparison *c = r->comparison;

    if (!c) {
        ranking_write_table(out, r);
        return;
    }
    if (count_main_pairs(c) <= MAX_ROWS)
        write_pair_rows(out, r, MAX_ROWS);
    else
        write_size_mean_rows(out, r);
    if (!has_built_baseline(c)) {
        g_autofree char *why = compare_untuned_note(c);

        html_append_format(out, "<p>%s.</p>\n", why);
    }
}

void report_write_all_comparisons(GString *out, const SweepResults *r)
{
    const Comparison *c = r->comparison;

    if (!c || count_main_pairs(c) <= MAX_ROWS)
        return;
    g_string_append(out, "<section>\n<h2>All comparisons</h2>\n");
    if (count_main_pairs(c) > MAX_ALL_ROWS)
        g_string_append_printf(out,
                               "<p>The first %d of %u; `acesim compare` writes "
                               "them all.</p>\n",
                               MAX_ALL_ROWS, count_main_pairs(c));
    write_pair_rows(out, r, MAX_ALL_ROWS);
    g_string_append(out, "</section>\n");
}
