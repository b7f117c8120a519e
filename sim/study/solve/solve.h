/*
 * solve.h - the least value of a parameter that reaches a goal, by simulation
 *
 * Each value that is tried is a run of the file with what --set and --vary put
 * into it.  The goal may be what another run comes to: the same with an ideal
 * endpoint or the endpoint of a file, or a run file of its own, which --set
 * does not touch.  What is varied is varied in both, but for what is under
 * `endpoint`, which belongs to the run it was said of.
 *
 * Where --from and --to are "1x" and "8x", each key is varied by a factor from
 * what the file and --set give it, counts being rounded: so things of different
 * units go together.
 *
 * A value that the models refuse (room too small for a chunk) does not hold.
 *
 * Errors   CONFIG_ERROR, those of condition.h; SYSTEM_ERROR when nothing ran
 * Owner    the caller owns the Solve, which borrows its task
 */
#ifndef SIM_STUDY_SOLVE_SOLVE_H
#define SIM_STUDY_SOLVE_SOLVE_H

#include "models/run/system.h"
#include "sim/study/solve/condition.h"
#include "sim/study/solve/search.h"

typedef struct {
    const char *path;
    char *const *sets; /* "KEY=VALUE"; may be NULL */
    char *const *keys; /* what is varied together; ends with NULL */
    const char *from, *to;
    uint64_t tolerance_ppm;
    FoldMode fold;
    const Condition *condition;
    /* Told of each value before it is tried; may be NULL. */
    void (*on_value)(guint n_tried, const char *value);
} SolveTask;

typedef struct {
    uint64_t value;
    char *metric; /* owned: as the CSV has it; NULL: it could not be run */
    double goal;
    gboolean holds;
    char *reason; /* owned: why it could not be run; NULL: it was */
} SolveTrial;

/* What the file has at a key. */
typedef struct {
    uint64_t value;
    ConfigType type;
} SolveGiven;

typedef struct {
    const SolveTask *task;
    ConfigType type;      /* of what is varied */
    gboolean is_factor;   /* values are parts per million of what there is */
    GArray *given;        /* owned: that, of SolveGiven, one a key */
    GArray *trials;       /* owned, of SolveTrial, by rising value */
    SearchResult *search; /* owned */
    gboolean has_other;   /* .other is known, and the same for all values */
    double other;
} Solve;

G_GNUC_WARN_UNUSED_RESULT
Solve *solve_run(const SolveTask *task, GError **error);
void solve_free(Solve *solve);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Solve, solve_free)

static inline const SolveTrial *solve_trial(const Solve *solve, guint i)
{
    return &g_array_index(solve->trials, SolveTrial, i);
}

/* @value as one that is varied is written: in a unit of the range where that
 * is short.  Owner: the caller. */
char *solve_value_text(const Solve *solve, uint64_t value);

/* The same of the @key-th key: where values are factors, what that comes to. */
char *solve_key_text(const Solve *solve, guint key, uint64_t value);

#endif
