/*
 * image_study.h - images/s of whole networks on one GPU
 *
 * The rows of a table of published throughputs, each run by `acesim run` on a
 * platform of one NPU, by shapes alone: compute is roofline, no communication,
 * plain SGD, elementwise kernels apart as frameworks had them.
 *
 * A row is one of the `pair`s of network and GPU that are judged; an `other`,
 * such as another batch or a GPU that is not told for certain; or an
 * `at-least`: what each of many GPUs reached with communication, so that one
 * alone is at least as fast.
 *
 * Leaves out the host: input, transfer of weights to and from it.
 *
 * Errors   those of simulator.h, csv.h; VALIDATE_ERROR_RESULT
 * Owner    the caller owns the study and texts
 */
#ifndef VALIDATE_KERNELS_IMAGE_STUDY_H
#define VALIDATE_KERNELS_IMAGE_STUDY_H

#include "validate/simulator.h"

typedef enum {
    IMAGE_PAIR,
    IMAGE_OTHER,
    IMAGE_AT_LEAST,
    IMAGE_N_WHATS,
} ImageWhat;

typedef struct {
    const char *npu, *model, *workload, *precision, *source; /* the table's */
    ImageWhat what;
    double batch;
    double measured_per_s, simulated_per_s; /* 0: the NPU has no file */
} ImageRow;

typedef struct {
    CsvTable *table; /* owned */
    GArray *rows;    /* owned, of ImageRow */
} ImageStudy;

#define IMAGE_STUDY_FILE "validate/data/published/networks/images.csv"

/* The rows of @table, which it takes, with nothing simulated. */
G_GNUC_WARN_UNUSED_RESULT
ImageStudy *image_study_new(CsvTable *table, GError **error);
/* Those of IMAGE_STUDY_FILE, run; files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
ImageStudy *image_study_run(const Simulator *simulator, const char *name,
                            GError **error);
void image_study_free(ImageStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImageStudy, image_study_free)

/* Of the pairs that were simulated, how many are off by @percent at most. */
guint image_study_n_within(const ImageStudy *study, double percent,
                           guint *ret_n_pairs);

void image_study_render(const ImageStudy *study, GString *out);

/* With a header, a row for each row. */
char *image_study_csv(const ImageStudy *study);

#endif
