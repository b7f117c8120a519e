/*
 * training_step_fit.h - fits constants of training steps of language models
 *
 * Each family of GPUs has its parameters, for all of its GPUs and models.  A
 * step of Gauss and Newton in the logarithms of the parameters lowers the sum
 * of min(e, e^2 / .05) over the training rows, where e is |log(simulated /
 * measured)|, plus a small cost of leaving the start.  Derivatives are
 * differences of simulated steps; a fixed time of a step simply adds up.  The
 * constants without a unit are those of such a step without its rows.  Starts
 * are round values near earlier fits, so that one step is enough.
 *
 * Writes the constants of each family as a table, and the efficiencies of all
 * rows to the folder `language` of the NPUs.
 *
 * Errors   those of acesim_process.h
 * Order    deterministic
 */
#ifndef VALIDATE_FIT_TRAINING_STEP_FIT_H
#define VALIDATE_FIT_TRAINING_STEP_FIT_H

#include "validate/acesim_process.h"

/* Fits all families, and appends their errors to @out.  NPUs are written to
 * @folder/language. */
G_GNUC_WARN_UNUSED_RESULT
gboolean step_fit_all(const Simulator *simulator, const char *folder,
                      GString *out, GError **error);

/* Returns the path of the table of constants for NPUs in @folder, which the
 * caller owns: validate/data/llm/constants.csv, which acesim-validate reads,
 * for the project's own NPUs, and FOLDER/language/constants.csv for others. */
char *step_fit_constants_path(const char *folder);

#endif
