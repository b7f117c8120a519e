/*
 * window.h - whether the window held up runs of a sweep
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_STUDY_WINDOW_H
#define SIM_STUDY_WINDOW_H

#include "sim/core/csv.h"

/* In how many rows of a runs.csv, and with which endpoints, chunks waited for
 * the window half the time that collectives were under way while nothing was
 * busy, see busy.h; and what to do.  NULL: in none, or nobody can tell. */
char *window_note(const CsvTable *table);

/* The same of a table that comes in parts, each with its header. */
typedef struct WindowTally WindowTally;
WindowTally *window_tally_new(void);
void window_tally_free(WindowTally *tally);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WindowTally, window_tally_free)
void window_tally_add(WindowTally *tally, const CsvTable *table);
char *window_tally_note(const WindowTally *tally);

#endif
