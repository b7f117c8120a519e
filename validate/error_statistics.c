/* error_statistics.c - errors of measured rows, by row and by system, beside
 * simple rules */
#include "validate/error_statistics.h"

#include <math.h>

#include "validate/deviation.h"

/* Two systems are equally near if their distances in .x differ by less. */
#define NEAR 0.5

static const JudgeRow *judge_row_at(const GArray *rows, guint i)
{
    return &g_array_index(rows, JudgeRow, i);
}

/* ---- simple rules ----------------------------------------------------- */

typedef enum { SAME_KIND, SAME_WIDE_KIND, ANY_KIND, N_MATCHES } RowMatch;

static gboolean rows_are_comparable(const JudgeRow *row, const JudgeRow *other,
                                    RowMatch match)
{
    if (row->system == other->system)
        return FALSE;
    if (match == SAME_KIND)
        return row->kind == other->kind;
    return match == ANY_KIND || row->wide_kind == other->wide_kind;
}

/* The rows of one other system that are nearest to a row. */
typedef struct {
    double distance;
    double sum; /* the sum of measured / basis over these rows */
    guint n;
} NearestRows;

/* Returns the nearest rows of each other system as the values of a table, or
 * NULL if no system has a counterpart of @row. */
static GHashTable *nearest_rows_by_system(const GArray *rows,
                                          const JudgeRow *row, RowMatch match)
{
    GHashTable *ret =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);

    for (guint i = 0; i < rows->len; i++) {
        const JudgeRow *other = judge_row_at(rows, i);
        double distance = fabs(other->x - row->x);
        NearestRows *near;

        if (!rows_are_comparable(row, other, match))
            continue;
        near = g_hash_table_lookup(ret, other->system);
        if (!near) {
            near = g_new0(NearestRows, 1);
            near->distance = distance;
            g_hash_table_insert(ret, (gpointer)other->system, near);
        }
        if (distance > near->distance)
            continue;
        if (distance < near->distance)
            *near = (NearestRows){ .distance = distance };
        near->sum += other->measured / other->basis;
        near->n++;
    }
    if (g_hash_table_size(ret) > 0)
        return ret;
    g_hash_table_unref(ret);
    return NULL;
}

static gint compare_error_quotients(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of_quotients(GArray *quotients)
{
    guint half = quotients->len / 2;

    g_array_sort(quotients, compare_error_quotients);
    if (quotients->len % 2 == 1)
        return g_array_index(quotients, double, half);
    return (g_array_index(quotients, double, half - 1) +
            g_array_index(quotients, double, half)) /
           2;
}

/* Returns the median over the nearest systems of measured / basis. */
static double quotient_of_systems(GHashTable *systems)
{
    g_autoptr(GArray) quotients = g_array_new(FALSE, FALSE, sizeof(double));
    double least = INFINITY;
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, systems);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        least = MIN(least, ((const NearestRows *)value)->distance);
    g_hash_table_iter_init(&iter, systems);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const NearestRows *near = value;
        double quotient = near->sum / near->n;

        if (near->distance <= least + NEAR)
            g_array_append_val(quotients, quotient);
    }
    return median_of_quotients(quotients);
}

static double median_quotient_of_nearest_rows(const GArray *rows,
                                              const JudgeRow *row)
{
    for (RowMatch match = SAME_KIND; match < N_MATCHES; match++) {
        g_autoptr(GHashTable) systems =
            nearest_rows_by_system(rows, row, match);

        if (systems)
            return quotient_of_systems(systems);
    }
    return 1;
}

/* Returns the median of measured / basis over the rows of @system. */
static double median_quotient_of_system(const GArray *rows, const char *system)
{
    g_autoptr(GArray) quotients = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint i = 0; i < rows->len; i++) {
        const JudgeRow *row = judge_row_at(rows, i);
        double quotient = row->measured / row->basis;

        if (row->system == system)
            g_array_append_val(quotients, quotient);
    }
    return median_of_quotients(quotients);
}

/* Returns the median over the systems other than @system. */
static double median_quotient_of_other_systems(const GArray *rows,
                                               const char *system)
{
    g_autoptr(GArray) quotients = g_array_new(FALSE, FALSE, sizeof(double));
    g_autoptr(GHashTable) seen =
        g_hash_table_new(g_direct_hash, g_direct_equal);

    g_hash_table_add(seen, (gpointer)system);
    for (guint i = 0; i < rows->len; i++) {
        const char *other = judge_row_at(rows, i)->system;
        double quotient;

        if (!g_hash_table_add(seen, (gpointer)other))
            continue;
        quotient = median_quotient_of_system(rows, other);
        g_array_append_val(quotients, quotient);
    }
    return quotients->len > 0 ? median_of_quotients(quotients) : 1;
}

double judge_value_predicted_by_rule(const GArray *rows, guint i,
                                     JudgeRule rule)
{
    const JudgeRow *row = judge_row_at(rows, i);

    if (rule == JUDGE_RULE_MEDIAN)
        return row->basis * median_quotient_of_other_systems(rows, row->system);
    if (rule == JUDGE_RULE_NEAREST)
        return row->basis * median_quotient_of_nearest_rows(rows, row);
    return row->basis;
}

/* ---- errors by row and by system ----------------------------------------- */

/* Means over the rows of a family, and over those of each system. */
typedef struct {
    const char *name;
    guint n;
    double sum_percent;
} SystemSum;

/* Returns the sum of @system, which is added if it is new.  The order is that
 * of the rows. */
static SystemSum *sum_of_system(GArray *sums, const char *system)
{
    SystemSum sum = { .name = system };

    for (guint i = 0; i < sums->len; i++)
        if (g_array_index(sums, SystemSum, i).name == system)
            return &g_array_index(sums, SystemSum, i);
    g_array_append_val(sums, sum);
    return &g_array_index(sums, SystemSum, sums->len - 1);
}

static void add_system_error(GArray *sums, const JudgeRow *row, double value)
{
    SystemSum *sum = sum_of_system(sums, row->system);

    sum->n++;
    sum->sum_percent += fabs(compare_deviation_percent(value, row->measured));
}

static double mean_error_over_systems(const GArray *sums)
{
    double sum = 0;

    for (guint i = 0; i < sums->len; i++)
        sum += g_array_index(sums, SystemSum, i).sum_percent /
               g_array_index(sums, SystemSum, i).n;
    return sums->len > 0 ? sum / sums->len : 0;
}

static void judge_all_rows(const GArray *rows, Judgement *ret)
{
    g_autoptr(GArray) sums = g_array_new(FALSE, FALSE, sizeof(SystemSum));
    double sum = 0;

    for (guint i = 0; i < rows->len; i++)
        add_system_error(sums, judge_row_at(rows, i),
                         judge_row_at(rows, i)->simulated);
    for (guint i = 0; i < sums->len; i++) {
        const SystemSum *one = &g_array_index(sums, SystemSum, i);

        sum += one->sum_percent;
        if (ret->worst_system &&
            one->sum_percent / one->n <= ret->worst_system_percent)
            continue;
        ret->worst_system = one->name;
        ret->worst_system_percent = one->sum_percent / one->n;
    }
    ret->n_rows = rows->len;
    ret->n_systems = sums->len;
    ret->by_row_percent = rows->len > 0 ? sum / rows->len : 0;
    ret->by_system_percent = mean_error_over_systems(sums);
}

/* Returns the systems with a row that a constant was fitted to, as a set. */
static GHashTable *list_systems_fitted_to(const GArray *rows)
{
    GHashTable *ret = g_hash_table_new(g_direct_hash, g_direct_equal);

    for (guint i = 0; i < rows->len; i++)
        if (judge_row_at(rows, i)->is_fitted_to)
            g_hash_table_add(ret, (gpointer)judge_row_at(rows, i)->system);
    return ret;
}

static gboolean has_refitted_row(const GArray *rows)
{
    for (guint i = 0; i < rows->len; i++)
        if (judge_row_at(rows, i)->left_out_value > 0)
            return TRUE;
    return FALSE;
}

/* Returns an array of the indices of the rows of the error left out. */
static GArray *list_rows_held_out_of_fit(const GArray *rows,
                                         gboolean is_refitted)
{
    g_autoptr(GHashTable) fitted = list_systems_fitted_to(rows);
    GArray *ret = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < rows->len; i++) {
        const JudgeRow *row = judge_row_at(rows, i);
        gboolean counts = is_refitted
                              ? row->left_out_value > 0
                              : !g_hash_table_contains(fitted, row->system);

        if (counts)
            g_array_append_val(ret, i);
    }
    return ret;
}

static void judge_held_out_rows(const GArray *rows, const GArray *row_indices,
                                Judgement *ret)
{
    g_autoptr(GArray) sums = g_array_new(FALSE, FALSE, sizeof(SystemSum));

    for (guint i = 0; i < row_indices->len; i++) {
        const JudgeRow *row =
            judge_row_at(rows, g_array_index(row_indices, guint, i));

        add_system_error(
            sums, row, ret->is_refitted ? row->left_out_value : row->simulated);
    }
    ret->n_left_out_rows = row_indices->len;
    ret->n_left_out_systems = sums->len;
    ret->left_out_percent = mean_error_over_systems(sums);
}

/* Returns the error by system of @rule over the rows @row_indices. */
static double mean_error_of_rule(const GArray *rows, const GArray *row_indices,
                                 JudgeRule rule)
{
    g_autoptr(GArray) sums = g_array_new(FALSE, FALSE, sizeof(SystemSum));

    for (guint i = 0; i < row_indices->len; i++) {
        guint row = g_array_index(row_indices, guint, i);

        add_system_error(sums, judge_row_at(rows, row),
                         judge_value_predicted_by_rule(rows, row, rule));
    }
    return mean_error_over_systems(sums);
}

static void judge_rules(const GArray *rows, const GArray *row_indices,
                        guint rules, Judgement *ret)
{
    ret->rule_percent = INFINITY;
    for (JudgeRule rule = JUDGE_RULE_BASIS; rule < JUDGE_N_RULES; rule++) {
        double percent;

        if (!(rules & 1U << rule))
            continue;
        percent = mean_error_of_rule(rows, row_indices, rule);
        if (percent >= ret->rule_percent)
            continue;
        ret->rule_percent = percent;
        ret->rule = rule;
    }
}

Judgement judge_rows(const GArray *rows, guint rules)
{
    Judgement ret = { .is_refitted = has_refitted_row(rows) };
    g_autoptr(GArray) left_out =
        list_rows_held_out_of_fit(rows, ret.is_refitted);
    double percent;

    judge_all_rows(rows, &ret);
    judge_held_out_rows(rows, left_out, &ret);
    percent = left_out->len > 0 ? ret.left_out_percent : ret.by_system_percent;
    for (guint i = 0; ret.n_left_out_rows == 0 && i < rows->len; i++)
        g_array_append_val(left_out, i);
    judge_rules(rows, left_out, rules, &ret);
    if (ret.rule_percent > 0)
        ret.ratio = percent / ret.rule_percent;
    else
        ret.ratio = percent > 0 ? INFINITY : 0;
    return ret;
}

gboolean judge_beats_rule(const Judgement *judgement)
{
    return judgement->ratio < 1;
}
