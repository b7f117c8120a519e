/*
 * kernel_study.h - NPUs against measurements of their kernels
 *
 * The rows of validate/data, published ones and our own, become one file of
 * `acesim kernels` for each NPU of configs/npus/ that they name, which acesim
 * then times: what is judged is the program with the file that a user has.
 * Errors are told by NPU and family, held-out rows apart from those that were
 * fitted to.
 *
 * Units    us, percent
 * Errors   those of simulator.h and kernel_rows.h
 * Owner    the caller owns the study and texts
 */
#ifndef VALIDATE_KERNELS_KERNEL_STUDY_H
#define VALIDATE_KERNELS_KERNEL_STUDY_H

#include "validate/kernels/kernel_rows.h"
#include "validate/simulator.h"

typedef struct {
    guint row; /* of .rows */
    double simulated_us, flop, bytes, in_flight_bytes;
    double error_percent; /* of measured, with its sign */
} KernelResult;

typedef struct {
    GArray *rows;       /* of KernelRow */
    GArray *results;    /* of KernelResult, by NPU, then as rows are */
    GHashTable *absent; /* NPUs of rows that have no file, and how many rows */
} KernelStudy;

/* Files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
KernelStudy *kernel_study_run(const Simulator *simulator, const char *name,
                              GError **error);
void kernel_study_free(KernelStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(KernelStudy, kernel_study_free)

/* Names of the NPUs that were run, in order.  Owner: the caller owns the array,
 * the study the names. */
GPtrArray *kernel_study_npus(const KernelStudy *study);
/* Those of an NPU. */
GPtrArray *kernel_study_families(const KernelStudy *study, const char *npu);

/* Absolute errors of one part of a family on an NPU. */
typedef struct {
    guint n;
    double mean_percent, median_percent, worst_percent;
    guint worst_line; /* of its file */
} KernelScore;

/* @family NULL: of all. */
KernelScore kernel_study_score(const KernelStudy *study, const char *npu,
                               const char *family, gboolean is_held_out);

/* A line for each NPU and family. */
void kernel_study_render(const KernelStudy *study, GString *out);

/* With a header, a row for each result. */
char *kernel_study_csv(const KernelStudy *study);

/* ---- for people: kernels.html, drawn by kernels.gp ---------------------- */

/* What is drawn of an NPU: a block for each family, two blank lines apart.  Its
 * first line is "FAMILY" "X-AXIS" "Y-AXIS", then come lines of x, measured and
 * simulated rate, measured and simulated us, 1 where it is held out; x grows.
 * Owner: the caller. */
char *kernel_study_points(const KernelStudy *study, const char *npu);

/* A page with the errors as a table and the plots of each NPU, which are
 * FOLDER/NPU-BLOCK.svg, the first of all families.  Owner: the caller. */
char *kernel_study_page(const KernelStudy *study, const char *folder);

#endif
