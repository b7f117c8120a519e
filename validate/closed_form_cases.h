/*
 * closed_form_cases.h - runs whose result is known in closed form
 *
 * Every case is a complete run file with round numbers, so that little or
 * nothing is rounded.  The file is written to the results, so that it can be
 * run by hand.  The expected result comes from closed_form.h.
 *
 * Owner    cases are
 * static */
#ifndef VALIDATE_CLOSED_FORM_CASES_H
#define VALIDATE_CLOSED_FORM_CASES_H

#include "validate/acesim_process.h"
#include "validate/deviation.h"

typedef struct ClosedCase ClosedCase;

struct ClosedCase {
    /* The unique name of the case, which is also the stem of its files. */
    const char *name;
    const char *formula; /* The closed form in mathematical notation. */
    /* The sections of the run file in YAML. */
    const char *topology, *endpoint, *workload, *collectives;
    const char *argument; /* An extra argument of `acesim run`; may be NULL. */
    const char *column;   /* The column of the CSV, with its unit. */
    double (*expected)(const ClosedCase *self);
    guint n; /* The parameter of expected(), such as a number of ranks. */
    CompareTolerance tolerance;
    /* The reason of the tolerance; NULL if there is no tolerance. */
    const char *why;
};

extern const ClosedCase closed_cases[];
extern const guint closed_n_cases;

typedef struct {
    double expected, simulated;
    gboolean is_ok;
} ClosedResult;

/* Runs all cases in order.  Returns an array of ClosedResult, or NULL with
 * @error set. */
G_GNUC_WARN_UNUSED_RESULT
GArray *closed_run_all(const Simulator *simulator, GError **error);

/* Appends the table of all results.  Returns the number of results that are not
 * ok. */
guint closed_results_render(const GArray *results, GString *out);

/* Returns the results as CSV, which the caller owns. */
char *closed_results_csv(const GArray *results);

#endif
