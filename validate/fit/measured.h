/*
 * measured.h - rows of a GPU's measurements, as validate/gpu writes them
 *
 * A row is one kernel's time, alone or beside another; the two rows of such an
 * experiment have the same .pair.  What does not apply is 0 or "".  A third of
 * the rows, those whose key is divisible by 3, is held out: nothing may be
 * fitted to it.
 *
 * Older files lack columns that came later: those read as "" and 0.
 *
 * Units    in the names; times in us
 * Errors   CSV_ERROR, with file and line
 * Owner    the caller owns the Measurements, which own their texts
 */
#ifndef VALIDATE_FIT_MEASURED_H
#define VALIDATE_FIT_MEASURED_H

#include "sim/core/csv.h"

typedef struct {
    /* borrowed from the table */
    const char *family, *kernel, *dtype, *beside, *beside_kernel, *key;
    /* How loads pass L1, what is asked of shared memory; where a partner runs,
     * who came first, and with priority; why nothing may be fitted to it. */
    const char *loads, *shared, *place, *first, *priority, *caveat;
    uint64_t bytes, n_sms, m, n, k, batch, dim, pooling, bytes_in_flight;
    uint64_t read_bytes, write_bytes, flop;
    uint64_t beside_n_sms, pair, second; /* .second of a long run */
    double median_us, alone_us, power_w;
    gboolean is_held_out;
    guint partner; /* the other row of the pair, or MEASURED_NONE */
    guint line;    /* in the file */
} Measured;

#define MEASURED_NONE G_MAXUINT

typedef struct {
    CsvTable *table;
    GArray *rows;   /* of Measured */
    uint64_t n_sms; /* the most that a row has: all there are */
} Measurements;

G_GNUC_WARN_UNUSED_RESULT
Measurements *measurements_load(const char *path, GError **error);
G_GNUC_WARN_UNUSED_RESULT
Measurements *measurements_parse(const char *name, const char *text,
                                 GError **error);
void measurements_free(Measurements *measurements);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Measurements, measurements_free)

static inline const Measured *measurements_row(const Measurements *all, guint i)
{
    return &g_array_index(all->rows, Measured, i);
}

#endif
