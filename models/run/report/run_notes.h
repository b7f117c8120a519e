/*
 * run_notes.h - notes that a reader of results needs in addition to the numbers
 *
 * The summary, CSV and JSON print the same list: values that were rounded,
 * properties that the import of a recording inferred or left out, times that
 * were rescaled, keys without effect, an endpoint whose sizes do not fit the
 * NPU, and tensor parallelism over the borders of nodes.  A text that begins
 * with "warning: " says that the results may mislead.
 *
 * Owner    the caller owns the lists and their texts, and the RunNotes, which
 *          does not refer to the system
 */
#ifndef MODELS_RUN_REPORT_RUN_NOTES_H
#define MODELS_RUN_REPORT_RUN_NOTES_H

#include "models/run/system.h"

/* The notes of a run that do not depend on the sizes of its endpoint. */
typedef struct RunNotes RunNotes;

/* Collects the notes of @system, which has run. */
RunNotes *run_notes_new(const System *system);
void run_notes_free(RunNotes *notes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunNotes, run_notes_free)

/* Returns all notes except those of rounded values. */
GPtrArray *run_notes_list(const RunNotes *notes, const SystemConfig *config);

/* Returns the word that a list of notes writes before @text, "note: ", or ""
 * before a warning, whose text begins with that word. */
const char *run_note_prefix(const char *text);

/* Appends the notes that are known before @system runs to @texts, which owns
 * them. */
void run_notes_add_known_before_run(GPtrArray *texts, const System *system);

/* Returns all notes, rounded values first, in one line: "...; ...". */
char *run_notes_line(const RunNotes *notes, const SystemConfig *config);

#endif
