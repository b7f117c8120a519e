/*
 * card_to_card_study.h - another card of a GPU that was measured: simulated
 * times, and how far two cards of the same GPU differ
 *
 * NPU files are fitted to the measurements of one card, validate/data.  The
 * folder of second cards has files with the same names and cases, measured on
 * other cards of the same GPUs.  Nothing is fitted to them.  Two errors are
 * reported: that of acesim, and that of the times of the first card, which is
 * the least that any model of the GPU can be expected to be off.
 *
 * Units    percent
 * Owner    the caller owns texts
 */
#ifndef VALIDATE_KERNELS_CARD_TO_CARD_STUDY_H
#define VALIDATE_KERNELS_CARD_TO_CARD_STUDY_H

#include "validate/kernels/kernel_study.h"

/* Absolute errors of the rows of a family on a second card. */
typedef struct {
    guint n;
    double mean_percent, worst_percent;
    /* The number of rows that the first card has, too, and the errors of its
     * times. */
    guint n_on_first;
    double first_mean_percent, first_worst_percent;
} SecondCardScore;

/* Returns the errors of @family on @npu in @second, or of all families if it is
 * NULL.  @first is the study of the first cards. */
SecondCardScore card_to_card_score(const KernelStudy *second,
                                   const KernelStudy *first, const char *npu,
                                   const char *family);

/* Appends a table with a line for each NPU and family of @second, and for each
 * NPU. */
void card_to_card_render(const KernelStudy *second, const KernelStudy *first,
                         GString *out);

#endif
