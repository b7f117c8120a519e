/*
 * compare_answer_text.c - a comparison as an answer of a few lines; see
 * compare_answer_text.h
 */
#include "sim/view/text/compare_answer_text.h"

#include <math.h>

#include "sim/core/aligned_table.h"

/* Speedups of one workload, or of all: n is 0 if none is known. */
typedef struct {
    double sum_log, min, max;
    guint n;
} SpeedupRange;

static void add_speedup_to_range(SpeedupRange *range, double speedup)
{
    if (speedup <= 0)
        return;
    range->sum_log += log(speedup);
    range->min = range->n > 0 ? MIN(range->min, speedup) : speedup;
    range->max = range->n > 0 ? MAX(range->max, speedup) : speedup;
    range->n++;
}

static double mean_of_speedup_range(const SpeedupRange *range)
{
    return exp(range->sum_log / range->n);
}

static char *speedup_range_text(const SpeedupRange *range)
{
    return range->n > 0 ? g_strdup_printf("%.2fx (%.2f-%.2f)",
                                          mean_of_speedup_range(range),
                                          range->min, range->max)
                        : g_strdup("-");
}

/* Sets the ranges to those of the pairs of @offload with @workload, or with any
 * if it is NULL. */
static void collect_speedups_of_pairs(const Comparison *comparison,
                                      const char *offload, const char *workload,
                                      SpeedupRange *best,
                                      SpeedupRange *published)
{
    *best = *published = (SpeedupRange){ 0 };
    for (guint i = 0; i < comparison->pairs->len; i++) {
        const ComparePair *pair = compare_pair(comparison, i);

        if (!g_str_equal(compare_offload_name(comparison, pair), offload) ||
            (workload &&
             !g_str_equal(csv_table_text(comparison->table, pair->row,
                                         comparison->workload),
                          workload)))
            continue;
        add_speedup_to_range(best, compare_built_speedup(pair));
        if (pair->built_ps == 0 || compare_has_published(comparison))
            add_speedup_to_range(published, compare_speedup(pair));
    }
}

static void add_answer_row(const Comparison *comparison, const char *offload,
                           const char *workload, Table *table)
{
    SpeedupRange best, published;
    g_autofree char *over_best = NULL;
    g_autofree char *over_published = NULL;

    collect_speedups_of_pairs(comparison, offload, workload, &best, &published);
    over_best = speedup_range_text(&best);
    over_published = speedup_range_text(&published);
    table_add_cell(table, workload);
    table_add_cell(table, over_best);
    table_add_cell(table, over_published);
}

/* Returns whether no speedup of @offload over the best is a measurable gain,
 * and sets *@error_percent to the largest expected error. */
static gboolean is_no_gain(const Comparison *comparison, const char *offload,
                           double *error_percent)
{
    gboolean none = TRUE;

    *error_percent = 0;
    for (guint i = 0; i < comparison->pairs->len; i++) {
        const ComparePair *pair = compare_pair(comparison, i);

        if (!g_str_equal(compare_offload_name(comparison, pair), offload) ||
            pair->built_ps == 0)
            continue;
        *error_percent = MAX(*error_percent, pair->built_error_percent);
        none = none && compare_verdict(compare_built_speedup(pair),
                                       pair->built_error_percent) ==
                           COMPARE_NO_DIFFERENCE;
    }
    return none;
}

static void append_verdict_sentence(GString *out, const Comparison *comparison,
                                    const char *offload)
{
    double error_percent;
    SpeedupRange best, published;
    g_autofree char *least = NULL;
    g_autofree char *most = NULL;

    collect_speedups_of_pairs(comparison, offload, NULL, &best, &published);
    if (best.n == 0) {
        g_string_append(out, "Published baselines only: these may not be the "
                             "best that could be built.\n");
        return;
    }
    if (is_no_gain(comparison, offload, &error_percent)) {
        g_string_append(out, "No measurable gain over the best without it");
        if (error_percent > 0)
            g_string_append_printf(
                out, ": errors of up to %.3g %% are expected", error_percent);
        g_string_append(out, ".\n");
        return;
    }
    least = g_strdup_printf("%.2f", best.min);
    most = g_strdup_printf("%.2f", best.max);
    g_string_append_printf(out,
                           "%s%s%s times as fast as the best without "
                           "it.\n",
                           g_str_equal(least, most) ? "" : least,
                           g_str_equal(least, most) ? "" : " to ", most);
}

char *compare_answer_text(const Comparison *comparison)
{
    static const TableColumn columns[] = {
        { "", FALSE, 0 },
        { "over the best without it", FALSE, 0 },
        { "over published baselines", FALSE, 0 },
    };
    const char *offload = g_ptr_array_index(comparison->offloads, 0);
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    GString *out = g_string_new(NULL);

    g_string_append_printf(out,
                           "Is a collective engine (%s) worth it? "
                           "Geometric mean (range)\n",
                           offload);
    for (guint i = 0; i < comparison->pairs->len; i++) {
        const char *workload =
            csv_table_text(comparison->table, compare_pair(comparison, i)->row,
                           comparison->workload);

        if (g_hash_table_add(seen, (gpointer)workload))
            add_answer_row(comparison, offload, workload, table);
    }
    table_write(table, out, 2, 0);
    append_verdict_sentence(out, comparison, offload);
    return g_string_free(out, FALSE);
}
