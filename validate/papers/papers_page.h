/*
 * papers_page.h - writes the page of all papers
 *
 * Every folder of configs/papers that has a claims.yaml is a paper.
 *
 * Errors   G_FILE_ERROR, CONFIG_ERROR, VALIDATE_ERROR
 * Owner    the caller owns the text
 */
#ifndef VALIDATE_PAPERS_PAPERS_PAGE_H
#define VALIDATE_PAPERS_PAPERS_PAGE_H

#include "validate/acesim_process.h"

/* Returns the page in Markdown.  Writes the data of plots to FOLDER/PAPER.dat
 * and FOLDER/PAPER-GRID.grid, and all constants with their sources to
 * FOLDER/constants.csv.  @only names one paper; NULL selects all. */
G_GNUC_WARN_UNUSED_RESULT
char *papers_page(const Simulator *simulator, const char *configs,
                  const char *only, GError **error);

#endif
