/*
 * overlap_study.h - kernels beside a reduction, a copy or a copy engine on a
 * GPU: measured and simulated slowdowns
 *
 * validate/gpu measures pairs of kernels: a compute kernel on n SMs, and a
 * partner that reduces or copies on k other SMs, or a copy engine.  The study
 * divides the memory of the NPU between both, with the functions that a run
 * uses (hbm_bandwidth.h, kernel_time.h):
 *
 *     slowdown of the kernel  = time(n SMs, its bandwidth beside the partner)
 *                               / time(all SMs, whole bandwidth)
 *     slowdown of the partner = bandwidth alone / bandwidth beside the kernel
 *
 * In family `order`, the partner runs once beside some launches of the kernel,
 * 30 us before or after them.  Both then have the slowdowns of a pair that
 * always runs while both run, and none before and after.  SMs are free at once:
 * a run knows no priorities, and no kernel that waits for the blocks of
 * another.
 *
 * Two values are measured: the bandwidth of the partner alone, and the time
 * alone of products of the own gemm kernel, whose tiles are known.  Nothing is
 * fitted to these rows.
 *
 * Left out   copies within the device by the driver: their rows show that they
 *            run on SMs; partners that hold SMs and do nothing
 * Units      us, percent
 * Errors     CSV_ERROR, with file and line; CONFIG_ERROR of the NPU
 * Owner      the caller owns arrays, the strings in them and texts
 */
#ifndef VALIDATE_KERNELS_OVERLAP_STUDY_H
#define VALIDATE_KERNELS_OVERLAP_STUDY_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    char *family, *kernel, *partner; /* The struct owns these names. */
    /* The SMs of the compute kernel beside its partner, and of the partner; 0
     * for a copy engine. */
    uint64_t n_sms, n_partner_sms;
    double flop_per_byte; /* of the compute kernel */
    /* Slowdowns of the compute kernel and of its partner. */
    double measured, simulated, partner_measured, partner_simulated;
} OverlapPair;

/* Simulates the pairs of the measured file at @path on the NPU of the file at
 * @npu_path.  Returns an array of OverlapPair in the order of the file. */
G_GNUC_WARN_UNUSED_RESULT
GArray *overlap_study_run(const char *path, const char *npu_path,
                          GError **error);

typedef struct {
    guint n;
    /* Absolute errors of the slowdowns, and those of a rule that expects no
     * slowdown. */
    double mean_percent, worst_percent, trivial_mean_percent;
} OverlapScore;

/* Returns the errors of the compute kernels, or of their partners, of all pairs
 * with these names; NULL stands for all names. */
OverlapScore overlap_study_score(const GArray *pairs, const char *family,
                                 const char *kernel, gboolean is_partner);

/* Appends a table with a line for each family and kernel, and for each
 * family. */
void overlap_study_render(const GArray *pairs, GString *out);

/* Returns CSV with a header and a row for each pair. */
char *overlap_study_csv(const GArray *pairs);

static inline const OverlapPair *overlap_pair_at(const GArray *pairs, guint i)
{
    return &g_array_index(pairs, OverlapPair, i);
}

#endif
