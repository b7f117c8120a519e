/*
 * contention_study.h - kernels during communication: published and simulated
 *
 * A row of validate/data/contention.csv names a run file of
 * configs/contention/, a workload of kind `beside`.  The study runs it with and
 * without overlap, and so gets the times of kernels and collective alone and
 * together.
 *
 *     slowdown = kernels with communication / kernels alone
 *     gain     = 100 (alone / both - 1) / (alone / longer - 1),  percent
 *
 * Here alone = kernels + collective, one after the other, and longer is the
 * longer of the two.  The gain is the speedup by overlap as a part of the ideal
 * one.
 *
 * Units    us, percent
 * Errors   those of acesim_process.h and CSV_ERROR, with file and line;
 *          VALIDATE_ERROR_RESULT when a collective ends before its kernels
 * Owner    the caller owns arrays, the strings in them and
 * texts */
#ifndef VALIDATE_KERNELS_CONTENTION_STUDY_H
#define VALIDATE_KERNELS_CONTENTION_STUDY_H

#include "validate/acesim_process.h"

typedef struct {
    char *group; /* The group of rows whose errors are averaged. */
    char *name, *run, *source, *assumed;
    /* TRUE if the published value is a gain, otherwise it is a slowdown. */
    gboolean is_gain;
    double published;
} ContentionRow;

typedef struct {
    ContentionRow row; /* The struct owns this memory. */
    /* The time of the kernels without and with the collective. */
    double kernels_us, beside_us;
    /* The time of all one after the other, of the collective alone, and of all
     * together. */
    double alone_us, collective_us, all_us;
    /* The error relative to the published value, with its sign. */
    double simulated, error_percent;
} ContentionResult;

/* Returns an array of ContentionRow in the order of the file. */
G_GNUC_WARN_UNUSED_RESULT
GArray *contention_rows_load(const char *path, GError **error);

/* Returns the gain by the formula above, or 100 if no gain is possible. */
double contention_gain_of_overlap(double kernels_us, double collective_us,
                                  double all_us);

/* Runs the rows of @path.  Returns an array of ContentionResult.  Output files
 * go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
GArray *contention_study_run(const Simulator *simulator, const char *name,
                             const char *path, GError **error);

/* Returns an empty array of ContentionResult, which owns the strings of its
 * elements. */
GArray *contention_results_new(void);

/* Return the mean absolute error of @group, and the absolute error of one row;
 * -1 if there is none. */
double contention_mean_percent(const GArray *results, const char *group);
double contention_error_percent(const GArray *results, const char *group,
                                const char *run);

/* Returns whether the simulated values of @group increase in the order of the
 * file, which is that of the published values.  FALSE if the group is empty. */
gboolean contention_simulation_keeps_order(const GArray *results,
                                           const char *group);

#define CONTENTION_N_VERDICTS 4

/* A condition that must hold, with a text that states the numbers. */
typedef struct {
    gboolean is_met;
    char text[160];
} ContentionVerdict;

/* Returns CONTENTION_N_VERDICTS verdicts, which the caller owns. */
ContentionVerdict *contention_verdicts(const GArray *results);

/* Appends a table with a line for each row, including the assumptions. */
void contention_render(const GArray *results, GString *out);

/* Returns CSV with a header and a row for each result. */
char *contention_csv(const GArray *results);

static inline const ContentionResult *
contention_result_at(const GArray *results, guint i)
{
    return &g_array_index(results, ContentionResult, i);
}

#endif
