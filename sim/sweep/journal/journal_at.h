/*
 * journal_at.h - a part of a journal's file, read where it stands
 *
 * Errors   errno
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_AT_H
#define SIM_SWEEP_JOURNAL_JOURNAL_AT_H

#include <glib.h>

/* All of the @n_bytes at @at; EIO where the file ends before. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_at_read(int fd, char *to, gsize n_bytes, goffset at);

/* Adds what stands from @at to @end to the file @to.  Gives 0 or an errno. */
G_GNUC_WARN_UNUSED_RESULT
int journal_at_copy(int fd, int to, goffset at, goffset end);

#endif
