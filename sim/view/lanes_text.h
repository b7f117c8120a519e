/* lanes_text.h - what lanes have let go, for people */
#ifndef SIM_VIEW_LANES_TEXT_H
#define SIM_VIEW_LANES_TEXT_H

#include "models/run/system.h"

/* A line or two for each lane of the graph, added to @out; @time_text says a
 * time in a few digits, for its caller to free. */
void lanes_text(const System *system, char *(*time_text)(SimTime ps),
                GString *out);

#endif
