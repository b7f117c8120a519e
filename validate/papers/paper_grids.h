/*
 * paper_grids.h - tables of simulated figures with their bands, and their plots
 *
 * A grid shows the values of several series, such as frameworks, in several
 * panels, such as networks, over a position, such as a number of nodes.  Each
 * value has a band, which is the range over inputs that are not published.
 *
 * Errors   CONFIG_ERROR at the grid, VALIDATE_ERROR
 */
#ifndef VALIDATE_PAPERS_PAPER_GRIDS_H
#define VALIDATE_PAPERS_PAPER_GRIDS_H

#include "validate/papers/paper_claims.h"
#include "validate/papers/study_tables.h"

/* Appends each grid of @claims to the page: a row for each panel and position,
 * a column for each series, and, if the grid asks, the series in falling order.
 * Writes the data of its plot to FOLDER/PAPER-GRID.grid. */
G_GNUC_WARN_UNUSED_RESULT
gboolean paper_grids_add(GString *page, const Simulator *simulator,
                         const PaperClaims *claims, StudyTables *tables,
                         GError **error);

/* Appends @rows, the result of the query of @grid, as a table of Markdown. */
G_GNUC_WARN_UNUSED_RESULT
gboolean paper_grid_text(GString *out, const PaperGrid *grid,
                         const CsvTable *rows, GError **error);

#endif
