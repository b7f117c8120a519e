/* servers_text.h - parameter servers for people */
#ifndef SIM_VIEW_TEXT_SERVERS_TEXT_H
#define SIM_VIEW_TEXT_SERVERS_TEXT_H

#include "models/run/system.h"

/* A sentence about the busiest server of a run that has ended, with its full
 * stop; nothing where there is none. */
void servers_add_sentence(GString *out, const System *system);
/* A table of all, with an empty line behind it; likewise. */
void servers_add_table(GString *out, const System *system);

#endif
