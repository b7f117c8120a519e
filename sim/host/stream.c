/* stream.c - a result that is too long to be made whole and then written */
#include "sim/host/stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/host/output.h"

struct Stream {
    const char *path; /* borrowed */
    char *temporary;  /* owned; NULL: written in place */
    FILE *file;       /* owned, but for standard output; NULL: finished */
    int code;         /* errno of the first failure */
};

static gboolean fail(const Stream *stream, GError **error)
{
    g_set_error(
        error, G_FILE_ERROR, (gint)g_file_error_from_errno(stream->code),
        "%s: cannot be written: %s", stream->path, g_strerror(stream->code));
    return FALSE;
}

Stream *stream_open(const char *path, GError **error)
{
    g_autoptr(Stream) stream = g_new0(Stream, 1);
    struct stat status;

    stream->path = path;
    if (output_is_stdout(path)) {
        stream->file = stdout;
        return g_steal_pointer(&stream);
    }
    /* A device or pipe stays what it is, a folder is refused. */
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        stream->temporary = g_strdup_printf("%s.%d.tmp", path, (int)getpid());
    stream->file = fopen(stream->temporary ? stream->temporary : path, "we");
    if (stream->file && stream->temporary)
        output_note_temporary(stream->temporary);
    if (stream->file)
        return g_steal_pointer(&stream);
    stream->code = errno;
    fail(stream, error);
    return NULL;
}

void stream_add(Stream *stream, const char *format, ...)
{
    va_list args;

    if (stream->code != 0)
        return;
    va_start(args, format);
    if (vfprintf(stream->file, format, args) < 0)
        stream->code = errno;
    va_end(args);
}

static void note(Stream *stream, int result)
{
    if (result != 0 && stream->code == 0)
        stream->code = errno;
}

gboolean stream_finish(Stream *stream, GError **error)
{
    FILE *file = g_steal_pointer(&stream->file);

    note(stream, fflush(file));
    if (file == stdout)
        return stream->code == 0 || fail(stream, error);
    if (stream->temporary)
        note(stream, fsync(fileno(file)));
    note(stream, fclose(file));
    if (stream->temporary && stream->code == 0)
        note(stream, rename(stream->temporary, stream->path));
    if (stream->temporary && stream->code != 0)
        unlink(stream->temporary);
    return stream->code == 0 || fail(stream, error);
}

void stream_free(Stream *stream)
{
    if (!stream)
        return;
    if (stream->file && stream->file != stdout) {
        fclose(stream->file);
        if (stream->temporary)
            unlink(stream->temporary);
    }
    if (stream->temporary)
        output_forget_temporary(stream->temporary);
    g_free(stream->temporary);
    g_free(stream);
}
