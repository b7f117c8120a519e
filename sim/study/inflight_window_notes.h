/*
 * inflight_window_notes.h - finds the runs of a sweep that the window of
 * in-flight chunks limited
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_STUDY_INFLIGHT_WINDOW_NOTES_H
#define SIM_STUDY_INFLIGHT_WINDOW_NOTES_H

#include "sim/core/csv.h"

/* Returns a sentence that says in how many rows of a runs.csv, and with which
 * endpoints, chunks waited for the window at least half of the time with active
 * collectives while no resource was busy (utilisation_summary.h), and what to
 * do.  Returns NULL if there are no such rows, or if columns are missing. */
char *note_on_chunk_window(const CsvTable *table);

/* Counts the runs limited by the window over a table that comes in parts, each
 * with its header. */
typedef struct WindowTally WindowTally;
WindowTally *window_tally_new(void);
void window_tally_free(WindowTally *tally);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WindowTally, window_tally_free)
void window_tally_add_table(WindowTally *tally, const CsvTable *table);
char *note_on_chunk_window_tally(const WindowTally *tally);

#endif
