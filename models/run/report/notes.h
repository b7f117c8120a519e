/*
 * notes.h - what a reader of a run's results has to know beside the numbers
 *
 * One list for the summary, CSV and JSON: values that were rounded, what the
 * import of a recording inferred or left out, times that were rescaled, keys
 * that have no effect, and an endpoint whose sizes do not fit the NPU.  A text
 * that begins with "warning: " says that results may mislead.
 *
 * Owner    the caller owns lists of owned text, and the RunNotes, which needs
 *          nothing of the run any more
 */
#ifndef MODELS_RUN_REPORT_NOTES_H
#define MODELS_RUN_REPORT_NOTES_H

#include "models/run/system.h"

/* The notes of a run that do not depend on the sizes of its endpoint. */
typedef struct RunNotes RunNotes;

/* Collects the notes of @system, which has run. */
RunNotes *run_notes_new(const System *system);
void run_notes_free(RunNotes *notes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunNotes, run_notes_free)

/* All notes but those of rounded values. */
GPtrArray *run_notes_list(const RunNotes *notes, const SystemConfig *config);

/* Those, and of rounded values, in one line: "...; ...". */
char *run_notes_line(const RunNotes *notes, const SystemConfig *config);

#endif
