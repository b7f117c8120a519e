/*
 * faster_algorithm_note.h - names an algorithm of collectives that is faster
 * than that of `auto`
 *
 * `auto` goes by kind and shape and leaves the payload out.  The summary and
 * JSON of a run have this note; rows do not, because its simulations would take
 * longer than most points of a sweep.
 */
#ifndef MODELS_RUN_REPORT_FASTER_ALGORITHM_NOTE_H
#define MODELS_RUN_REPORT_FASTER_ALGORITHM_NOTE_H

#include "models/run/system.h"

/* Appends the note to @texts, which owns it, if there is such an algorithm; see
 * system_find_faster_algorithm().  @system has run. */
void add_faster_algorithm_note(GPtrArray *texts, const System *system);

#endif
