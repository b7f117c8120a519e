/*
 * machines.h - platforms that come with the program, a line each
 *
 * What is said of one is of its file: NPUs, and what leaves an NPU over links
 * from NPU to NPU, through the host, and into the network, which makes a
 * cluster of it.
 */
#ifndef SIM_VIEW_MACHINES_H
#define SIM_VIEW_MACHINES_H

#include <glib.h>

/* Appends them: those in a box, then clusters, in the order of their names; or
 * that there are none where the program looks. */
void machines_write(GString *out, guint width);

#endif
