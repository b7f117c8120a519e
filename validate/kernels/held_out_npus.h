/*
 * held_out_npus.h - times kernels on NPUs without what was fitted to their chip
 *
 * The constants of a file of configs/npus whose comment says `fitted to` are
 * replaced by the median of the same constant over the NPUs of other chips that
 * were fitted; without any, the line is left out, so that the program's default
 * applies.  The other lines, such as those of the data sheet, stay.  NPUs of
 * one chip, such as an A100 with 40 and with 80 GB, are left out together; the
 * column `chip` of validate/data/gpus.csv names it.
 *
 * Units    those of the files: a number, or a number with one of ps, ns, us, %
 * Errors   those of acesim_process.h; VALIDATE_ERROR_RESULT if a constant has
 * another unit Owner    the caller owns what is returned
 */
#ifndef VALIDATE_KERNELS_HELD_OUT_NPUS_H
#define VALIDATE_KERNELS_HELD_OUT_NPUS_H

#include "validate/kernels/kernel_study.h"

/* An NPU file. */
typedef struct {
    char *npu, *chip; /* The struct owns this memory. */
    char *text;       /* The struct owns the text of its file. */
} NpuFile;

/* Returns an empty array of NpuFile, which owns the strings of its elements. */
GArray *npu_files_new(void);

/* Returns the files of all NPUs of @gpus (validate/data/gpus.csv)
 * that exist. */
G_GNUC_WARN_UNUSED_RESULT
GArray *npu_files_load(const CsvTable *gpus, GError **error);

/* Returns the chip of @npu, or NULL if @files do not have it. */
const char *npu_files_chip_of_npu(const GArray *files, const char *npu);

/* Returns the text of file @i without what was fitted to its chip. */
G_GNUC_WARN_UNUSED_RESULT
char *npu_files_left_out_text(const GArray *files, guint i, GError **error);

/* Returns the folder of the files that left_out_npus_run() writes, NPU.yaml. */
char *left_out_npus_folder(const Simulator *simulator, const char *name);

/* Runs the rows of @study on these NPUs and sets .left_out_us of its results.
 * Output files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
gboolean left_out_npus_run(const Simulator *simulator, const char *name,
                           const GArray *files, KernelStudy *study,
                           GError **error);

#endif
