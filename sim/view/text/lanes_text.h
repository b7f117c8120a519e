/* lanes_text.h - what lanes have let go, for people */
#ifndef SIM_VIEW_TEXT_LANES_TEXT_H
#define SIM_VIEW_TEXT_LANES_TEXT_H

#include "models/run/system.h"

/* A line or two for each lane of the graph, added to @out. */
void lanes_text(const System *system, GString *out);

#endif
