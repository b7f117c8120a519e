/*
 * image_study.h - images/s of whole networks on one GPU: published and
 * simulated
 *
 * Each row of a table of published throughputs is run by `acesim run` on a
 * platform of one NPU.  The run uses only the shapes of the network: compute is
 * roofline, without communication, with plain SGD and without fusion of
 * elementwise kernels, as in the frameworks that were measured.
 *
 * Kinds of rows: a `pair` of network and GPU counts for the result; an `other`
 * does not count, such as another batch size or a GPU that is not known for
 * certain; an `at-least` is the throughput per GPU of many GPUs with
 * communication, so one GPU alone must be at least as fast.
 *
 * Not modelled: the host, that is input and transfers of weights to and from
 * it.
 *
 * Errors   those of acesim_process.h, csv.h; VALIDATE_ERROR_RESULT
 * Owner    the caller owns the study and
 * texts */
#ifndef VALIDATE_KERNELS_IMAGE_STUDY_H
#define VALIDATE_KERNELS_IMAGE_STUDY_H

#include "validate/acesim_process.h"

typedef enum {
    IMAGE_PAIR,
    IMAGE_OTHER,
    IMAGE_AT_LEAST,
    IMAGE_N_KINDS,
} ImageRowKind;

typedef struct {
    /* The table owns this text. */
    const char *npu, *model, *workload, *precision, *source;
    ImageRowKind kind;
    double batch;
    /* The measured and the simulated rate; the latter is 0 if the NPU has no
     * file. */
    double measured_per_s, simulated_per_s;
} ImageRow;

typedef struct {
    CsvTable *table; /* The struct owns this memory. */
    GArray *rows;    /* The struct owns this array of ImageRow. */
} ImageStudy;

#define IMAGE_STUDY_FILE "validate/data/published/networks/images.csv"

/* Returns the rows of @table without results.  The study takes ownership of
 * @table. */
G_GNUC_WARN_UNUSED_RESULT
ImageStudy *image_study_new(CsvTable *table, GError **error);
/* Reads the rows of IMAGE_STUDY_FILE and runs them on the NPU files in @npus,
 * such as "configs/npus".  Output files go to NAME/. */
G_GNUC_WARN_UNUSED_RESULT
ImageStudy *image_study_run(const Simulator *simulator, const char *name,
                            const char *npus, GError **error);
void image_study_free(ImageStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImageStudy, image_study_free)

/* Returns how many of the simulated pairs have an error of at most @percent,
 * and sets *@ret_n_pairs to the number of these pairs. */
guint image_study_count_within(const ImageStudy *study, double percent,
                               guint *ret_n_pairs);

/* Appends a table with a line for each row. */
void image_study_render(const ImageStudy *study, GString *out);

/* Returns CSV with a header and a line for each row. */
char *image_study_csv(const ImageStudy *study);

#endif
