/*
 * journal_io.h - reads and copies a part of a journal's file
 *
 * Errors   errno
 */
#ifndef SIM_SWEEP_JOURNAL_JOURNAL_IO_H
#define SIM_SWEEP_JOURNAL_JOURNAL_IO_H

#include <glib.h>

/* Reads exactly @n_bytes at position @offset.  Returns FALSE with errno; EIO if
 * the file is shorter. */
G_GNUC_WARN_UNUSED_RESULT
gboolean journal_read_bytes_at(int fd, char *to, gsize n_bytes, goffset offset);

/* Appends the bytes from @offset to @end to the file @to.  Returns 0 or an
 * errno. */
G_GNUC_WARN_UNUSED_RESULT
int journal_copy_bytes(int fd, int to, goffset offset, goffset end);

#endif
