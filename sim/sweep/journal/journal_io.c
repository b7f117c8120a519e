/*
 * journal_io.c - reads and copies a part of a journal's file; see journal_io.h
 */
#include "sim/sweep/journal/journal_io.h"

#include <errno.h>
#include <unistd.h>

#include "sim/host/output.h"

#define COPY_BYTES (64 * 1024)

gboolean journal_read_bytes_at(int fd, char *to, gsize n_bytes, goffset offset)
{
    while (n_bytes > 0) {
        ssize_t n = pread(fd, to, n_bytes, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO; /* another process truncated the file */
        if (n <= 0)
            return FALSE;
        to += n;
        n_bytes -= (gsize)n;
        offset += n;
    }
    return TRUE;
}

int journal_copy_bytes(int fd, int to, goffset offset, goffset end)
{
    g_autofree char *block = g_malloc(COPY_BYTES);
    int code = 0;

    while (offset < end && code == 0) {
        gsize n_bytes = (gsize)MIN(end - offset, COPY_BYTES);

        code = journal_read_bytes_at(fd, block, n_bytes, offset)
                   ? output_write_bytes(to, block, n_bytes)
                   : errno;
        offset += (goffset)n_bytes;
    }
    return code;
}
