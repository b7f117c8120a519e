/* report_answer.c - question and answer of a report that compares endpoints */
#include "sim/view/report/report_answer_impl.h"

#define MAX_PLACES 2  /* limit of the points named in one sentence */
#define MAX_NAMES  20 /* limit of the endpoints named in the question */

/* ---- the sentences of the answer ----------------------------------------- */

/* Returns "a, b and c", or "a, b and 7 more". The caller owns the text. */
static char *join_names_with_and(const GPtrArray *names)
{
    GString *out = g_string_new(NULL);
    guint n = names->len > MAX_NAMES ? MAX_NAMES : names->len;

    for (guint i = 0; i < n; i++)
        g_string_append_printf(out, "%s%s",
                               i == 0                ? ""
                               : i + 1 == names->len ? " and "
                                                     : ", ",
                               (char *)g_ptr_array_index(names, i));
    if (n < names->len)
        g_string_append_printf(out, " and %u more", names->len - n);
    return g_string_free(out, FALSE);
}

char *report_question_text(const SweepResults *r)
{
    const Comparison *c = r->comparison;
    g_autofree char *baselines = NULL;

    if (!c)
        return ranking_question_text(r);
    baselines = join_names_with_and(c->baselines);
    return g_strdup_printf(
        "How much faster is an iteration with %s than with %s%s?",
        (char *)g_ptr_array_index(c->offloads, 0),
        c->baselines->len > 1 ? "the fastest of " : "", baselines);
}

typedef struct {
    guint n, n_faster, n_slower;
    double mean;
    const ComparePair *most, *least; /* NULL if there is no pair */
} ComparisonTotals;

static ComparisonTotals sum_comparison_totals(const Comparison *c)
{
    ComparisonTotals t = { 0 };

    for (guint i = 0; i < c->pairs->len; i++) {
        const ComparePair *pair = compare_pair(c, i);
        double speedup = compare_speedup(pair);

        if (!is_pair_of_main_offload(c, pair))
            continue;
        t.n++;
        t.n_faster += speedup >= COMPARE_MIN_GAIN;
        t.n_slower += speedup < COMPARE_MAX_LOSS;
        t.mean += speedup;
        if (!t.most || speedup > compare_speedup(t.most))
            t.most = pair;
        if (!t.least || speedup < compare_speedup(t.least))
            t.least = pair;
    }
    t.mean /= MAX(t.n, 1);
    return t;
}

/* Appends the points on which the offload gains nothing, as far as they fit. */
static void append_points_without_gain(const SweepResults *r,
                                       const ComparisonTotals *t, GString *out)
{
    const Comparison *c = r->comparison;
    guint n_said = 0;

    g_string_append(out, " It does not pay on ");
    for (guint i = 0; i < c->pairs->len && n_said < MAX_PLACES; i++) {
        const ComparePair *pair = compare_pair(c, i);
        g_autofree char *where = NULL;

        if (!is_pair_of_main_offload(c, pair) ||
            compare_speedup(pair) >= COMPARE_MIN_GAIN)
            continue;
        where = describe_row_point(r, pair->row);
        g_string_append_printf(out, "%s%s (%.2f times)",
                               n_said++ > 0 ? "; " : "", where,
                               compare_speedup(pair));
    }
    if (t->n - t->n_faster > n_said)
        g_string_append_printf(out, "; and %u more",
                               t->n - t->n_faster - n_said);
    g_string_append_c(out, '.');
}

/* Appends "faster on 2 of 3 points", or "slower on" if it is faster on none. */
static void append_faster_count(const SweepResults *r,
                                const ComparisonTotals *t, GString *out)
{
    const Comparison *c = r->comparison;
    const char *points =
        c->keys->len > 0 ? "points" : "pairs of workload and size";

    g_string_append_printf(out, "%s is ",
                           (char *)g_ptr_array_index(c->offloads, 0));
    if (t->n_faster == 0 && t->n_slower == t->n)
        g_string_append_printf(out, "slower on %u of %u %s", t->n, t->n,
                               points);
    else if (t->n_faster == 0 && t->n_slower == 0)
        g_string_append_printf(out, "neither faster nor slower on %s%u %s",
                               t->n > 1 ? "all " : "", t->n, points);
    else if (t->n_faster == 0)
        g_string_append_printf(out, "faster on none of %u %s and slower on %u",
                               t->n, points, t->n_slower);
    else
        g_string_append_printf(out, "faster on %u of %u %s", t->n_faster, t->n,
                               points);
}

static gboolean is_equal_after_rounding(double a, double b)
{
    g_autofree char *first = g_strdup_printf("%.2f", a);
    g_autofree char *second = g_strdup_printf("%.2f", b);

    return g_str_equal(first, second);
}

/* Appends the largest and the smallest speedup and their points. */
static void append_speedup_extremes(const SweepResults *r,
                                    const ComparisonTotals *t, GString *out)
{
    double max = compare_speedup(t->most), min = compare_speedup(t->least);
    g_autofree char *most = describe_row_point(r, t->most->row);
    g_autofree char *least = describe_row_point(r, t->least->row);

    if (is_equal_after_rounding(min, max)) {
        g_string_append_printf(out, ": %.2f times as fast%s.", max,
                               t->n > 1 ? " on each" : "");
        return;
    }
    g_string_append_printf(out, ": %.2f times as fast on average, ", t->mean);
    if (t->n_faster == 0)
        g_string_append_printf(out, "%.2f (%s) at best, %.2f (%s) at worst.",
                               max, most, min, least);
    else
        g_string_append_printf(out, "at best %.2f times (%s).", max, most);
    if (t->n_faster == t->n)
        g_string_append_printf(out, " It helps least on %s (%.2f times).",
                               least, min);
    else if (t->n_faster > 0)
        append_points_without_gain(r, t, out);
}

static double results_cell_as_number(const SweepResults *r, guint row,
                                     const char *column)
{
    return results_cell_number(r, row, column);
}

/* Explains a slowdown despite less exposed communication: compute takes
 * longer. */
static void append_slowdown_cause(const SweepResults *r,
                                  const ComparisonTotals *t, GString *out)
{
    guint row = t->least->row, base = t->least->best_row;
    double more_us, less_us;

    if (compare_speedup(t->least) >= COMPARE_MAX_LOSS ||
        !results_check_number_column(r, "compute_time_us", NULL) ||
        !results_check_number_column(r, "exposed_comm_us", NULL))
        return;
    more_us = results_cell_as_number(r, row, "compute_time_us") -
              results_cell_as_number(r, base, "compute_time_us");
    less_us = results_cell_as_number(r, base, "exposed_comm_us") -
              results_cell_as_number(r, row, "exposed_comm_us");
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

/* Appends the speedup over the best baseline that could be built, and the
 * points on which it changes the winner. */
static void append_built_speedup(const SweepResults *r, GString *out)
{
    const Comparison *c = r->comparison;
    const ComparePair *most = NULL;
    guint n = 0, n_gains = 0, n_disputed = 0, n_slower = 0;
    g_autofree char *names = join_names_with_and(c->best);
    g_autofree char *where = NULL;
    double sum = 0;

    for (guint i = 0; i < c->pairs->len; i++) {
        const ComparePair *pair = compare_pair(c, i);
        double speedup = compare_built_speedup(pair);

        if (!is_pair_of_main_offload(c, pair) || pair->built_ps == 0)
            continue;
        n++;
        sum += speedup;
        n_gains += compare_speedup(pair) >= COMPARE_MIN_GAIN ? 1 : 0;
        n_disputed += compare_is_disputed(pair) ? 1 : 0;
        n_slower += speedup < COMPARE_MAX_LOSS ? 1 : 0;
        if (!most || speedup > compare_built_speedup(most))
            most = pair;
    }
    if (n == 0)
        return;
    where = describe_row_point(r, most->row);
    g_string_append_printf(out,
                           " Against the best that could be built without it "
                           "(%s) it is %.2f times as fast on average, at best "
                           "%.2f times (%s)",
                           names, sum / n, compare_built_speedup(most), where);
    if (n_disputed > 0)
        g_string_append_printf(out,
                               ": on %u of the %u where it is faster than the "
                               "baselines it is not faster than what could be "
                               "built",
                               n_disputed, n_gains);
    if (n_slower > 0)
        g_string_append_printf(out, "; it is slower on %u", n_slower);
    g_string_append_c(out, '.');
}

char *report_answer_sentence(const SweepResults *r)
{
    const Comparison *c = r->comparison;
    GString *out;
    ComparisonTotals t;

    if (!c)
        return ranking_answer_sentence(r);
    t = sum_comparison_totals(c);
    if (t.n == 0)
        return g_strdup_printf("No run with %s came to a result.",
                               (char *)g_ptr_array_index(c->offloads, 0));
    out = g_string_new(NULL);
    append_faster_count(r, &t, out);
    append_speedup_extremes(r, &t, out);
    append_slowdown_cause(r, &t, out);
    append_built_speedup(r, out);
    return g_string_free(out, FALSE);
}
