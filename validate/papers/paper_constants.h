/*
 * paper_constants.h - every quantity that the studies of a paper use
 *
 * A sweep writes each value of its points, with the place where it stands and
 * the comment that says where it is from.  This gathers those of all sweeps of
 * a paper: quantities that some file gives, each once.
 *
 * Errors   CSV_ERROR
 */
#ifndef VALIDATE_PAPERS_PAPER_CONSTANTS_H
#define VALIDATE_PAPERS_PAPER_CONSTANTS_H

#include "validate/papers/claims.h"
#include "validate/simulator.h"

#define PAPER_CONSTANTS_HEAD "paper,key,value,source,place\n"

/* Appends rows of PAPER_CONSTANTS_HEAD, sorted, of the sweeps of @claims that
 * @simulator has run.  What a sweep varies says `varied`. */
G_GNUC_WARN_UNUSED_RESULT
gboolean paper_constants_add(GString *out, const Simulator *simulator,
                             const PaperClaims *claims, GError **error);

#endif
