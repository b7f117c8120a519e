/* answer_table.c - tables of compared endpoints */
#include "sim/view/report/answer_impl.h"

#define MAX_ROWS 16 /* limit of the rows of the table on the first screen */
/* The maximum number of rows of the table of means of each workload and
 * size. */
#define MAX_SIZES    60
#define MAX_ALL_ROWS 500

static gboolean has_ideal(const Comparison *c)
{
    for (guint i = 0; i < c->pairs->len; i++)
        if (compare_pair(c, i)->ideal_ps > 0)
            return TRUE;
    return FALSE;
}

static gboolean has_built(const Comparison *c)
{
    for (guint i = 0; i < c->pairs->len; i++)
        if (compare_pair(c, i)->built_ps > 0)
            return TRUE;
    return FALSE;
}

static const char *class_of(double speedup)
{
    return speedup >= COMPARE_MIN_GAIN  ? " win"
           : speedup < COMPARE_MAX_LOSS ? " loss"
                                        : "";
}

/* Adds the speedup over the best baseline that could be built. */
static void add_built_cell(GString *out, const ComparePair *pair)
{
    double speedup = compare_built_speedup(pair);

    if (speedup > 0)
        g_string_append_printf(out, "<td class=\"n%s\">%.2fx</td>",
                               class_of(speedup), speedup);
    else
        g_string_append(out, "<td class=\"n\">-</td>");
}

/* Columns are ordered by importance, because a narrow page shows only the first
 * ones: the point, the speedups, their causes.  Columns of class `minor` are
 * hidden there (page.css). */
static void open_table(GString *out, const Results *r, gboolean keys)
{
    const Comparison *c = r->comparison;

    const char *offload = g_ptr_array_index(c->offloads, 0);

    g_string_append(
        out, "<div class=\"wide\">\n<table>\n<thead><tr><th>workload</th>"
             "<th class=\"n\">NPUs</th>");
    g_string_append_printf(out, "<th class=\"n\">%sspeedup</th>",
                           keys ? "" : "mean ");
    if (keys && has_built(c))
        g_string_append(out, "<th class=\"n\" title=\"over the best that could "
                             "be built without it\">over best</th>");
    for (guint k = 0; keys && k < c->keys->len; k++)
        html_add(out, "<th>%s</th>",
                 results_name(r, g_array_index(c->keys, guint, k)));
    if (keys)
        html_add(out,
                 "<th>best baseline</th><th class=\"n minor\">its time</th>"
                 "<th class=\"n minor\">%s</th>",
                 offload);
    else
        html_add(out,
                 "<th class=\"n\">least</th><th class=\"n\">largest</th>"
                 "<th class=\"n minor\">points</th>"
                 "<th class=\"n minor\">%s is faster</th>",
                 offload);
    if (keys && has_built(c))
        g_string_append(out, "<th class=\"minor\">best that could be built"
                             "</th>");
    if (keys && has_ideal(c))
        g_string_append(out, "<th class=\"n minor\" title=\"best baseline "
                             "over the ideal endpoint\">ideal bound</th>");
    g_string_append(out, "</tr></thead>\n<tbody>\n");
}

static void close_table(GString *out)
{
    g_string_append(out, "</tbody>\n</table>\n</div>\n");
}

static void add_time(GString *out, SimTime ps)
{
    g_autofree char *text = time_text(ps);

    html_add(out, "<td class=\"n minor\">%s</td>", text);
}

/* Adds the row of a pair.  @ideal: the table has a column for the ideal bound.
 * @built: it has columns for the best baseline that could be built. */
static void add_pair(GString *out, const Results *r, const ComparePair *pair,
                     gboolean ideal, gboolean built)
{
    const Comparison *c = r->comparison;
    double speedup = compare_speedup(pair);

    html_add(out, "<tr><td>%s</td><td class=\"n\">%s</td>",
             results_text(r, pair->row, c->workload),
             results_text(r, pair->row, c->n_npus));
    g_string_append_printf(out, "<td class=\"n%s\">%.2fx</td>",
                           class_of(speedup), speedup);
    if (built)
        add_built_cell(out, pair);
    for (guint k = 0; k < c->keys->len; k++)
        html_add(out, "<td>%s</td>",
                 results_text(r, pair->row, g_array_index(c->keys, guint, k)));
    html_add(out, "<td>%s</td>", results_text(r, pair->best_row, c->endpoint));
    add_time(out, pair->best_ps);
    add_time(out, pair->time_ps);
    if (built) {
        g_autofree char *text = compare_built_text(c, pair);

        html_add(out, "<td class=\"minor\">%s</td>", text);
    }
    if (pair->ideal_ps > 0)
        g_string_append_printf(out, "<td class=\"n minor\">%.2fx</td>",
                               (double)pair->best_ps / (double)pair->ideal_ps);
    else if (ideal)
        g_string_append(out, "<td class=\"n minor\">-</td>");
    g_string_append(out, "</tr>\n");
}

static void write_pairs(GString *out, const Results *r, guint max_rows)
{
    const Comparison *c = r->comparison;
    gboolean ideal = has_ideal(c), built = has_built(c);
    guint n = 0;

    open_table(out, r, TRUE);
    for (guint i = 0; i < c->pairs->len && n < max_rows; i++) {
        if (!answer_is_main(c, compare_pair(c, i)))
            continue;
        add_pair(out, r, compare_pair(c, i), ideal, built);
        n++;
    }
    close_table(out);
}

/* ---- means of each workload and size -------------------------------- */

typedef struct {
    guint row; /* row of the first pair */
    double sum, least, most;
    guint n, n_faster;
} Size;

static void add_to_size(Size *size, double speedup)
{
    size->n++;
    size->n_faster += speedup >= COMPARE_MIN_GAIN;
    size->sum += speedup;
    size->least = MIN(size->least, speedup);
    size->most = MAX(size->most, speedup);
}

/* Returns an array of Size, in the order of their first pairs.  The caller owns
 * it. */
static GArray *sizes_of(const Results *r)
{
    const Comparison *c = r->comparison;
    g_autoptr(GHashTable) index =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(Size));

    for (guint i = 0; i < c->pairs->len; i++) {
        const ComparePair *pair = compare_pair(c, i);
        Size size = { .row = pair->row, .least = G_MAXDOUBLE };
        g_autofree char *id = NULL;
        gpointer at;

        if (!answer_is_main(c, pair))
            continue;
        id = answer_size(r, pair->row);
        if (!g_hash_table_lookup_extended(index, id, NULL, &at)) {
            at = GUINT_TO_POINTER(sizes->len);
            g_hash_table_insert(index, g_steal_pointer(&id), at);
            g_array_append_val(sizes, size);
        }
        add_to_size(&g_array_index(sizes, Size, GPOINTER_TO_UINT(at)),
                    compare_speedup(pair));
    }
    return sizes;
}

static void add_size(GString *out, const Results *r, const Size *size)
{
    const Comparison *c = r->comparison;
    double mean = size->sum / size->n;

    html_add(out, "<tr><td>%s</td><td class=\"n\">%s</td>",
             results_text(r, size->row, c->workload),
             results_text(r, size->row, c->n_npus));
    g_string_append_printf(out,
                           "<td class=\"n%s\">%.2fx</td>"
                           "<td class=\"n\">%.2fx</td>"
                           "<td class=\"n\">%.2fx</td>"
                           "<td class=\"n minor\">%u</td>"
                           "<td class=\"n minor\">%u</td></tr>\n",
                           class_of(mean), mean, size->least, size->most,
                           size->n, size->n_faster);
}

static void write_sizes(GString *out, const Results *r)
{
    g_autoptr(GArray) sizes = sizes_of(r);

    open_table(out, r, FALSE);
    for (guint i = 0; i < MIN(sizes->len, MAX_SIZES); i++)
        add_size(out, r, &g_array_index(sizes, Size, i));
    close_table(out);
    if (sizes->len > MAX_SIZES)
        g_string_append_printf(out,
                               "<p>The first %d of %u pairs of workload and "
                               "size; `acesim compare` writes them all.</p>\n",
                               MAX_SIZES, sizes->len);
}

/* ---- choosing and writing the table -------------------------------------- */

static guint n_main(const Comparison *c)
{
    guint n = 0;

    for (guint i = 0; i < c->pairs->len; i++)
        n += answer_is_main(c, compare_pair(c, i)) ? 1 : 0;
    return n;
}

void answer_write_table(GString *out, const Results *r)
{
    const Comparison *c = r->comparison;

    if (!c) {
        answer_rank_table(out, r);
        return;
    }
    if (n_main(c) <= MAX_ROWS)
        write_pairs(out, r, MAX_ROWS);
    else
        write_sizes(out, r);
    if (!has_built(c)) {
        g_autofree char *why = compare_untuned_note(c);

        html_add(out, "<p>%s.</p>\n", why);
    }
}

void answer_write_all(GString *out, const Results *r)
{
    const Comparison *c = r->comparison;

    if (!c || n_main(c) <= MAX_ROWS)
        return;
    g_string_append(out, "<section>\n<h2>All comparisons</h2>\n");
    if (n_main(c) > MAX_ALL_ROWS)
        g_string_append_printf(out,
                               "<p>The first %d of %u; `acesim compare` writes "
                               "them all.</p>\n",
                               MAX_ALL_ROWS, n_main(c));
    write_pairs(out, r, MAX_ALL_ROWS);
    g_string_append(out, "</section>\n");
}
