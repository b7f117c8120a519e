/* collective_lanes_text.h - statistics of lanes, as text */
#ifndef SIM_VIEW_TEXT_COLLECTIVE_LANES_TEXT_H
#define SIM_VIEW_TEXT_COLLECTIVE_LANES_TEXT_H

#include "models/run/system.h"

/* Appends a line or two for each collective lane of the graph. */
void collective_lanes_text(const System *system, GString *out);

#endif
