/*
 * paper_constants.h - lists the constants that the studies of a paper use
 *
 * A sweep writes each value of its points, with its place in a file and the
 * comment that names its source.  This module collects these values from all
 * sweeps of a paper: quantities that are given by a file, each once.
 *
 * Errors   CSV_ERROR
 */
#ifndef VALIDATE_PAPERS_PAPER_CONSTANTS_H
#define VALIDATE_PAPERS_PAPER_CONSTANTS_H

#include "validate/acesim_process.h"
#include "validate/papers/paper_claims.h"

#define PAPER_CONSTANTS_HEAD "paper,key,value,source,place\n"

/* Appends rows of PAPER_CONSTANTS_HEAD, sorted, for the sweeps of @claims that
 * @simulator has run.  The source of a value that a sweep varies is `varied`
 * unless the file names one. */
G_GNUC_WARN_UNUSED_RESULT
gboolean paper_constants_add(GString *out, const Simulator *simulator,
                             const PaperClaims *claims, GError **error);

#endif
