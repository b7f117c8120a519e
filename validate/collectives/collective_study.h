/*
 * collective_study.h - collectives of real machines: published and simulated
 *
 * All systems use the same constants of the library, and link rates from data
 * sheets, so no constant in the simulated time is specific to one system.  In
 * addition, each system may have two fitted numbers, a start time and a rate:
 * own = start + simulated x rate.  They are chosen so that the smallest and the
 * largest size of the rows without pinned settings are met.  These two rows do
 * not count for the errors of `own`.
 *
 * Errors   those of acesim_process.h, csv.h; VALIDATE_ERROR_RESULT
 * Owner    the caller owns rows and texts
 */
#ifndef VALIDATE_COLLECTIVES_COLLECTIVE_STUDY_H
#define VALIDATE_COLLECTIVES_COLLECTIVE_STUDY_H

#include "validate/collectives/published_collective_times.h"

typedef enum {
    COLLECTIVE_BELOW_64_KIB,
    COLLECTIVE_TO_1_MIB,
    COLLECTIVE_TO_256_MIB, /* The ranges of sizes include both ends. */
    COLLECTIVE_TO_1_GIB,
    COLLECTIVE_FROM_1_GIB,
    COLLECTIVE_N_RANGES,
} CollectiveRange;

/* Returns the range of sizes that @bytes is in. */
CollectiveRange collective_size_range(double bytes);

typedef struct {
    guint n;
    double mean, worst; /* The errors in percent; 0 if .n is 0. */
} CollectiveErrors;

/* A filter of rows. NULL, 0 and COLLECTIVE_N_RANGES select all rows. */
typedef struct {
    const char *source, *not_source, *system;
    guint n_npus;
    CollectiveRange range;
    /* TRUE to use own_us and to leave out the rows that it was fitted to. */
    gboolean own;
} CollectiveFilter;

/* Runs the published rows and fits start time and rate of each system.  Output
 * files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
CollectiveRows *collective_study_run(const Simulator *simulator,
                                     const char *name, GError **error);

/* Fits start time and rate of each system to simulated rows. */
void collective_study_fit_line(CollectiveRows *rows);

/* Returns the mean and the maximum of the absolute errors of the selected
 * rows. */
CollectiveErrors collective_study_errors(const CollectiveRows *rows,
                                         const CollectiveFilter *filter);

/* Returns the smallest size in bytes from which on the library chooses
 * @algorithm for all larger sizes without pinned settings.  Returns 0 if there
 * is none. */
double collective_study_first_bytes_of_algorithm(const CollectiveRows *rows,
                                                 const char *system,
                                                 guint n_npus,
                                                 const char *algorithm);

/* Returns the simulated time with @pin divided by that without pinned settings,
 * at the largest size that has both.  Returns 0 if there is none. */
double collective_study_slowdown_of_pin(const CollectiveRows *rows,
                                        const char *system, guint n_npus,
                                        const char *pin);

/* A condition that must hold, with a text that states the numbers. */
typedef struct {
    gboolean is_met;
    char *text; /* The struct owns this memory. */
} CollectiveVerdict;

/* Returns an array of CollectiveVerdict that frees its texts. */
GArray *collective_study_verdicts(const CollectiveRows *rows);

#endif
