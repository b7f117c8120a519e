/*
 * paper_study.h - a paper's claims with the figures that acesim simulates
 *
 * Runs every study of a paper as a command, asks each claim's query, and
 * writes a page of Markdown with the published figure beside the simulated
 * one, and the data of a plot.
 *
 * Errors   CONFIG_ERROR, VALIDATE_ERROR; a failed query names its claim
 * Owner    the caller owns the array and the texts
 */
#ifndef VALIDATE_PAPERS_PAPER_STUDY_H
#define VALIDATE_PAPERS_PAPER_STUDY_H

#include "validate/papers/claims.h"
#include "validate/papers/study_tables.h"

/* The simulated figures of @claims, in the order of its claims: StudyFigure.
 * Results go to FOLDER/NAME-OF-THE-PAPER/STUDY. */
G_GNUC_WARN_UNUSED_RESULT
GArray *paper_study_run(const Simulator *simulator, const PaperClaims *claims,
                        GError **error);

/* Appends the paper's section of the page; @figures as paper_study_run(). */
void paper_page_add(GString *out, const PaperClaims *claims,
                    const GArray *figures);

/* Appends a line for each claim that has a published number: the claim, the
 * published figure's least and most, the simulated figure, its least and its
 * most, separated by tabs. */
void paper_plot_add(GString *out, const PaperClaims *claims,
                    const GArray *figures);

/* The page's head, for the sections that follow it. */
void paper_page_begin(GString *out);

/* How far @simulated is from @published: "-9.9 %", "within", "12 % above". */
char *paper_difference(const char *published, double simulated);

#endif
