/*
 * memory.h - a bound on the memory of this process
 *
 * What asks for more ends the process with MEMORY_STATUS in place of a crash
 * that looks like a bug.
 *
 * Assumes  the process is one that may end at any moment
 * Leaves   a build with AddressSanitizer reserves memory for small pieces
 *          ahead, where only large ones are bounded
 */
#ifndef SIM_HOST_MEMORY_H
#define SIM_HOST_MEMORY_H

#include <glib.h>

#define MEMORY_STATUS      71
#define MEMORY_SAID_STATUS 1

/* From now on what cannot be had ends the process with MEMORY_SAID_STATUS and
 * "out of memory" on standard error, in place of GLib's abort; files that are
 * being written are gone. */
void memory_say_when_out(void);

/* The process may have @n_bytes more than it has now. */
void memory_limit(guint64 n_bytes);

/* What of the process is in memory now, files of the program too; 0 where the
 * system does not say. */
guint64 memory_resident_bytes(void);

#endif
