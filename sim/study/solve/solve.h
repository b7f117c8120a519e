/*
 * solve.h - finds the least value of a parameter that reaches a goal, by
 * simulation
 *
 * Each value is tried by a run of the file with the settings of --set and
 * --vary.  The goal may be the result of another run: the same run with an
 * ideal endpoint, the same run with the endpoint of a file, or another run
 * file.  --vary applies to both runs, except for keys under `endpoint`, which
 * belong to the first run. --set does not apply to another run file.
 *
 * If --from and --to are factors such as "1x" and "8x", each key is multiplied
 * by the factor; the base is its value in the file or in --set, and counts are
 * rounded.  So keys with different units can be varied together.
 *
 * A value that the models refuse (for example a buffer smaller than a chunk)
 * does not reach the goal.
 *
 * Errors   CONFIG_ERROR; those of goal_condition.h; SYSTEM_ERROR if nothing ran
 * Owner    the caller owns the Solve, which borrows its task
 */
#ifndef SIM_STUDY_SOLVE_SOLVE_H
#define SIM_STUDY_SOLVE_SOLVE_H

#include "models/run/run.h"
#include "sim/study/solve/goal_condition.h"
#include "sim/study/solve/least_value_search.h"

typedef struct {
    const char *path;
    char *const *sets; /* "KEY=VALUE"; may be NULL */
    char *const *keys; /* the keys that are varied together; ends with NULL */
    const char *from, *to;
    uint64_t tolerance_ppm;
    RunOptions run_options;
    const Condition *condition;
    /* Called before each value is tried; may be NULL. */
    void (*on_value)(guint n_tried, const char *value);
    /* Called in every run.  If it ends one, the error is
     * SYSTEM_ERROR_ENDED. */
    RunWatch watch;
} SolveTask;

typedef struct {
    uint64_t value;
    char *metric; /* owned: as in the CSV; NULL: the run failed */
    double goal;
    gboolean meets_goal;
    char *reason; /* owned: why the run failed; NULL if it did not */
} SolveTrial;

/* The value of a key before it is varied. */
typedef struct {
    uint64_t value;
    ConfigType type;
} SolveGiven;

typedef struct {
    const SolveTask *task;
    ConfigType type;      /* type of the varied values */
    gboolean is_factor;   /* values are factors, in parts per million */
    GArray *given;        /* owned: of SolveGiven, one per key; empty unless
                           * .is_factor */
    GArray *trials;       /* owned: of SolveTrial, by ascending value */
    SearchResult *search; /* owned */
    gboolean has_other;   /* .other is known and does not depend on the varied
                           * value */
    double other;
} SolveResult;

G_GNUC_WARN_UNUSED_RESULT
SolveResult *solve_run(const SolveTask *task, GError **error);
void solve_free(SolveResult *solve);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SolveResult, solve_free)

static inline const SolveTrial *solve_trial(const SolveResult *solve, guint i)
{
    return &g_array_index(solve->trials, SolveTrial, i);
}

/* Returns the text of a varied value, which the caller owns.  It has a unit of
 * the range if that is short. */
char *solve_value_text(const SolveResult *solve, uint64_t value);

/* Returns the text of the value at key number @key; if values are factors, of
 * the product. */
char *solve_key_text(const SolveResult *solve, guint key, uint64_t value);

#endif
