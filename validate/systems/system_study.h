/*
 * system_study.h - training systems of papers: measured and simulated
 *
 * A table consists of a sweep of configs/papers and a file of measurements.
 * The columns up to `column` are axes of the sweep.  A row belongs to the point
 * whose axes have the same values.  `column` names the result of the sweep, in
 * us, that is compared with `measured_ms`.  `use` says how the row relates to
 * the constants:
 *
 *     fitted   a constant was fitted to it
 *     held     held out: no constant was fitted to it
 *     told     shown, not judged: the source says or shows that it is wrong
 *     order    its unit is unknown; only the order among rivals counts
 *
 * The optional column `spread_percent` is the standard deviation of repeated
 * runs.
 *
 * Rivals are rows that differ only in the axis `rival`.
 *
 * If the sweep has an axis `without`, each of its values other than `nothing`
 * removes one part of the model. Rows belong to the points where the value is
 * `nothing`.
 *
 * Errors   those of acesim_process.h, csv.h; VALIDATE_ERROR_RESULT if a row has
 * no point Owner    the caller owns studies and texts */
#ifndef VALIDATE_SYSTEMS_SYSTEM_STUDY_H
#define VALIDATE_SYSTEMS_SYSTEM_STUDY_H

#include "validate/acesim_process.h"

typedef enum {
    SYSTEM_FITTED,
    SYSTEM_HELD_OUT,
    SYSTEM_SHOWN_ONLY,
    SYSTEM_ORDER,
    SYSTEM_N_USES,
} SystemUse;

extern const char *const system_use_names[SYSTEM_N_USES + 1];

typedef struct {
    /* The folder of configs/papers that has the sweep. */
    const char *paper;
    /* The name of configs/papers/PAPER/NAME.yaml and
     * validate/data/systems/NAME.csv. */
    const char *name;
    /* The axis that distinguishes rivals; NULL if rows have no rivals. */
    const char *rival;
} SystemTable;

typedef struct {
    char *keys;  /* The keys of the row, such as "ResNet-50, 10gbe, WFBP, 8". */
    char *field; /* The keys of the row without that of the rival. */
    /* The value of the axis whose values compete, such as "WFBP"; empty if the
     * table has no such axis. */
    char *rival;
    char *column; /* the result that is compared, such as iteration_time_us */
    SystemUse use;
    double measured_ms, simulated_ms;
    double error_percent;
    /* The compute time of an iteration; 0 if the sweep has no such column. */
    double compute_ms;
    /* The spread of repeated runs; 0 if it is unknown. */
    double spread_percent;
} SystemRow;

/* The errors with and without one part of the model. They are taken over the
 * rows of use `fitted` and `held` that have a point without it. */
typedef struct {
    char *part;
    guint n;
    double mean_percent, worst_percent; /* The errors with the whole model. */
    double mean_without, worst_without;
} SystemAblation;

typedef struct {
    const SystemTable *table;
    GArray *rows; /* The struct owns this array of SystemRow. */
    /* The struct owns this array of SystemAblation, in the order of the
     * sweep. */
    GArray *ablations;
} SystemStudy;

static inline SystemRow *system_row_at(const SystemStudy *study, guint i)
{
    return &g_array_index(study->rows, SystemRow, i);
}

/* Joins each row of @data with its point in @runs. */
G_GNUC_WARN_UNUSED_RESULT
SystemStudy *system_study_new(const SystemTable *table, const CsvTable *data,
                              const CsvTable *runs, GError **error);
/* Runs the sweep.  Output files go to systems/NAME. */
G_GNUC_WARN_UNUSED_RESULT
SystemStudy *system_study_run(const Simulator *simulator,
                              const SystemTable *table, GError **error);
void system_study_free(SystemStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SystemStudy, system_study_free)

typedef struct {
    guint n;
    double mean_percent, worst_percent;
    /* The keys of the row with the largest error; NULL if there is none. */
    const char *worst;
} SystemErrors;

/* Returns the errors of the rows of @use whose rival begins with @rival. */
SystemErrors system_study_errors(const SystemStudy *study, SystemUse use,
                                 const char *rival);

typedef struct {
    guint n, n_right;
} SystemOrder;

/* Counts pairs of rivals whose measured times differ by more than @percent, and
 * by more than twice the joint spread of both.  Rows of use `told` are left
 * out. n_right is the number of pairs with the same order when simulated. */
SystemOrder system_study_order(const SystemStudy *study, double percent);

/* Counts the groups of rivals.  n_right is the number of groups whose fastest
 * measured row is also the fastest when simulated. */
SystemOrder system_study_best(const SystemStudy *study);

/* Appends a table of all rows, and a table of the errors without each part of
 * the model. */
void system_study_render(const SystemStudy *study, GString *out);
/* Appends the rows as CSV without header; SYSTEM_CSV_HEAD is the header. */
void system_study_csv(const SystemStudy *study, GString *out);
#define SYSTEM_CSV_HEAD "table,row,use,measured_ms,simulated_ms,error_percent\n"

#endif
