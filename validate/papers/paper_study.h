/*
 * paper_study.h - simulates the figures of a paper's claims and writes the page
 *
 * The module runs every study of a paper as a command and the query of each
 * claim.  It writes a page of Markdown that shows the published figure next to
 * the simulated one, and the data of a plot.
 *
 * Errors   CONFIG_ERROR, VALIDATE_ERROR; a failed query names its claim
 * Owner    the caller owns the array and the texts
 */
#ifndef VALIDATE_PAPERS_PAPER_STUDY_H
#define VALIDATE_PAPERS_PAPER_STUDY_H

#include "validate/papers/paper_claims.h"
#include "validate/papers/study_tables.h"

/* Runs the studies of @claims and returns their results with the views.  Output
 * files go to FOLDER/PAPER/STUDY.  The caller frees the tables. */
G_GNUC_WARN_UNUSED_RESULT
StudyTables *paper_study_run(const Simulator *simulator,
                             const PaperClaims *claims, GError **error);

/* Returns the simulated figures of @claims as an array of StudyFigure, in the
 * order of the claims. */
G_GNUC_WARN_UNUSED_RESULT
GArray *paper_study_figures(StudyTables *tables, const PaperClaims *claims,
                            GError **error);

/* Appends the section of the paper to the page.  @figures is the result of
 * paper_study_figures(). */
void paper_page_add(GString *out, const PaperClaims *claims,
                    const GArray *figures);

/* Appends a line for each claim that has a published number.  The fields are
 * separated by tabs: the claim, the least and the most of the published figure,
 * the simulated figure, its least and its most. */
void paper_plot_add(GString *out, const PaperClaims *claims,
                    const GArray *figures);

/* Appends the head of the page, which the sections of the papers follow. */
void paper_page_begin(GString *out);

/* Returns the difference of @simulated from @published: "-9.9 %", "within", "12
 * % above".  Returns "" if @published is text or 0. */
char *paper_difference_text(const char *published, double simulated);

#endif
