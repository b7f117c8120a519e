/*
 * run_traits.h - the properties of a run that measured families have too
 *
 * Owner    texts are borrowed from the configuration, or static
 */
#ifndef SIM_STUDY_EXPECTED_ERROR_RUN_TRAITS_H
#define SIM_STUDY_EXPECTED_ERROR_RUN_TRAITS_H

#include "models/run/system.h"
#include "sim/study/expected_error/measured_families.h"

typedef struct {
    ErrorSubject subject;
    const char *workload; /* its kind */
    ErrorSpan span;
    const char *endpoint; /* its kind */
    ErrorSoftware software;
    const char *chip;     /* NULL: none of the chips of families */
    double payload_bytes; /* half of all bytes are in payloads up to this */
    const char *precision;
    gboolean has_experts, from_shapes;
    const char *stack; /* its name, or else its kind */
    const char *platform;
} RunTraits;

RunTraits run_traits(const SystemConfig *config, const System *system);

#endif
