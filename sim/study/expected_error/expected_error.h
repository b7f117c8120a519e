/*
 * expected_error.h - the error to expect of a run, from measured rows of
 * systems that are like it
 *
 * `acesim-validate` compares measured rows with simulated ones, family by
 * family (validate/README.md), and writes families.csv, which is part of the
 * program.  A table in measured_families.c says for each family which
 * properties its systems have.  One property of the run after the other
 * excludes families (expected_error.c has the order); of those that remain, the
 * one with the largest error counts, so the answer is cautious.
 *
 *     known system      the platform of the run is one that constants were
 *                       fitted to: the error by system with all constants
 *     systems left out  it is none of them: the error of systems that no
 *                       constant knows
 *     none is near      no family has some property of the run, which is
 *                       reported.  The error is the largest of all families of
 *                       the kind: training, language models, collectives,
 *                       kernels beside a collective, or several jobs.
 *
 * A platform is known by its name, so a platform that differs from the one of
 * the file must have another name.
 *
 * Units    percent of a time, or of a ratio of two times
 * Owner    texts are static, except for .lacking, which the ExpectedError owns
 */
#ifndef SIM_STUDY_EXPECTED_ERROR_EXPECTED_ERROR_H
#define SIM_STUDY_EXPECTED_ERROR_EXPECTED_ERROR_H

#include "sim/study/expected_error/run_traits.h"

typedef enum {
    EXPECTED_ERROR_KNOWN,
    EXPECTED_ERROR_LEFT_OUT,
    EXPECTED_ERROR_NONE_NEAR,
    EXPECTED_ERROR_N_BASES,
} ExpectedErrorBasis;

/* "known system", "systems left out", "none is near". */
extern const char *const expected_error_basis_names[EXPECTED_ERROR_N_BASES];

typedef struct {
    const char *family; /* as families.csv calls it */
    ExpectedErrorBasis basis;
    double percent;
    guint n_systems; /* the number of systems whose errors are averaged */
    /* The property that no family has, such as "endpoint ace"; NULL unless
     * .basis is EXPECTED_ERROR_NONE_NEAR. */
    char *lacking;
} ExpectedError;

void expected_error_clear(ExpectedError *error);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ExpectedError, expected_error_clear)

/* Returns the error to expect of the times of a run. */
ExpectedError expected_error_of_run(const SystemConfig *config,
                                    const System *system);

/* Returns the error to expect of a run with these properties. */
ExpectedError expected_error_of_traits(const RunTraits *run);

/* Returns the error to expect of the ratio of the times of two runs whose
 * family and basis these are.  Errors that both times share cancel, so families
 * with rows of the same system and different software have an error of ratios
 * of their own.  For all others it is the error of a time.  If none is near,
 * the largest error of ratios of the kind counts.  Returns FALSE if a run has
 * no family @family. */
gboolean expected_error_of_ratio(const char *family, ExpectedErrorBasis basis,
                                 ExpectedError *ret);

/* Sets *@ret to the basis whose name @text begins with.  Returns FALSE if there
 * is none. */
gboolean expected_error_basis_of_text(const char *text,
                                      ExpectedErrorBasis *ret);

/* Returns the sentence of the summary of a run, without a line end. */
char *expected_error_text(const ExpectedError *error);

/* Returns whether a ratio of two times differs from 1 by no more than
 * @percent. */
gboolean expected_error_hides_ratio(double ratio, double percent);

#endif
