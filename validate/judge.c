/* judge.c - errors of measured rows, by row and by system, beside a simple
 * rule */
#include "validate/judge.h"

#include <math.h>

#include "validate/deviation.h"

/* Two systems are equally near if their distances in .x differ by less. */
#define NEAR 0.5

static const JudgeRow *judge_row_at(const GArray *rows, guint i)
{
    return &g_array_index(rows, JudgeRow, i);
}

/* ---- the simple rule ----------------------------------------------------- */

typedef enum { SAME_KIND, SAME_WIDE_KIND, ANY_KIND, N_MATCHES } Match;

static gboolean is_counterpart(const JudgeRow *row, const JudgeRow *other,
                               Match match)
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
                                          const JudgeRow *row, Match match)
{
    GHashTable *ret =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);

    for (guint i = 0; i < rows->len; i++) {
        const JudgeRow *other = judge_row_at(rows, i);
        double distance = fabs(other->x - row->x);
        NearestRows *near;

        if (!is_counterpart(row, other, match))
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

static gint compare_quotients(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of_quotients(GArray *quotients)
{
    guint half = quotients->len / 2;

    g_array_sort(quotients, compare_quotients);
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

double judge_rule_value(const GArray *rows, guint i, gboolean is_fixed)
{
    const JudgeRow *row = judge_row_at(rows, i);

    for (Match match = SAME_KIND; !is_fixed && match < N_MATCHES; match++) {
        g_autoptr(GHashTable) systems =
            nearest_rows_by_system(rows, row, match);

        if (systems)
            return row->basis * quotient_of_systems(systems);
    }
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

static double mean_over_systems(const GArray *sums)
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
    ret->by_system_percent = mean_over_systems(sums);
}

/* Returns the systems with a row that a constant was fitted to, as a set. */
static GHashTable *systems_fitted_to(const GArray *rows)
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

/* Judges the rows that are left out, and the rule on the same rows. */
static void judge_left_out_rows(const GArray *rows, gboolean is_fixed,
                                Judgement *ret)
{
    g_autoptr(GHashTable) fitted = systems_fitted_to(rows);
    g_autoptr(GArray) sums = g_array_new(FALSE, FALSE, sizeof(SystemSum));
    g_autoptr(GArray) rule = g_array_new(FALSE, FALSE, sizeof(SystemSum));

    ret->is_refitted = has_refitted_row(rows);
    for (guint i = 0; i < rows->len; i++) {
        const JudgeRow *row = judge_row_at(rows, i);
        gboolean counts = ret->is_refitted
                              ? row->left_out_value > 0
                              : !g_hash_table_contains(fitted, row->system);

        if (!counts)
            continue;
        ret->n_left_out_rows++;
        add_system_error(sums, row,
                         ret->is_refitted ? row->left_out_value
                                          : row->simulated);
        add_system_error(rule, row, judge_rule_value(rows, i, is_fixed));
    }
    ret->n_left_out_systems = sums->len;
    ret->left_out_percent = mean_over_systems(sums);
    ret->rule_percent = mean_over_systems(rule);
}

static double rule_percent_of_all_rows(const GArray *rows, gboolean is_fixed)
{
    g_autoptr(GArray) rule = g_array_new(FALSE, FALSE, sizeof(SystemSum));

    for (guint i = 0; i < rows->len; i++)
        add_system_error(rule, judge_row_at(rows, i),
                         judge_rule_value(rows, i, is_fixed));
    return mean_over_systems(rule);
}

Judgement judge_rows(const GArray *rows, gboolean is_fixed)
{
    Judgement ret = { 0 };
    double percent;

    judge_all_rows(rows, &ret);
    judge_left_out_rows(rows, is_fixed, &ret);
    if (ret.n_left_out_rows == 0)
        ret.rule_percent = rule_percent_of_all_rows(rows, is_fixed);
    percent = ret.n_left_out_rows > 0 ? ret.left_out_percent
                                      : ret.by_system_percent;
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
