/*
 * measured_studies.h - the results of all studies that have measured rows
 *
 * The sections of the report keep their studies here after they have run, and
 * the families of accuracy.h take their rows from them.
 *
 * Owner    the struct owns the studies; a study is NULL until it has run
 */
#ifndef VALIDATE_ACCURACY_MEASURED_STUDIES_H
#define VALIDATE_ACCURACY_MEASURED_STUDIES_H

#include "validate/collectives/published_collective_times.h"
#include "validate/kernels/held_out_npus.h"
#include "validate/kernels/image_study.h"
#include "validate/llm/step_study.h"
#include "validate/systems/system_study.h"

/* The pairs of kernels that were measured on one GPU. */
typedef struct {
    char *npu; /* The struct owns this memory. */
    /* The struct owns these arrays of OverlapPair with the same pairs, the
     * second one on the NPU without what was fitted to its chip. */
    GArray *pairs, *left_out;
} OverlapFile;

typedef struct {
    CsvTable *gpus;    /* validate/data/gpus.csv */
    GArray *npu_files; /* see npu_files_load() */
    KernelStudy *kernels;
    /* The second study has NPUs without what was fitted to their chips. */
    ImageStudy *images, *images_left_out;
    GArray *contention; /* an array of ContentionResult */
    GArray *overlaps;   /* an array of OverlapFile */
    GArray *chains;     /* an array of ChainResult */
    CollectiveRows *collectives;
    GPtrArray *systems; /* an array of SystemStudy */
    StepStudy *steps;   /* training steps of language models */
} MeasuredStudies;

void measured_studies_init(MeasuredStudies *studies);
void measured_studies_clear(MeasuredStudies *studies);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MeasuredStudies, measured_studies_clear)

#endif
