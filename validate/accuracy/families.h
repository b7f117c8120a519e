/*
 * families.h - families of measured rows, and the functions that yield their
 * rows
 *
 * Each appends the rows of one family, as AccuracyFamily.add_rows does.
 *
 * Errors   those of acesim_process.h and csv.h
 */
#ifndef VALIDATE_ACCURACY_FAMILIES_H
#define VALIDATE_ACCURACY_FAMILIES_H

#include "validate/accuracy/measured_studies.h"
#include "validate/error_statistics.h"

/* A family of measured rows.  .system names the property by which its rows are
 * grouped, such as "model". */
typedef struct AccuracyFamily AccuracyFamily;
struct AccuracyFamily {
    const char *name, *system;
    /* The names of the rules that the family admits; NULL for others. */
    const char *rules[JUDGE_N_RULES];
    /* Appends the rows of the family to an array of JudgeRow. */
    gboolean (*add_rows)(const MeasuredStudies *studies,
                         const AccuracyFamily *family, GArray *rows,
                         GError **error);
    const void *detail; /* parameters of .add_rows; its type depends on it */
};

/* ---- kernels of GPUs: a system is a chip --------------------------------- */

/* Kernels of one kind, by the families of their rows. */
typedef struct {
    /* The names of the families, separated by "|"; "*" ends a prefix. */
    const char *families;
    /* TRUE if a time hardly depends on bytes: the basis is then 1 us. */
    gboolean is_constant;
} KernelDetail;

gboolean add_kernel_rows(const MeasuredStudies *studies,
                         const AccuracyFamily *family, GArray *rows,
                         GError **error);
/* Times of images on one GPU. */
gboolean add_image_rows(const MeasuredStudies *studies,
                        const AccuracyFamily *family, GArray *rows,
                        GError **error);

typedef struct {
    const char *group; /* of validate/data/contention.csv */
    /* TRUE: the detail is for .group, and each kernel of it counts as one
     * system.  FALSE: it is for all other groups, and each group counts as one
     * system. */
    gboolean kernels_are_systems;
} ContentionDetail;

/* Published slowdowns of kernels beside communication. */
gboolean add_contention_rows(const MeasuredStudies *studies,
                             const AccuracyFamily *family, GArray *rows,
                             GError **error);
/* Slowdowns of pairs of kernels on own GPUs.  The detail is a gboolean: TRUE
 * for the partners. */
gboolean add_overlap_rows(const MeasuredStudies *studies,
                          const AccuracyFamily *family, GArray *rows,
                          GError **error);

/* ---- collectives: a system is a machine and a number of GPUs ------------- */

typedef struct {
    gboolean is_deepbench;
    /* TRUE for machines that are joined by a network. */
    gboolean is_cluster;
    /* The range of payloads in bytes, without .below. */
    double from, below;
    /* TRUE if a time hardly depends on bytes: the basis is then 1 us. */
    gboolean is_constant;
} CollectiveDetail;

gboolean add_collective_rows(const MeasuredStudies *studies,
                             const AccuracyFamily *family, GArray *rows,
                             GError **error);
/* Broadcasts and all-reduces over chains of NVLinks. */
gboolean add_chain_rows(const MeasuredStudies *studies,
                        const AccuracyFamily *family, GArray *rows,
                        GError **error);

/* ---- training steps of language models: a system is a model or a
 * GPU ------ */

typedef struct {
    StepFilter filter;
    /* FALSE for a table that nothing was fitted to. */
    gboolean is_refitted;
} StepDetail;

/* Appends nothing if the steps were not simulated. */
gboolean add_step_rows(const MeasuredStudies *studies,
                       const AccuracyFamily *family, GArray *rows,
                       GError **error);

/* ---- training systems ---------------------------------------------------- */

typedef enum {
    SYSTEM_BASIS_ONE,
    SYSTEM_BASIS_COMPUTE, /* the compute time of one GPU */
    /* The number of payloads that a rank of a ring sends, 2 (n - 1) / n, where
     * n is the axis of the system. */
    SYSTEM_BASIS_RING,
} SystemBasis;

/* A letter for each axis of the table, in its order:
 *
 *     s  part of the name of the system       k  part of the kind
 *     b  part of both                         f  of the kind, first word only
 *     n  part of the name of the system, whose last number is the count
 *     x  a number or a size in bytes
 *     r  the systems that constants were fitted to
 *
 * .x of a row is the logarithm to base 2 of the axis `n` or `x`.  The column of
 * a row is part of its kind. */
typedef struct {
    const char *table, *axes;
    SystemBasis basis;
    /* Prefixes that the kind must have, and that the system must not have; NULL
     * for none. */
    const char *kind, *not_system;
    /* The value of axis `r` in rows with all constants; NULL without `r`. */
    const char *whole;
    /* The unit of a system that is a number, such as "hosts"; NULL
     * for others. */
    const char *count_of;
    gboolean shown_rows_count; /* TRUE if rows of use `told` count */
} SystemDetail;

gboolean add_system_rows(const MeasuredStudies *studies,
                         const AccuracyFamily *family, GArray *rows,
                         GError **error);

/* Ratios of the times of two rows of one system that differ in their kind, such
 * as two methods: the measured slower one over the faster one.  .basis of the
 * SystemDetail is ignored.  Rows of use `order` do
 * not count: their simulated compute time has the same unknown unit, so that
 * even ratios mean nothing. */
gboolean add_speedup_rows(const MeasuredStudies *studies,
                          const AccuracyFamily *family, GArray *rows,
                          GError **error);

#endif
