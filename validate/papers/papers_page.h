/*
 * papers_page.h - all papers that there are, as one page
 *
 * Every folder of configs/papers that has a claims.yaml is a paper.
 *
 * Errors   G_FILE_ERROR, CONFIG_ERROR, VALIDATE_ERROR
 * Owner    the caller owns the text
 */
#ifndef VALIDATE_PAPERS_PAPERS_PAGE_H
#define VALIDATE_PAPERS_PAPERS_PAGE_H

#include "validate/simulator.h"

/* The page, in Markdown.  Data of plots go to FOLDER/PAPER.dat, and all
 * constants with their sources to FOLDER/constants.csv.  @only names
 * one paper; NULL: all of them. */
G_GNUC_WARN_UNUSED_RESULT
char *papers_page(const Simulator *simulator, const char *configs,
                  const char *only, GError **error);

#endif
