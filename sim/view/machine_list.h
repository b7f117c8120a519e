/*
 * machine_list.h - lists the platforms that come with the program, one per line
 *
 * A line has the content of the platform's file: the number of NPUs, and the
 * bandwidth of an NPU over direct links, through the host, and into the
 * network.  Platforms with a network are clusters.
 */
#ifndef SIM_VIEW_MACHINE_LIST_H
#define SIM_VIEW_MACHINE_LIST_H

#include <glib.h>

/* Appends the platforms, sorted by name: single machines first, then clusters.
 * Appends a note if there are none in the search path. */
void write_machine_table(GString *out, guint width);

#endif
