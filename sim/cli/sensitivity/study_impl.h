/* study_impl.h - what the texts of a study share; nobody else includes it */
#ifndef SIM_CLI_SENSITIVITY_STUDY_IMPL_H
#define SIM_CLI_SENSITIVITY_STUDY_IMPL_H

#include "sim/cli/sensitivity/study.h"

/* The metric's value for people: "1.29x".  Owner: the caller. */
char *study_value_text(const Study *study, double value);

#endif
