/*
 * system_study.h - training systems of papers, as published, beside acesim
 *
 * A table is a sweep of configs/systems and a file of what was measured.  Its
 * columns up to `column` are axes of the sweep: a row is that point whose axes
 * have the same values.  `column` is what of the simulator's is held against
 * `measured_ms`, in us; `use` says what the row was to the constants:
 *
 *     fitted   one of them was fitted to it
 *     held     none was
 *     told     shown, not judged: the source says, or shows, that it is off
 *     order    of an unknown unit; only its order among rivals counts
 *
 * `spread_percent`, where there is such a column, is the standard deviation of
 * repeated runs.
 *
 * Rivals are the rows that differ in one axis, `rival`, alone.
 *
 * A sweep that has an axis `without` has points with something taken out of
 * the model, one thing by each of its values; rows are points where that is
 * `nothing`.
 *
 * Errors   those of simulator.h, csv.h; VALIDATE_ERROR_RESULT where a row has
 *          no point
 * Owner    the caller owns studies and texts
 */
#ifndef VALIDATE_SYSTEMS_SYSTEM_STUDY_H
#define VALIDATE_SYSTEMS_SYSTEM_STUDY_H

#include "validate/simulator.h"

typedef enum {
    SYSTEM_FITTED,
    SYSTEM_HELD,
    SYSTEM_TOLD,
    SYSTEM_ORDER,
    SYSTEM_N_USES,
} SystemUse;

extern const char *const system_use_names[SYSTEM_N_USES + 1];

typedef struct {
    const char *name;  /* configs/systems/NAME.yaml, .../systems/NAME.csv */
    const char *rival; /* an axis; NULL: nothing is compared */
} SystemTable;

typedef struct {
    char *keys;  /* "ResNet-50, 10gbe, WFBP, 8" */
    char *field; /* without the rival */
    char *rival; /* "WFBP"; empty without */
    SystemUse use;
    double measured_ms, simulated_ms;
    double error_percent;
    double spread_percent; /* of repeated runs; 0: not known */
} SystemRow;

/* What becomes of the errors of rows that are not only told, where something
 * is taken out: of those that have such a point. */
typedef struct {
    char *what;
    guint n;
    double mean_percent, worst_percent; /* as it is */
    double mean_without, worst_without;
} SystemWithout;

typedef struct {
    const SystemTable *table;
    GArray *rows;     /* owned, of SystemRow */
    GArray *withouts; /* owned, of SystemWithout, in the sweep's order */
} SystemStudy;

/* Each row of @data with its point in @runs. */
G_GNUC_WARN_UNUSED_RESULT
SystemStudy *system_study_new(const SystemTable *table, const CsvTable *data,
                              const CsvTable *runs, GError **error);
/* The sweep is run; its files go to systems/NAME. */
G_GNUC_WARN_UNUSED_RESULT
SystemStudy *system_study_run(const Simulator *simulator,
                              const SystemTable *table, GError **error);
void system_study_free(SystemStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SystemStudy, system_study_free)

typedef struct {
    guint n;
    double mean_percent, worst_percent;
    const char *worst; /* keys of that row; NULL: there is none */
} SystemErrors;

/* Of the rows of that use whose rival begins with @rival. */
SystemErrors system_errors(const SystemStudy *study, SystemUse use,
                           const char *rival);

typedef struct {
    guint n, n_right;
} SystemOrder;

/* Pairs of rivals, neither only told, that differ as measured by more than
 * @percent, and by more than twice what both spread: how many are in the same
 * order as simulated. */
SystemOrder system_order(const SystemStudy *study, double percent);

/* Fields of rivals: in how many the fastest is also the fastest simulated. */
SystemOrder system_best(const SystemStudy *study);

/* All rows as a table, then what is necessary as another. */
void system_render(const SystemStudy *study, GString *out);
/* Rows without a head; and the head. */
void system_csv(const SystemStudy *study, GString *out);
#define SYSTEM_CSV_HEAD "table,row,use,measured_ms,simulated_ms,error_percent\n"

#endif
