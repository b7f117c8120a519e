/* compare_mean.c - speedups of pairs, and their means over the numbers of
 * NPUs */
#include "sim/study/compare/compare_impl.h"

#include <math.h>

static const char *cell_of_compared_row(const Comparison *c, guint row,
                                        guint column)
{
    return csv_table_text(c->table, row, column);
}

const char *compare_offload_name(const Comparison *c, const ComparePair *pair)
{
    return cell_of_compared_row(c, pair->row, c->endpoint);
}

gboolean compare_has_published(const Comparison *c)
{
    for (guint i = 0; i < c->baselines->len; i++)
        if (!g_ptr_array_find_with_equal_func(
                c->best, g_ptr_array_index(c->baselines, i), g_str_equal, NULL))
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

char *compare_built_text(const Comparison *c, const ComparePair *pair)
{
    guint row = pair->built_row;
    const char *name;
    double sms, share;

    if (pair->built_ps == 0)
        return g_strdup("-");
    name = cell_of_compared_row(c, row, c->endpoint);
    if (!c->has_tried || *cell_of_compared_row(c, row, c->tried) == '\0' ||
        !csv_table_number(c->table, row, c->sms, &sms, NULL))
        return g_strdup(name);
    if (!csv_table_number(c->table, row, c->share, &share, NULL))
        return g_strdup_printf("%s (%.6g SMs)", name, sms);
    return g_strdup_printf("%s (%.6g SMs, %.6g GB/s)", name, sms, share);
}

/* Cells are joined by a unit separator, which they cannot contain. */
void compare_group_identity(const Comparison *c, guint row, gboolean with_size,
                            GString *id)
{
    g_string_assign(id, cell_of_compared_row(c, row, c->workload));
    for (guint i = 0; i < c->keys->len; i++) {
        g_string_append_c(id, '\x1f');
        g_string_append(
            id, cell_of_compared_row(c, row, g_array_index(c->keys, guint, i)));
    }
    if (!with_size)
        return;
    g_string_append_c(id, '\x1f');
    g_string_append(id, cell_of_compared_row(c, row, c->n_npus));
}

/* ---- mean speedups over the numbers of NPUs ------------------------------ */

static CompareMean *mean_of_run_pair(const Comparison *c, guint i)
{
    const ComparePair *pair = compare_pair(c, i);
    GHashTable *means = g_ptr_array_index(c->means, pair->set);
    const char *offload = compare_offload_name(c, pair);
    CompareMean *mean = g_hash_table_lookup(means, offload);

    if (mean)
        return mean;
    mean = g_new0(CompareMean, 1);
    mean->first = i;
    g_hash_table_insert(means, (gpointer)offload, mean);
    return mean;
}

/* Returns the number of the set of pair @i; adds the set if it is new. */
static guint find_or_add_pair_set(Comparison *c, GHashTable *sets, guint i,
                                  GString *id)
{
    gpointer set;

    compare_group_identity(c, compare_pair(c, i)->row, FALSE, id);
    if (g_hash_table_lookup_extended(sets, id->str, NULL, &set))
        return GPOINTER_TO_UINT(set);
    g_hash_table_insert(sets, g_strdup(id->str),
                        GUINT_TO_POINTER(c->first_pairs->len));
    g_array_append_val(c->first_pairs, i);
    g_ptr_array_add(
        c->means, g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free));
    return c->first_pairs->len - 1;
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
void compare_add_means(Comparison *c)
{
    g_autoptr(GHashTable) sets =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GString) id = g_string_new(NULL);

    g_assert(!c->first_pairs && !c->means);
    c->first_pairs = g_array_new(FALSE, FALSE, sizeof(guint));
    c->means =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
    for (guint i = 0; i < c->pairs->len; i++) {
        ComparePair *pair = &g_array_index(c->pairs, ComparePair, i);
        CompareMean *mean;

        pair->set = find_or_add_pair_set(c, sets, i, id);
        mean = mean_of_run_pair(c, i);
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

gboolean compare_is_first_of_set(const Comparison *c, guint i)
{
    return g_array_index(c->first_pairs, guint, compare_pair(c, i)->set) == i;
}

/* Returns 0 if there is nothing to average. */
static double geometric_mean(double sum_of_logarithms, guint n)
{
    return n > 0 ? exp(sum_of_logarithms / n) : 0;
}

CompareMean compare_mean(const Comparison *c, const ComparePair *like,
                         const char *offload)
{
    GHashTable *means = g_ptr_array_index(c->means, like->set);
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
