/*
 * collective_rows.h - published times of collectives, and what machine each is
 *
 * A row is the median of what one source printed for a system, a number of
 * GPUs, a collective, a size and what was pinned.  The machines are a table of
 * their own: which file, and what is set in it, stands for a system.
 *
 * Units    bytes, us
 * Errors   those of simulator.h, csv.h; VALIDATE_ERROR_RESULT
 * Owner    the caller owns the rows, which own the tables they point into
 */
#ifndef VALIDATE_COLLECTIVES_COLLECTIVE_ROWS_H
#define VALIDATE_COLLECTIVES_COLLECTIVE_ROWS_H

#include "validate/simulator.h"

#define COLLECTIVE_MEASURED_FILE "validate/data/collectives/measured.csv"
#define COLLECTIVE_MACHINES_FILE "validate/data/collectives/machines.csv"

typedef struct {
    const char *source, *system, *kind, *pin; /* the table's */
    const char *platform, *sets; /* the table's; NULL: nothing stands for it */
    guint n_npus;
    double bytes, measured_us;
    double simulated_us;              /* 0: it was not */
    const char *algorithm, *protocol; /* of a table; NULL: it was not */
    double own_us;         /* the same with the system's own start and rate */
    gboolean is_fitted_to; /* by these two */
} CollectiveRow;

typedef struct {
    CsvTable *measured, *machines; /* owned */
    GPtrArray *simulated;          /* owned, of owned CsvTable */
    GArray *rows;                  /* owned, of CollectiveRow */
} CollectiveRows;

/* Takes both tables, on error too. */
G_GNUC_WARN_UNUSED_RESULT
CollectiveRows *collective_rows_new(CsvTable *measured, CsvTable *machines,
                                    GError **error);
void collective_rows_free(CollectiveRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CollectiveRows, collective_rows_free)

static inline CollectiveRow *collective_row(const CollectiveRows *rows, guint i)
{
    return &g_array_index(rows->rows, CollectiveRow, i);
}

/* How many rows from @first on are of one run: alike but for their size. */
guint collective_rows_alike(const CollectiveRows *rows, guint first);

/* All with a machine, by `acesim collectives`; files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
gboolean collective_rows_run(CollectiveRows *rows, const Simulator *simulator,
                             const char *name, GError **error);

#endif
