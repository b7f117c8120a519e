/* recorded_text.h - what was recorded, beside what comes out of it */
#ifndef SIM_VIEW_TEXT_RECORDED_TEXT_H
#define SIM_VIEW_TEXT_RECORDED_TEXT_H

#include "models/run/system.h"
#include "sim/core/table.h"

/* Adds a row of what the iteration took that the program was made of, if that
 * is known. */
void recorded_text_add(const System *system, SimTime iteration_ps,
                       Table *table);
/* Some communication is not simulated. */
gboolean recorded_text_is_of(const System *system);

#endif
