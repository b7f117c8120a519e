/*
 * closed_cases.h - runs whose result is known by pencil
 *
 * Every case is a whole run file, made of round numbers so that little or
 * nothing is rounded, and written to the results so that it can be run by
 * hand.  What it has to give comes from closed_form.h.
 *
 * Owner    cases are static
 */
#ifndef VALIDATE_CLOSED_CASES_H
#define VALIDATE_CLOSED_CASES_H

#include "validate/compare.h"
#include "validate/simulator.h"

typedef struct ClosedCase ClosedCase;

struct ClosedCase {
    const char *name;    /* and the stem of its files */
    const char *formula; /* as a person would write it */
    /* parts of the run file, YAML */
    const char *topology, *endpoint, *workload, *collectives;
    const char *argument; /* for acesim run; may be NULL */
    const char *column;   /* of the CSV, and its unit */
    double (*expected)(const ClosedCase *self);
    guint n; /* for expected() */
    CompareTolerance tolerance;
    const char *why; /* the tolerance is what it is; NULL: it is none */
};

extern const ClosedCase closed_cases[];
extern const guint closed_n_cases;

typedef struct {
    double expected, simulated;
    gboolean is_ok;
} ClosedResult;

/* Runs all cases, in order; an array of ClosedResult, or NULL. */
G_GNUC_WARN_UNUSED_RESULT
GArray *closed_run_all(const Simulator *simulator, GError **error);

/* Appends the table of all results.  Returns the number that are not ok. */
guint closed_render(const GArray *results, GString *out);

/* The same as CSV.  Owner: the caller. */
char *closed_csv(const GArray *results);

#endif
