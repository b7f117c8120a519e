/* compare_mean.c - speedups of pairs, and their means over the numbers of
 * NPUs */
#include "sim/study/compare/compare_impl.h"

#include <math.h>

static const char *cell_of_compared_row(const Comparison *comparison, guint row,
                                        guint column)
{
    return csv_table_text(comparison->table, row, column);
}

const char *compare_offload_name(const Comparison *comparison,
                                 const ComparePair *pair)
{
    return cell_of_compared_row(comparison, pair->row, comparison->endpoint);
}

gboolean compare_has_published(const Comparison *comparison)
{
    for (guint i = 0; i < comparison->baselines->len; i++)
        if (!g_ptr_array_find_with_equal_func(
                comparison->best, g_ptr_array_index(comparison->baselines, i),
                g_str_equal, NULL))
            return TRUE;
    return FALSE;
}

double compare_speedup(const ComparePair *pair)
{
    return pair->time_ps > 0 ? (double)pair->best_ps / (double)pair->time_ps
                             : 0;
}

double compare_speedup_ceiling(const ComparePair *pair)
{
    return pair->roofline_ps > 0
               ? (double)pair->best_ps / (double)pair->roofline_ps
               : 0;
}

double compare_built_speedup(const ComparePair *pair)
{
    return pair->time_ps > 0 ? (double)pair->built_ps / (double)pair->time_ps
                             : 0;
}

const char *const compare_verdict_names[] = {
    [COMPARE_FASTER] = "faster",
    [COMPARE_SLOWER] = "slower",
    [COMPARE_NO_DIFFERENCE] = "no measurable difference",
};

CompareVerdict compare_verdict(double speedup, double error_percent)
{
    if (expected_error_hides_ratio(speedup, error_percent))
        return COMPARE_NO_DIFFERENCE;
    if (speedup >= COMPARE_MIN_GAIN)
        return COMPARE_FASTER;
    return speedup < COMPARE_MAX_LOSS ? COMPARE_SLOWER : COMPARE_NO_DIFFERENCE;
}

gboolean compare_gains_over_baselines_only(const ComparePair *pair)
{
    return pair->built_ps > 0 && compare_speedup(pair) >= COMPARE_MIN_GAIN &&
           compare_built_speedup(pair) < COMPARE_MIN_GAIN;
}

char *compare_built_text(const Comparison *comparison, const ComparePair *pair)
{
    guint row = pair->built_row;
    const char *name;
    double sms, share;

    if (pair->built_ps == 0)
        return g_strdup("-");
    name = cell_of_compared_row(comparison, row, comparison->endpoint);
    if (!comparison->has_tried ||
        *cell_of_compared_row(comparison, row, comparison->tried) == '\0' ||
        !csv_table_number(comparison->table, row, comparison->sms, &sms, NULL))
        return g_strdup(name);
    if (!csv_table_number(comparison->table, row, comparison->share, &share,
                          NULL))
        return g_strdup_printf("%s (%.6g SMs)", name, sms);
    return g_strdup_printf("%s (%.6g SMs, %.6g GB/s)", name, sms, share);
}

/* Cells are joined by a unit separator, which they cannot contain. */
void compare_group_identity(const Comparison *comparison, guint row,
                            gboolean with_size, GString *id)
{
    g_string_assign(
        id, cell_of_compared_row(comparison, row, comparison->workload));
    for (guint i = 0; i < comparison->keys->len; i++) {
        g_string_append_c(id, '\x1f');
        g_string_append(id, cell_of_compared_row(
                                comparison, row,
                                g_array_index(comparison->keys, guint, i)));
    }
    if (!with_size)
        return;
    g_string_append_c(id, '\x1f');
    g_string_append(id,
                    cell_of_compared_row(comparison, row, comparison->n_npus));
}

/* ---- mean speedups over the numbers of NPUs ------------------------------ */

static CompareMean *mean_of_run_pair(const Comparison *comparison, guint i)
{
    const ComparePair *pair = compare_pair(comparison, i);
    GHashTable *means = g_ptr_array_index(comparison->means, pair->set);
    const char *offload = compare_offload_name(comparison, pair);
    CompareMean *mean = g_hash_table_lookup(means, offload);

    if (mean)
        return mean;
    mean = g_new0(CompareMean, 1);
    mean->first = i;
    g_hash_table_insert(means, (gpointer)offload, mean);
    return mean;
}

/* Returns the number of the set of pair @i; adds the set if it is new. */
static guint find_or_add_pair_set(Comparison *comparison, GHashTable *sets,
                                  guint i, GString *id)
{
    gpointer set;

    compare_group_identity(comparison, compare_pair(comparison, i)->row, FALSE,
                           id);
    if (g_hash_table_lookup_extended(sets, id->str, NULL, &set))
        return GPOINTER_TO_UINT(set);
    g_hash_table_insert(sets, g_strdup(id->str),
                        GUINT_TO_POINTER(comparison->first_pairs->len));
    g_array_append_val(comparison->first_pairs, i);
    g_ptr_array_add(
        comparison->means,
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free));
    return comparison->first_pairs->len - 1;
}

/* Adds the logarithm of a known ratio to @sum; returns 1, or 0 if it is
 * unknown. */
static guint add_logarithm_of_ratio(double *sum, double ratio)
{
    if (ratio <= 0)
        return 0;
    *sum += log(ratio);
    return 1;
}

/* The logarithms of the speedups are added in the order of the pairs;
 * compare_mean() divides the sums.  A speedup of 0 is unknown. */
void compare_add_means(Comparison *comparison)
{
    g_autoptr(GHashTable) sets =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GString) id = g_string_new(NULL);

    g_assert(!comparison->first_pairs && !comparison->means);
    comparison->first_pairs = g_array_new(FALSE, FALSE, sizeof(guint));
    comparison->means =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
    for (guint i = 0; i < comparison->pairs->len; i++) {
        ComparePair *pair = &g_array_index(comparison->pairs, ComparePair, i);
        CompareMean *mean;

        pair->set = find_or_add_pair_set(comparison, sets, i, id);
        mean = mean_of_run_pair(comparison, i);
        mean->n_pairs +=
            add_logarithm_of_ratio(&mean->speedup, compare_speedup(pair));
        mean->max_speedup = MAX(mean->max_speedup, compare_speedup(pair));
        mean->n_ceilings += add_logarithm_of_ratio(
            &mean->ceiling, compare_speedup_ceiling(pair));
        mean->n_built += add_logarithm_of_ratio(&mean->built_speedup,
                                                compare_built_speedup(pair));
        mean->max_built_speedup =
            MAX(mean->max_built_speedup, compare_built_speedup(pair));
    }
}

gboolean compare_is_first_of_set(const Comparison *comparison, guint i)
{
    return g_array_index(comparison->first_pairs, guint,
                         compare_pair(comparison, i)->set) == i;
}

/* Returns 0 if there is nothing to average. */
static double geometric_mean(double sum_of_logarithms, guint n)
{
    return n > 0 ? exp(sum_of_logarithms / n) : 0;
}

CompareMean compare_mean(const Comparison *comparison, const ComparePair *like,
                         const char *offload)
{
    GHashTable *means = g_ptr_array_index(comparison->means, like->set);
    const CompareMean *sums = g_hash_table_lookup(means, offload);
    CompareMean mean = { 0 };

    if (!sums)
        return mean;
    mean = *sums;
    mean.speedup = geometric_mean(mean.speedup, mean.n_pairs);
    mean.ceiling = geometric_mean(mean.ceiling, mean.n_ceilings);
    mean.built_speedup = geometric_mean(mean.built_speedup, mean.n_built);
    return mean;
}
