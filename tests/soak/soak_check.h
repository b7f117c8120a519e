/* soak_check.h - runs a random system and checks its invariants */
#ifndef TESTS_SOAK_SOAK_CHECK_H
#define TESTS_SOAK_SOAK_CHECK_H

#include "tests/soak/soak_improvements.h"

#define U "%" G_GUINT64_FORMAT

typedef struct {
    uint64_t n_runs, n_slower, n_many, n_much;
    double worst_ppm;
    uint64_t worst_seed;
} Tally;

/* The state that the parent and the child process share. */
typedef struct {
    uint64_t seed; /* The current seed. */
    gboolean verbose, defaults;
    SoakVariant variant; /* The variant of the default settings. */
    uint64_t n_cases, n_refused, n_failed, n_runs;
    uint64_t n_exact, n_folded, n_divided, n_chains;
    Tally tallies[SOAK_N_IMPROVEMENTS];
    const char *program;
} Soak;

/* Reports a failure of the current seed with the command that repeats it, and
 * counts it. */
void soak_report_failure(Soak *soak, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* Runs and checks the case of the current seed. */
void soak_check_case(Soak *soak);

#endif
