/* collective_study.c - collectives of real machines: published and simulated */
#include "validate/collectives/collective_study.h"

#include <math.h>

#include "validate/deviation.h"

#define KIB 1024.0
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#define ALL_REDUCE "all-reduce"
#define DEEPBENCH  "DEEPBENCH"

CollectiveRange collective_size_range(double bytes)
{
    if (bytes < 64 * KIB)
        return COLLECTIVE_BELOW_64_KIB;
    if (bytes < MIB)
        return COLLECTIVE_TO_1_MIB;
    if (bytes <= 256 * MIB)
        return COLLECTIVE_TO_256_MIB;
    return bytes < GIB ? COLLECTIVE_TO_1_GIB : COLLECTIVE_FROM_1_GIB;
}

/* ---- fit of a start time and a rate for each system ---------------------- */

typedef struct {
    /* The rows with the smallest and the largest size; NULL if there is
     * none. */
    CollectiveRow *least, *max_percent;
} SmallestAndLargestSize;

/* Returns the end rows of the all-reduce run of @system with the most sizes; of
 * several such runs, of the first. */
static SmallestAndLargestSize
find_smallest_and_largest_size(const CollectiveRows *rows, const char *system)
{
    SmallestAndLargestSize ret = { NULL, NULL };
    guint n, n_most = 0;

    for (guint i = 0; i < rows->rows->len; i += n) {
        CollectiveRow *row = published_collective_at(rows, i);

        n = published_collectives_count_rows_of_run(rows, i);
        if (!g_str_equal(row->system, system) || row->simulated_us <= 0 ||
            *row->pin != '\0' || !g_str_equal(row->kind, ALL_REDUCE) ||
            n <= n_most)
            continue;
        n_most = n;
        ret = (SmallestAndLargestSize){ row, row };
        for (guint k = 1; k < n; k++) {
            CollectiveRow *other = published_collective_at(rows, i + k);

            if (other->bytes < ret.least->bytes)
                ret.least = other;
            if (other->bytes > ret.max_percent->bytes)
                ret.max_percent = other;
        }
    }
    return ret;
}

/* Solves measured = start + rate x simulated for both ends.  A negative start
 * time is set to 0; the rate then meets the larger end only. */
static void fit_line_through_ends(const SmallestAndLargestSize *ends,
                                  double *ret_start_us, double *ret_rate)
{
    double simulated_us =
        ends->max_percent->simulated_us - ends->least->simulated_us;
    double measured_us =
        ends->max_percent->measured_us - ends->least->measured_us;

    *ret_start_us = 0;
    *ret_rate =
        ends->max_percent->measured_us / ends->max_percent->simulated_us;
    if (simulated_us <= 0 || measured_us <= 0)
        return;
    *ret_start_us = ends->least->measured_us -
                    measured_us / simulated_us * ends->least->simulated_us;
    if (*ret_start_us > 0)
        *ret_rate = measured_us / simulated_us;
    else
        *ret_start_us = 0;
}

void collective_study_fit_line(CollectiveRows *rows)
{
    for (guint i = 0; i < rows->rows->len; i++) {
        CollectiveRow *row = published_collective_at(rows, i);
        SmallestAndLargestSize ends =
            find_smallest_and_largest_size(rows, row->system);
        double start_us, rate;

        if (row->simulated_us <= 0 || !ends.least)
            continue;
        fit_line_through_ends(&ends, &start_us, &rate);
        row->own_us = start_us + rate * row->simulated_us;
        row->is_fitted_to =
            row == ends.max_percent || (row == ends.least && start_us > 0);
    }
}

CollectiveRows *collective_study_run(const Simulator *simulator,
                                     const char *name, GError **error)
{
    CsvTable *measured = csv_table_load(COLLECTIVE_MEASURED_FILE, error);
    CsvTable *machines =
        measured ? csv_table_load(COLLECTIVE_MACHINES_FILE, error) : NULL;
    g_autoptr(CollectiveRows) rows = NULL;

    if (!machines) {
        csv_table_free(measured);
        return NULL;
    }
    rows = published_collectives_new(measured, machines, error);
    if (!rows || !published_collectives_run(rows, simulator, name, error))
        return NULL;
    collective_study_fit_line(rows);
    return g_steal_pointer(&rows);
}

/* ---- errors of simulated collectives ------------------------------------- */

static gboolean
published_collective_matches_filter(const CollectiveRow *row,
                                    const CollectiveFilter *filter)
{
    return row->simulated_us > 0 &&
           (!filter->source || g_str_equal(row->source, filter->source)) &&
           (!filter->not_source ||
            !g_str_equal(row->source, filter->not_source)) &&
           (!filter->system || g_str_equal(row->system, filter->system)) &&
           (filter->n_npus == 0 || row->n_npus == filter->n_npus) &&
           (filter->range == COLLECTIVE_N_RANGES ||
            collective_size_range(row->bytes) == filter->range) &&
           !(filter->own && (row->is_fitted_to || row->own_us <= 0));
}

CollectiveErrors collective_study_errors(const CollectiveRows *rows,
                                         const CollectiveFilter *filter)
{
    CollectiveErrors ret = { 0 };

    for (guint i = 0; i < rows->rows->len; i++) {
        const CollectiveRow *row = published_collective_at(rows, i);
        double error;

        if (!published_collective_matches_filter(row, filter))
            continue;
        error = fabs(compare_deviation_percent(
            filter->own ? row->own_us : row->simulated_us, row->measured_us));
        ret.n++;
        ret.mean += (error - ret.mean) / ret.n;
        ret.worst = MAX(ret.worst, error);
    }
    return ret;
}

/* ---- algorithms that the library chooses --------------------------------- */

static gboolean collective_row_matches_pinned_algorithm(
    const CollectiveRow *row, const char *system, guint n_npus, const char *pin)
{
    return row->simulated_us > 0 && g_str_equal(row->system, system) &&
           row->n_npus == n_npus && g_str_equal(row->pin, pin) &&
           g_str_equal(row->kind, ALL_REDUCE);
}

double collective_study_first_bytes_of_algorithm(const CollectiveRows *rows,
                                                 const char *system,
                                                 guint n_npus,
                                                 const char *algorithm)
{
    double ret = 0;

    for (guint i = 0; i < rows->rows->len; i++) {
        const CollectiveRow *row = published_collective_at(rows, i);

        if (!collective_row_matches_pinned_algorithm(row, system, n_npus, ""))
            continue;
        if (!g_str_equal(row->algorithm, algorithm))
            ret = 0;
        else if (ret <= 0)
            ret = row->bytes;
    }
    return ret;
}

double collective_study_slowdown_of_pin(const CollectiveRows *rows,
                                        const char *system, guint n_npus,
                                        const char *pin)
{
    double ret = 0, bytes = 0;

    for (guint i = 0; i < rows->rows->len; i++) {
        const CollectiveRow *pinned = published_collective_at(rows, i);

        if (!collective_row_matches_pinned_algorithm(pinned, system, n_npus,
                                                     pin))
            continue;
        for (guint k = 0; k < rows->rows->len; k++) {
            const CollectiveRow *free = published_collective_at(rows, k);

            if (!collective_row_matches_pinned_algorithm(free, system, n_npus,
                                                         "") ||
                free->bytes != pinned->bytes || free->bytes <= bytes)
                continue;
            bytes = free->bytes;
            ret = pinned->simulated_us / free->simulated_us;
        }
    }
    return ret;
}

/* ---- verdicts about simulated collectives -------------------------------- */

static void clear_collective_verdict(gpointer data)
{
    CollectiveVerdict *verdict = data;

    g_free(verdict->text);
}

static void judge_errors_of_size_range(const CollectiveRows *rows,
                                       GArray *verdicts, CollectiveRange range,
                                       const char *name, double max_percent)
{
    const CollectiveFilter filter = { .not_source = DEEPBENCH, .range = range };
    CollectiveErrors e = collective_study_errors(rows, &filter);
    const CollectiveVerdict verdict = {
        e.n > 0 && e.mean <= max_percent,
        g_strdup_printf("collectives: %s %.1f %% off on average, %g %% is "
                        "right (worst %.0f %%, %u rows)",
                        name, e.mean, max_percent, e.worst, e.n),
    };

    g_array_append_val(verdicts, verdict);
}

/* Judges the size from which on NVLS is chosen.  The published size on 8 H200
 * is 1 MiB, and a factor of two is allowed. */
static void judge_size_of_algorithm_crossover(const CollectiveRows *rows,
                                              GArray *verdicts)
{
    double from =
        collective_study_first_bytes_of_algorithm(rows, "H200", 8, "NVLS");
    double h200 =
        collective_study_slowdown_of_pin(rows, "H200", 8, "algorithm=ring");
    double b200 =
        collective_study_slowdown_of_pin(rows, "B200", 8, "algorithm=ring");
    const CollectiveVerdict verdict = {
        from >= MIB / 2 && from <= 2 * MIB && h200 > 1 && b200 > 1,
        g_strdup_printf("collectives: NVLS from %g MiB up on 8 H200, 0.5 to 2 "
                        "is right; a ring takes %.2f times as long there, "
                        "%.2f on 8 B200",
                        from / MIB, h200, b200),
    };

    g_array_append_val(verdicts, verdict);
}

static void judge_deepbench_errors(const CollectiveRows *rows, GArray *verdicts)
{
    const CollectiveFilter eight = { .source = DEEPBENCH,
                                     .n_npus = 8,
                                     .range = COLLECTIVE_N_RANGES };
    CollectiveFilter more = eight;
    CollectiveErrors a, b;
    double mean;
    CollectiveVerdict verdict;

    more.n_npus = 32;
    a = collective_study_errors(rows, &eight);
    b = collective_study_errors(rows, &more);
    mean = a.n + b.n > 0 ? (a.n * a.mean + b.n * b.mean) / (a.n + b.n) : 0;
    verdict = (CollectiveVerdict){
        a.n > 0 && b.n > 0 && mean <= 25,
        g_strdup_printf("collectives: DeepBench's 8 and 32 ranks, to which "
                        "nothing was fitted, %.1f %% off on average, 25 %% is "
                        "right (8: %.1f, 32: %.1f)",
                        mean, a.mean, b.mean),
    };
    g_array_append_val(verdicts, verdict);
}

GArray *collective_study_verdicts(const CollectiveRows *rows)
{
    GArray *verdicts = g_array_new(FALSE, FALSE, sizeof(CollectiveVerdict));

    g_array_set_clear_func(verdicts, clear_collective_verdict);
    judge_errors_of_size_range(rows, verdicts, COLLECTIVE_FROM_1_GIB,
                               "1 GiB and more", 7);
    judge_errors_of_size_range(rows, verdicts, COLLECTIVE_TO_256_MIB,
                               "1 to 256 MiB", 20);
    judge_errors_of_size_range(rows, verdicts, COLLECTIVE_BELOW_64_KIB,
                               "below 64 KiB", 35);
    judge_size_of_algorithm_crossover(rows, verdicts);
    judge_deepbench_errors(rows, verdicts);
    return verdicts;
}
