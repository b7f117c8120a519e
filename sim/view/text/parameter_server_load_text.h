/* parameter_server_load_text.h - load of parameter servers, as text */
#ifndef SIM_VIEW_TEXT_PARAMETER_SERVER_LOAD_TEXT_H
#define SIM_VIEW_TEXT_PARAMETER_SERVER_LOAD_TEXT_H

#include "models/run/system.h"

/* Appends a sentence about the busiest server of a completed run; nothing if
 * there are no servers. */
void append_busiest_server_sentence(GString *out, const System *system);
/* Appends a table of all servers and an empty line; nothing if there are no
 * servers. */
void append_server_table(GString *out, const System *system);

#endif
