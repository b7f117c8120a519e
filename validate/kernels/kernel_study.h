/*
 * kernel_study.h - compares NPUs with measurements of their kernels
 *
 * The rows of validate/data, both published ones and the user's own, become one
 * file of `acesim kernels` for each NPU of configs/npus/ that they name. acesim
 * then times this file, so the study judges the program with the NPU files that
 * users have.  Errors are reported by NPU and family, separately for held-out
 * rows and rows that were fitted to.
 *
 * Units    us, percent
 * Errors   those of acesim_process.h and kernel_rows.h
 * Owner    the caller owns the study and
 * texts */
#ifndef VALIDATE_KERNELS_KERNEL_STUDY_H
#define VALIDATE_KERNELS_KERNEL_STUDY_H

#include "validate/acesim_process.h"
#include "validate/kernels/kernel_rows.h"

typedef struct {
    guint row; /* The index of the row in .rows. */
    double simulated_us, flop, bytes, in_flight_bytes;
    /* The error relative to the measured time, with its sign. */
    double error_percent;
    /* The time on an NPU without what was fitted to its chip; 0 if it was not
     * run (held_out_npus.h). */
    double left_out_us;
} KernelResult;

typedef struct {
    GArray *rows; /* The struct owns this array of KernelRow. */
    /* The array of KernelResult is ordered by NPU, then as .rows. */
    GArray *results;
    /* The NPUs without a file, and the number of their rows. */
    GHashTable *absent;
} KernelStudy;

static inline const KernelResult *kernel_result_at(const KernelStudy *study,
                                                   guint i)
{
    return &g_array_index(study->results, KernelResult, i);
}

/* Returns the measured row of result @i. */
static inline const KernelRow *kernel_result_row(const KernelStudy *study,
                                                 guint i)
{
    return kernel_rows_at(study->rows, kernel_result_at(study, i)->row);
}

/* Runs all NPUs of the rows in @folder.  Output files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
KernelStudy *kernel_study_run(const Simulator *simulator, const char *name,
                              const char *folder, GError **error);
void kernel_study_free(KernelStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(KernelStudy, kernel_study_free)

/* Runs the rows of @npu on the NPU file at @path, and sets .left_out_us of its
 * results.  Output files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
gboolean kernel_study_time_left_out(KernelStudy *study,
                                    const Simulator *simulator,
                                    const char *name, const char *npu,
                                    const char *path, GError **error);

/* Returns the names of the NPUs that were run, in order.  The caller owns the
 * array; the study owns the names. */
GPtrArray *kernel_study_npus(const KernelStudy *study);
/* Returns the families of an NPU, with the same ownership. */
GPtrArray *kernel_study_families(const KernelStudy *study, const char *npu);

/* Absolute errors of the held-out or the training rows of a family on an
 * NPU. */
typedef struct {
    guint n;
    double mean_percent, median_percent, worst_percent;
    guint worst_line; /* The line number of the worst row in its file. */
} KernelScore;

/* Returns the errors of @family, or of all families if it is NULL. */
KernelScore kernel_study_score(const KernelStudy *study, const char *npu,
                               const char *family, gboolean is_held_out);

/* Appends a table with a line for each NPU and family. */
void kernel_study_render(const KernelStudy *study, GString *out);

/* Returns CSV with a header and a row for each result. */
char *kernel_study_csv(const KernelStudy *study);

/* ---- plot data and HTML page, drawn by kernels.gp ------------------------ */

/* Returns the data of the plots of an NPU, which the caller owns.  There is one
 * block per family, separated by two blank lines.  Its first line is "FAMILY"
 * "X-AXIS" "Y-AXIS".  The others contain x, the measured and the simulated
 * rate, the measured and the simulated time in us, and 1 if the row is held
 * out.  They are sorted by x. */
char *kernel_study_points(const KernelStudy *study, const char *npu);

/* Returns an HTML page with a table of errors and the plots of each NPU, which
 * the caller owns.  The plots are FOLDER/NPU-BLOCK.svg; block 0 shows all
 * families together. */
char *kernel_study_page(const KernelStudy *study, const char *folder);

#endif
