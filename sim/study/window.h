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

#endif
