/* answer.c - question, answer and table of endpoints that are compared */
#include "sim/cli/report/answer_impl.h"

#define PAYS         1.005 /* less is no gain once it is rounded */
#define COSTS        0.995 /* and less than this a loss */
#define MAX_PLACES   2     /* that a sentence names */
#define MAX_ROWS     16    /* of the table on the first screen */
#define MAX_ALL_ROWS 500

static gboolean is_main(const Comparison *c, const ComparePair *pair)
{
    return g_str_equal(compare_offload(c, pair),
                       g_ptr_array_index(c->offloads, 0));
}

/* ---- sentences -------------------------------------------------------- */

/* "a, b and c". */
static char *enumerate(const GPtrArray *names)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(out, "%s%s",
                               i == 0                ? ""
                               : i + 1 == names->len ? " and "
                                                     : ", ",
                               (char *)g_ptr_array_index(names, i));
    return g_string_free(out, FALSE);
}

char *answer_question(const Results *r)
{
    const Comparison *c = r->comparison;
    g_autofree char *baselines = NULL;

    if (!c)
        return answer_rank_question(r);
    baselines = enumerate(c->baselines);
    return g_strdup_printf(
        "How much faster is an iteration with %s than with %s%s?",
        (char *)g_ptr_array_index(c->offloads, 0),
        c->baselines->len > 1 ? "the fastest of " : "", baselines);
}

typedef struct {
    guint n, n_pays, n_costs;
    double mean;
    const ComparePair *most, *least; /* NULL: there is no pair */
} Totals;

static Totals totals_of(const Comparison *c)
{
    Totals t = { 0 };

    for (guint i = 0; i < c->pairs->len; i++) {
        const ComparePair *pair = compare_pair(c, i);
        double speedup = compare_speedup(pair);

        if (!is_main(c, pair))
            continue;
        t.n++;
        t.n_pays += speedup >= PAYS;
        t.n_costs += speedup < COSTS;
        t.mean += speedup;
        if (!t.most || speedup > compare_speedup(t.most))
            t.most = pair;
        if (!t.least || speedup < compare_speedup(t.least))
            t.least = pair;
    }
    t.mean /= MAX(t.n, 1);
    return t;
}

/* Where the offload gains nothing, as far as a sentence can say it. */
static void append_losses(const Results *r, const Totals *t, GString *out)
{
    const Comparison *c = r->comparison;
    guint n_said = 0;

    g_string_append(out, " It does not pay on ");
    for (guint i = 0; i < c->pairs->len && n_said < MAX_PLACES; i++) {
        const ComparePair *pair = compare_pair(c, i);
        g_autofree char *where = answer_where(r, pair->row);

        if (!is_main(c, pair) || compare_speedup(pair) >= PAYS)
            continue;
        g_string_append_printf(out, "%s%s (%.2f times)",
                               n_said++ > 0 ? "; " : "", where,
                               compare_speedup(pair));
    }
    if (t->n - t->n_pays > n_said)
        g_string_append_printf(out, "; and %u more", t->n - t->n_pays - n_said);
    g_string_append_c(out, '.');
}

/* "faster on 2 of 3 points", or slower where it is nowhere faster. */
static void append_count(const Results *r, const Totals *t, GString *out)
{
    const Comparison *c = r->comparison;
    const char *points =
        c->keys->len > 0 ? "points" : "pairs of workload and size";

    g_string_append_printf(out, "%s is ",
                           (char *)g_ptr_array_index(c->offloads, 0));
    if (t->n_pays == 0 && t->n_costs == t->n)
        g_string_append_printf(out, "slower on %u of %u %s", t->n, t->n,
                               points);
    else if (t->n_pays == 0 && t->n_costs == 0)
        g_string_append_printf(out, "neither faster nor slower on %s%u %s",
                               t->n > 1 ? "all " : "", t->n, points);
    else if (t->n_pays == 0)
        g_string_append_printf(out, "faster on none of %u %s and slower on %u",
                               t->n, points, t->n_costs);
    else
        g_string_append_printf(out, "faster on %u of %u %s", t->n_pays, t->n,
                               points);
}

static gboolean is_same_rounded(double a, double b)
{
    g_autofree char *first = g_strdup_printf("%.2f", a);
    g_autofree char *second = g_strdup_printf("%.2f", b);

    return g_str_equal(first, second);
}

/* How much faster or slower, and on what most and least. */
static void append_extent(const Results *r, const Totals *t, GString *out)
{
    double max = compare_speedup(t->most), min = compare_speedup(t->least);
    g_autofree char *most = answer_where(r, t->most->row);
    g_autofree char *least = answer_where(r, t->least->row);

    if (is_same_rounded(min, max)) {
        g_string_append_printf(out, ": %.2f times as fast%s.", max,
                               t->n > 1 ? " on each" : "");
        return;
    }
    g_string_append_printf(out, ": %.2f times as fast on average, ", t->mean);
    if (t->n_pays == 0)
        g_string_append_printf(out, "%.2f (%s) at best, %.2f (%s) at worst.",
                               max, most, min, least);
    else
        g_string_append_printf(out, "at best %.2f times (%s).", max, most);
    if (t->n_pays == t->n)
        g_string_append_printf(out, " It helps least on %s (%.2f times).",
                               least, min);
    else if (t->n_pays > 0)
        append_losses(r, t, out);
}

static double number(const Results *r, guint row, const char *column)
{
    return results_number(r, row, column);
}

/* Where it is slower although it exposes less, the rows show why. */
static void append_cause(const Results *r, const Totals *t, GString *out)
{
    guint row = t->least->row, base = t->least->best_row;
    double more_us, less_us;

    if (compare_speedup(t->least) >= COSTS ||
        !results_check_number(r, "compute_time_us", NULL) ||
        !results_check_number(r, "exposed_comm_us", NULL))
        return;
    more_us =
        number(r, row, "compute_time_us") - number(r, base, "compute_time_us");
    less_us =
        number(r, base, "exposed_comm_us") - number(r, row, "exposed_comm_us");
    if (more_us <= 0 || less_us < 0 || more_us <= less_us)
        return;
    g_string_append_printf(
        out,
        " Where it is slowest, what it keeps from compute costs more than it "
        "hides: "
        "compute_time_us is %.0f more than the baseline's, exposed_comm_us "
        "%.0f less.",
        more_us, less_us);
}

char *answer_sentence(const Results *r)
{
    const Comparison *c = r->comparison;
    GString *out;
    Totals t;

    if (!c)
        return answer_rank_sentence(r);
    t = totals_of(c);
    if (t.n == 0)
        return g_strdup_printf("No run with %s came to a result.",
                               (char *)g_ptr_array_index(c->offloads, 0));
    out = g_string_new(NULL);
    append_count(r, &t, out);
    append_extent(r, &t, out);
    append_cause(r, &t, out);
    return g_string_free(out, FALSE);
}

/* ---- tables ----------------------------------------------------------- */

static gboolean has_ideal(const Comparison *c)
{
    for (guint i = 0; i < c->pairs->len; i++)
        if (compare_pair(c, i)->ideal_ps > 0)
            return TRUE;
    return FALSE;
}

/* What rounds to 1.00 is neither. */
static const char *class_of(double speedup)
{
    return speedup >= PAYS ? " win" : speedup < COSTS ? " loss" : "";
}

/* Columns stand in the order in which a narrow page needs them: what it is of,
 * the speedups, how they came about.  Those of class `minor` are not shown
 * there (page.css). */
static void open_table(GString *out, const Results *r, gboolean keys)
{
    const Comparison *c = r->comparison;

    const char *offload = g_ptr_array_index(c->offloads, 0);

    g_string_append(
        out, "<div class=\"wide\">\n<table>\n<thead><tr><th>workload</th>"
             "<th class=\"n\">NPUs</th>");
    g_string_append_printf(out, "<th class=\"n\">%sspeedup</th>",
                           keys ? "" : "mean ");
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
    g_autofree char *text = summary_time(ps);

    html_add(out, "<td class=\"n minor\">%s</td>", text);
}

static void add_pair(GString *out, const Results *r, const ComparePair *pair)
{
    const Comparison *c = r->comparison;
    double speedup = compare_speedup(pair);

    html_add(out, "<tr><td>%s</td><td class=\"n\">%s</td>",
             results_text(r, pair->row, c->workload),
             results_text(r, pair->row, c->n_npus));
    g_string_append_printf(out, "<td class=\"n%s\">%.2fx</td>",
                           class_of(speedup), speedup);
    for (guint k = 0; k < c->keys->len; k++)
        html_add(out, "<td>%s</td>",
                 results_text(r, pair->row, g_array_index(c->keys, guint, k)));
    html_add(out, "<td>%s</td>", results_text(r, pair->best_row, c->endpoint));
    add_time(out, pair->best_ps);
    add_time(out, pair->time_ps);
    if (pair->ideal_ps > 0)
        g_string_append_printf(out, "<td class=\"n minor\">%.2fx</td>",
                               (double)pair->best_ps / (double)pair->ideal_ps);
    else if (has_ideal(c))
        g_string_append(out, "<td class=\"n minor\">-</td>");
    g_string_append(out, "</tr>\n");
}

static void write_pairs(GString *out, const Results *r, guint max_rows)
{
    const Comparison *c = r->comparison;
    guint n = 0;

    open_table(out, r, TRUE);
    for (guint i = 0; i < c->pairs->len && n < max_rows; i++) {
        if (!is_main(c, compare_pair(c, i)))
            continue;
        add_pair(out, r, compare_pair(c, i));
        n++;
    }
    close_table(out);
}

static gboolean is_same_size(const Results *r, const ComparePair *a,
                             const ComparePair *b)
{
    return g_str_equal(results_text(r, a->row, r->workload),
                       results_text(r, b->row, r->workload)) &&
           g_str_equal(results_text(r, a->row, r->n_npus),
                       results_text(r, b->row, r->n_npus));
}

static gboolean is_first_of_size(const Results *r, guint i)
{
    const Comparison *c = r->comparison;

    if (!is_main(c, compare_pair(c, i)))
        return FALSE;
    for (guint k = 0; k < i; k++)
        if (is_main(c, compare_pair(c, k)) &&
            is_same_size(r, compare_pair(c, k), compare_pair(c, i)))
            return FALSE;
    return TRUE;
}

static void add_size(GString *out, const Results *r, const ComparePair *like)
{
    const Comparison *c = r->comparison;
    double mean = 0, least = G_MAXDOUBLE, most = 0;
    guint n = 0, n_pays = 0;

    for (guint i = 0; i < c->pairs->len; i++) {
        double speedup = compare_speedup(compare_pair(c, i));

        if (!is_main(c, compare_pair(c, i)) ||
            !is_same_size(r, compare_pair(c, i), like))
            continue;
        n++;
        n_pays += speedup >= PAYS;
        mean += speedup;
        least = MIN(least, speedup);
        most = MAX(most, speedup);
    }
    html_add(out, "<tr><td>%s</td><td class=\"n\">%s</td>",
             results_text(r, like->row, c->workload),
             results_text(r, like->row, c->n_npus));
    g_string_append_printf(out,
                           "<td class=\"n%s\">%.2fx</td>"
                           "<td class=\"n\">%.2fx</td>"
                           "<td class=\"n\">%.2fx</td>"
                           "<td class=\"n minor\">%u</td>"
                           "<td class=\"n minor\">%u</td></tr>\n",
                           class_of(mean / n), mean / n, least, most, n,
                           n_pays);
}

static guint n_main(const Comparison *c)
{
    guint n = 0;

    for (guint i = 0; i < c->pairs->len; i++)
        n += is_main(c, compare_pair(c, i)) ? 1 : 0;
    return n;
}

void answer_write_table(GString *out, const Results *r)
{
    const Comparison *c = r->comparison;

    if (!c) {
        answer_rank_table(out, r);
    } else if (n_main(c) <= MAX_ROWS) {
        write_pairs(out, r, MAX_ROWS);
    } else {
        open_table(out, r, FALSE);
        for (guint i = 0; i < c->pairs->len; i++)
            if (is_first_of_size(r, i))
                add_size(out, r, compare_pair(c, i));
        close_table(out);
    }
}

void answer_write_rest(GString *out, const Results *r)
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
