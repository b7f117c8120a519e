/*
 * published_collective_times.h - published times of collectives, and their
 * machines
 *
 * A row is the median of the times that one source gives for a system, a number
 * of GPUs, a collective, a size and pinned settings.  A separate table maps
 * each system to a platform file and to the settings that represent it.
 *
 * Units    bytes, us
 * Errors   those of acesim_process.h, csv.h; VALIDATE_ERROR_RESULT
 * Owner    the caller owns the rows, which own the tables they point
 * into */
#ifndef VALIDATE_COLLECTIVES_PUBLISHED_COLLECTIVE_TIMES_H
#define VALIDATE_COLLECTIVES_PUBLISHED_COLLECTIVE_TIMES_H

#include "validate/acesim_process.h"

#define COLLECTIVE_MEASURED_FILE "validate/data/collectives/measured.csv"
#define COLLECTIVE_MACHINES_FILE "validate/data/collectives/machines.csv"

typedef struct {
    const char *source, *system, *kind, *pin; /* The table owns this text. */
    /* The table owns these texts; NULL if no platform represents the system. */
    const char *platform, *sets;
    guint n_npus;
    double bytes, measured_us;
    /* The simulated time; 0 if the row was not simulated. */
    double simulated_us;
    /* The table owns these texts; NULL if the row was not simulated. */
    const char *algorithm, *protocol;
    /* The time simulated_us converted with the start time and rate of this
     * system. */
    double own_us;
    /* TRUE if start time and rate were fitted to this row. */
    gboolean is_fitted_to;
} CollectiveRow;

typedef struct {
    CsvTable *measured, *machines; /* The struct owns this memory. */
    GPtrArray *simulated;          /* The struct owns this array of CsvTable. */
    GArray *rows; /* The struct owns this array of CollectiveRow. */
} CollectiveRows;

/* Takes ownership of both tables, even on error. */
G_GNUC_WARN_UNUSED_RESULT
CollectiveRows *published_collectives_new(CsvTable *measured,
                                          CsvTable *machines, GError **error);
void published_collectives_free(CollectiveRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CollectiveRows, published_collectives_free)

static inline CollectiveRow *published_collective_at(const CollectiveRows *rows,
                                                     guint i)
{
    return &g_array_index(rows->rows, CollectiveRow, i);
}

/* Returns how many rows from @first on belong to one run.  They differ only in
 * size. */
guint published_collectives_count_rows_of_run(const CollectiveRows *rows,
                                              guint first);

/* Runs all rows that have a machine by `acesim collectives`.  Output files go
 * to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
gboolean published_collectives_run(CollectiveRows *rows,
                                   const Simulator *simulator, const char *name,
                                   GError **error);

#endif
