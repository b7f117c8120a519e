/*
 * memory_limits.h - limits the memory of this process
 *
 * An allocation beyond the limit ends the process with MEMORY_STATUS, instead
 * of a crash that looks like a bug.
 *
 * Assumes  the process may end at any moment
 * Limits   with AddressSanitizer only large allocations are limited, because it
 *          reserves memory for small ones in advance
 */
#ifndef SIM_HOST_MEMORY_LIMITS_H
#define SIM_HOST_MEMORY_LIMITS_H

#include <glib.h>

#define MEMORY_STATUS          71
#define MEMORY_REPORTED_STATUS 1

/* Chooses the settings of the C library's allocator that suit this program. */
void memory_tune_allocator(void);

/* From now on, a failed allocation removes the temporary files, prints "out of
 * memory" to standard error and ends the process with MEMORY_REPORTED_STATUS,
 * instead of GLib's abort. */
void memory_report_exhaustion(void);

/* Limits this process to @n_bytes of address space more than it has now.  From
 * now on, a failed allocation ends the process with MEMORY_STATUS and leaves
 * the temporary files alone. */
void memory_limit_address_space(guint64 n_bytes);

/* Returns the resident memory of this process, including its program files; 0
 * if the system does not report it. */
guint64 memory_resident_bytes(void);

#endif
