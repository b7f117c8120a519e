/* recorded_times_text.h - recorded times for comparison, as text */
#ifndef SIM_VIEW_TEXT_RECORDED_TIMES_TEXT_H
#define SIM_VIEW_TEXT_RECORDED_TIMES_TEXT_H

#include "models/run/system.h"
#include "sim/core/aligned_table.h"

/* Adds a row with the recorded time of an iteration of the program, if it is
 * known. */
void add_recorded_time_row(const System *system, SimTime iteration_ps,
                           Table *table);
/* Returns whether some communication takes its recorded time instead of being
 * simulated. */
gboolean is_any_communication_replayed(const System *system);

#endif
