/*
 * output_stream.c - writes a result that is too long to be held in memory as a
 * whole; see output_stream.h
 */
#include "sim/host/output_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gprintf.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include "sim/host/output.h"

#define PACKED_BYTES 65536      /* compressed bytes per write */
#define MOST_BYTES   (1U << 30) /* zlib counts in 32 bits */

/* How it was chosen: for a timeline of 252 MB, level 1 gives 33.0 MB in 0.9 s,
 * level 4 gives 29.3 MB in 1.5 s, level 6 gives 29.9 MB in 3.0 s. */
#define LEVEL 4
/* Added to the window bits, makes zlib write gzip's header and checksum. */
#define GZIP 16

typedef struct {
    z_stream z;
    guchar bytes[PACKED_BYTES];
} GzipPacker;

struct Stream {
    const char *path;   /* borrowed */
    char *temporary;    /* owned; NULL if written in place */
    FILE *file;         /* owned, except standard output; NULL when finished */
    GzipPacker *packer; /* owned; NULL if not compressed */
    int code;           /* the errno of the first failure */
};

Stream *output_stream_open(const char *path, GError **error)
{
    g_autoptr(Stream) stream = g_new0(Stream, 1);
    struct stat status;
    int fd;

    stream->path = path;
    if (output_is_stdout_name(path)) {
        stream->file = stdout;
        return g_steal_pointer(&stream);
    }
    /* A device or pipe is written to, not replaced; a folder is refused. */
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        fd = output_open_temporary(path, &stream->temporary);
    else
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    stream->code = errno;
    stream->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (stream->file) {
        stream->code = 0;
        return g_steal_pointer(&stream);
    }
    if (fd >= 0)
        close(fd);
    output_set_write_error(stream->path, stream->code, error);
    return NULL;
}

/* ---- compressing by gzip ------------------------------------------------- */

static void free_gzip_packer(GzipPacker *packer)
{
    if (!packer)
        return;
    deflateEnd(&packer->z);
    g_free(packer);
}

Stream *output_stream_open_gzip(const char *path, GError **error)
{
    g_autoptr(Stream) stream = output_stream_open(path, error);
    GzipPacker *packer;

    if (!stream)
        return NULL;
    packer = stream->packer = g_new0(GzipPacker, 1);
    packer->z.next_out = packer->bytes;
    packer->z.avail_out = PACKED_BYTES;
    if (deflateInit2(&packer->z, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP,
                     MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
        return g_steal_pointer(&stream);
    stream->code = ENOMEM;
    output_set_write_error(stream->path, stream->code, error);
    return NULL;
}

static void write_stream_bytes(Stream *stream, const void *bytes, gsize n)
{
    if (stream->code == 0 && fwrite(bytes, 1, n, stream->file) != n)
        stream->code = errno;
}

/* Compresses the bytes at .next_in; Z_FINISH also writes all remaining
 * output. */
static void compress_stream_bytes(Stream *stream, int how)
{
    GzipPacker *packer = stream->packer;
    gboolean full;

    do {
        deflate(&packer->z, how);
        full = packer->z.avail_out == 0;
        if (full || how == Z_FINISH) {
            write_stream_bytes(stream, packer->bytes,
                               PACKED_BYTES - packer->z.avail_out);
            packer->z.next_out = packer->bytes;
            packer->z.avail_out = PACKED_BYTES;
        }
    } while (full);
    g_assert(packer->z.avail_in == 0);
}

/* ---- writing to the stream ----------------------------------------------- */

void stream_write_bytes(Stream *stream, const void *bytes, gsize n)
{
    if (stream->code != 0)
        return;
    if (!stream->packer) {
        write_stream_bytes(stream, bytes, n);
        return;
    }
    g_assert(n < MOST_BYTES);
    stream->packer->z.next_in = bytes;
    stream->packer->z.avail_in = (uInt)n;
    compress_stream_bytes(stream, Z_NO_FLUSH);
}

void output_stream_printf(Stream *stream, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;
    int n;

    va_start(args, format);
    n = g_vasprintf(&text, format, args);
    va_end(args);
    stream_write_bytes(stream, text, (gsize)n);
}

static void record_output_stream_failure(Stream *stream, int result)
{
    if (result != 0 && stream->code == 0)
        stream->code = errno;
}

gboolean output_stream_finish(Stream *stream, GError **error)
{
    FILE *file;

    if (stream->packer && stream->code == 0)
        compress_stream_bytes(stream, Z_FINISH);
    file = g_steal_pointer(&stream->file);
    record_output_stream_failure(stream, fflush(file));
    if (file == stdout)
        return stream->code == 0 ||
               output_set_write_error(stream->path, stream->code, error);
    if (stream->temporary)
        record_output_stream_failure(stream, fsync(fileno(file)));
    record_output_stream_failure(stream, fclose(file));
    if (stream->temporary && stream->code == 0)
        record_output_stream_failure(stream,
                                     rename(stream->temporary, stream->path));
    if (stream->temporary && stream->code != 0)
        unlink(stream->temporary);
    return stream->code == 0 ||
           output_set_write_error(stream->path, stream->code, error);
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
        output_unregister_temporary(stream->temporary);
    free_gzip_packer(stream->packer);
    g_free(stream->temporary);
    g_free(stream);
}
