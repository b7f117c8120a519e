/*
 * isolated_kernel_study.h - lookups and copies by the driver on a GPU, alone:
 * measured and simulated times
 *
 * validate/gpu measures embedding lookups and copies by the driver, which are
 * no kernels of `acesim kernels`:
 *
 *     lookup              a kernel with its bytes and FLOP on all SMs, with the
 *                         functions that a run uses (kernel_time.h)
 *     *-d2d               a copy on all SMs, because the driver copies with SMs
 *     *-d2h, *-h2d        bytes / rate of the PCIe link that platforms of
 *                         configs/platforms have: 16 lanes of PCIe 5.0,
 *                         63 GB/s, of which 91 % are data
 *
 * Each has the launch overhead of the NPU.  Nothing is fitted to these rows.
 *
 * Units    us, bytes, percent
 * Errors   CSV_ERROR, with file and line; CONFIG_ERROR of the NPU
 * Owner    the caller owns arrays, the strings in them and texts
 */
#ifndef VALIDATE_KERNELS_ISOLATED_KERNEL_STUDY_H
#define VALIDATE_KERNELS_ISOLATED_KERNEL_STUDY_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    char *family, *kernel; /* The struct owns these names. */
    double bytes;          /* read and written */
    double measured_us, simulated_us;
    /* The time of the bytes at the nominal bandwidth of the HBM or of PCIe. */
    double nominal_us;
} LoneRow;

/* Simulates the rows of families `lookup` and `engine` of the measured file at
 * @path on the NPU of the file at @npu_path.  Returns an array of LoneRow in
 * the order of the file. */
G_GNUC_WARN_UNUSED_RESULT
GArray *isolated_kernel_study_run(const char *path, const char *npu_path,
                                  GError **error);

/* Appends a table with a line for each kernel. */
void isolated_kernel_study_render(const GArray *rows, GString *out);

/* Returns CSV with a header and a row for each row: measured beside
 * simulated. */
char *isolated_kernel_study_csv(const GArray *rows);

#endif
