/*
 * collective_study.h - collectives of real machines, published and simulated
 *
 * One set of constants of the library, link rates from data sheets: nothing in
 * the simulated time is of one system.  Beside it each system may have two
 * numbers of its own, a start and a rate: own = start + simulated x rate, so
 * that its smallest and its largest size, of those that were not pinned, are
 * met; these two are not among its own errors.
 *
 * Errors   those of simulator.h, csv.h; VALIDATE_ERROR_RESULT
 * Owner    the caller owns rows and texts
 */
#ifndef VALIDATE_COLLECTIVES_COLLECTIVE_STUDY_H
#define VALIDATE_COLLECTIVES_COLLECTIVE_STUDY_H

#include "validate/collectives/collective_rows.h"

typedef enum {
    COLLECTIVE_BELOW_64_KIB,
    COLLECTIVE_TO_1_MIB,
    COLLECTIVE_TO_256_MIB, /* both ends are in it */
    COLLECTIVE_TO_1_GIB,
    COLLECTIVE_FROM_1_GIB,
    COLLECTIVE_N_RANGES,
} CollectiveRange;

CollectiveRange collective_range(double bytes);

typedef struct {
    guint n;
    double mean, worst; /* percent; 0 where n is */
} CollectiveErrors;

/* Which rows count; NULL, 0 and COLLECTIVE_N_RANGES stand for all. */
typedef struct {
    const char *source, *not_source, *system;
    guint n_npus;
    CollectiveRange range;
    gboolean
        own; /* errors of the system's own, without what it was fitted to */
} CollectiveFilter;

/* The published rows, run, each system's own fitted; files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
CollectiveRows *collective_study_run(const Simulator *simulator,
                                     const char *name, GError **error);

/* Fits the systems' own to rows that have been simulated. */
void collective_study_fit(CollectiveRows *rows);

CollectiveErrors collective_study_errors(const CollectiveRows *rows,
                                         const CollectiveFilter *filter);

/* The smallest size from which on the library chose @algorithm for what was
 * not pinned, in bytes; 0: nowhere. */
double collective_study_from(const CollectiveRows *rows, const char *system,
                             guint n_npus, const char *algorithm);

/* Simulated time by @pin over that of what was not pinned, at the largest size
 * that has both; 0: none has. */
double collective_study_over(const CollectiveRows *rows, const char *system,
                             guint n_npus, const char *pin);

/* Verdicts: what must hold. */
typedef struct {
    gboolean holds;
    char *text; /* owned */
} CollectiveVerdict;

/* An array of CollectiveVerdict that frees its texts. */
GArray *collective_study_verdicts(const CollectiveRows *rows);

#endif
