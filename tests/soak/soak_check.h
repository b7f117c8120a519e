/* soak_check.h - what holds of a random system, looked at by running it */
#ifndef TESTS_SOAK_SOAK_CHECK_H
#define TESTS_SOAK_SOAK_CHECK_H

#include "tests/soak/soak_helps.h"

#define U "%" G_GUINT64_FORMAT

typedef struct {
    uint64_t n_runs, n_slower, n_many, n_much;
    double worst_ppm;
    uint64_t worst_seed;
} Tally;

/* In memory that parent and child share. */
typedef struct {
    uint64_t seed; /* on trial */
    gboolean verbose, defaults;
    SoakVariant variant; /* of those */
    uint64_t n_cases, n_refused, n_failed, n_runs;
    uint64_t n_exact, n_folded, n_divided, n_chains;
    Tally tallies[SOAK_N_HELPS];
    const char *program;
} Soak;

/* Prints how the case on trial can be run again, and counts it. */
void soak_fail(Soak *soak, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The case of the seed on trial; what does not hold of it is printed. */
void soak_check_case(Soak *soak);

#endif
