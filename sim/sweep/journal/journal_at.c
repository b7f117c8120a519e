/* journal_at.c - a part of a journal's file, read where it stands */
#include "sim/sweep/journal/journal_at.h"

#include <errno.h>
#include <unistd.h>

gboolean journal_at_read(int fd, char *to, gsize n_bytes, goffset at)
{
    while (n_bytes > 0) {
        ssize_t n = pread(fd, to, n_bytes, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO; /* somebody cut it */
        if (n <= 0)
            return FALSE;
        to += n;
        n_bytes -= (gsize)n;
        at += n;
    }
    return TRUE;
}
