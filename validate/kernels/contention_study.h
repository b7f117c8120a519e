/*
 * contention_study.h - kernels beside communication, published and simulated
 *
 * A row of validate/data/contention.csv is a run file of
 * configs/contention/, a workload of kind `beside`: it is run with and
 * without overlap, so that kernels and collective are known alone and at once.
 *
 *     slowdown = kernels beside / kernels alone
 *     gain     = 100 (alone / both - 1) / (alone / longer - 1),  percent
 *
 * with alone = kernels + collective, one after the other, and longer the longer
 * of them: what was gained by overlap, of what could be.
 *
 * Units    us, percent
 * Errors   those of simulator.h and CSV_ERROR, with file and line;
 *          VALIDATE_ERROR_RESULT when a collective ends before its kernels
 * Owner    the caller owns arrays, the strings in them and texts
 */
#ifndef VALIDATE_KERNELS_CONTENTION_STUDY_H
#define VALIDATE_KERNELS_CONTENTION_STUDY_H

#include "validate/simulator.h"

typedef struct {
    char *group; /* what errors are told by */
    char *name, *run, *source, *assumed;
    gboolean is_gain; /* else a slowdown */
    double published;
} ContentionRow;

typedef struct {
    ContentionRow row;                      /* owned */
    double kernels_us, beside_us;           /* alone, beside the collective */
    double alone_us, collective_us, all_us; /* one after the other; at once */
    double simulated, error_percent;        /* of published, with its sign */
} ContentionResult;

/* Of ContentionRow, in the order of the file. */
G_GNUC_WARN_UNUSED_RESULT
GArray *contention_rows_load(const char *path, GError **error);

/* The formula above; 100 when there is nothing to gain. */
double contention_gain(double kernels_us, double collective_us, double all_us);

/* An array of ContentionResult; files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
GArray *contention_study_run(const Simulator *simulator, const char *name,
                             const char *path, GError **error);

/* An empty array of ContentionResult, which clears what it is given. */
GArray *contention_results_new(void);

/* Mean of the absolute errors of @group, and of one row; -1: there is none. */
double contention_mean_percent(const GArray *results, const char *group);
double contention_error_percent(const GArray *results, const char *group,
                                const char *run);

/* Whether each of @group is more than the one before it, as published;
 * FALSE where there is none. */
gboolean contention_is_ordered(const GArray *results, const char *group);

#define CONTENTION_N_VERDICTS 4

/* What must hold, and how far it does. */
typedef struct {
    gboolean holds;
    char text[160];
} ContentionVerdict;

/* CONTENTION_N_VERDICTS of them; owner: the caller. */
ContentionVerdict *contention_verdicts(const GArray *results);

/* A line for each row, and what was assumed. */
void contention_render(const GArray *results, GString *out);

/* With a header, a row for each result. */
char *contention_csv(const GArray *results);

static inline const ContentionResult *contention_at(const GArray *results,
                                                    guint i)
{
    return &g_array_index(results, ContentionResult, i);
}

#endif
