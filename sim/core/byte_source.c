/*
 * byte_source.c - sequential access to the bytes of a file; see byte_source.h
 *
 * The file is read by read() and not mapped: if it is truncated meanwhile, the
 * read is short, and no signal is raised.
 */
#include "sim/core/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZLIB_CONST
#include <zlib.h>

/* Bytes per read: large enough to make system calls negligible, and small
 * enough for a cache. */
#define BLOCK_BYTES (256 * 1024)
/* Bytes of the input buffer of a packed file: small enough for the 32-bit
 * counters of zlib. */
#define PACKED_BYTES (64 * 1024)

struct Source {
    char *name;            /* owned */
    int fd;                /* file descriptor; -1 if the source is in memory */
    const uint8_t *memory; /* borrowed: the bytes of a source in memory */
    gsize n_memory, memory_at;
    gboolean is_packed, at_end;
    z_stream unpack;
    uint8_t *packed; /* owned: the input buffer of a packed file */
    uint8_t *block;  /* owned: the window; NULL if .view is .memory */
    gsize size;      /* allocated bytes of .block */
    /* The window, of which the bytes .from to .to are available. */
    const uint8_t *view;
    gsize from, to;
    uint64_t offset;
    GError *error; /* owned: the first failure */
};

static void set_source_error(Source *source, const char *reason)
{
    g_assert(!source->error);
    source->error = g_error_new(G_FILE_ERROR, G_FILE_ERROR_FAILED,
                                "%s: cannot be read: %s", source->name, reason);
    source->from = source->to;
    source->at_end = TRUE;
}

/* ---- unpacked bytes ---------------------------------------------------- */

/* Reads at most @n bytes to @out.  Returns 0 at the end, or if .error is
 * set. */
static gsize read_file_bytes(Source *source, uint8_t *out, gsize n)
{
    ssize_t got;

    if (source->fd < 0) {
        n = MIN(n, source->n_memory - source->memory_at);
        if (n > 0)
            memcpy(out, source->memory + source->memory_at, n);
        source->memory_at += n;
        return n;
    }
    do
        got = read(source->fd, out, n);
    while (got < 0 && errno == EINTR);
    if (got >= 0)
        return (gsize)got;
    set_source_error(source, g_strerror(errno));
    return 0;
}

static void fill_from_plain_file(Source *source)
{
    gsize n = read_file_bytes(source, source->block + source->to,
                              source->size - source->to);

    if (n == 0)
        source->at_end = TRUE;
    else
        source->to += n;
}

/* ---- packed bytes ------------------------------------------------------ */

/* Reads more packed bytes.  Returns FALSE at the end of the file, or if .error
 * is set. */
static gboolean refill_compressed_buffer(Source *source)
{
    z_stream *unpack = &source->unpack;

    if (unpack->avail_in > 0)
        return TRUE;
    unpack->next_in = source->packed;
    unpack->avail_in =
        (uInt)read_file_bytes(source, source->packed, PACKED_BYTES);
    return unpack->avail_in > 0;
}

/* Continues with the next gzip member; a file may have several. */
static void start_next_gzip_member(Source *source)
{
    if (!refill_compressed_buffer(source))
        source->at_end = TRUE;
    else if (inflateReset(&source->unpack) != Z_OK)
        set_source_error(source, "zlib cannot go on");
}

static void fill_from_packed_file(Source *source)
{
    z_stream *unpack = &source->unpack;
    uInt room = (uInt)MIN(source->size - source->to, (gsize)BLOCK_BYTES);
    int status;

    if (!refill_compressed_buffer(source)) {
        if (!source->error)
            set_source_error(source, "it is compressed by gzip and cut short");
        return;
    }
    unpack->next_out = source->block + source->to;
    unpack->avail_out = room;
    status = inflate(unpack, Z_NO_FLUSH);
    source->to += room - unpack->avail_out;
    if (status == Z_STREAM_END)
        start_next_gzip_member(source);
    else if (status != Z_OK && status != Z_BUF_ERROR)
        set_source_error(source, "it is compressed by gzip and damaged");
}

static gboolean init_decompressor(Source *source)
{
    /* Adding 16 selects the gzip header and trailer. */
    if (inflateInit2(&source->unpack, 16 + MAX_WBITS) == Z_OK)
        return TRUE;
    set_source_error(source, "zlib cannot begin");
    return FALSE;
}

static gboolean data_begins_with_gzip_magic(const uint8_t *bytes, gsize n)
{
    return n >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* ---- available bytes --------------------------------------------------- */

/* Makes room in the window for @least bytes from .from on; fewer are available
 * now. */
static void make_room_in_source_window(Source *source, gsize least)
{
    gsize n = source->to - source->from;

    if (source->from > 0 && n > 0)
        memmove(source->block, source->block + source->from, n);
    source->from = 0;
    source->to = n;
    if (least > source->size) {
        /* Doubling keeps the cost low if the caller requests one more byte each
         * time. */
        source->size = MAX(least, 2 * source->size);
        source->block = g_realloc(source->block, source->size);
        source->view = source->block;
    }
}

const uint8_t *source_peek(Source *source, gsize least, gsize *ret_n)
{
    while (source->to - source->from < least && !source->at_end) {
        make_room_in_source_window(source, least);
        if (source->is_packed)
            fill_from_packed_file(source);
        else
            fill_from_plain_file(source);
    }
    *ret_n = source->to - source->from;
    return *ret_n > 0 ? source->view + source->from : (const uint8_t *)"";
}

void source_skip(Source *source, gsize n)
{
    g_assert(n <= source->to - source->from);
    source->from += n;
    source->offset += n;
}

/* ---- opening and closing ----------------------------------------------- */

/* Detects gzip by the first bytes, without skipping them. */
static gboolean start_byte_source(Source *source)
{
    const uint8_t *first;
    gsize n;

    source->block = g_malloc(BLOCK_BYTES);
    source->size = BLOCK_BYTES;
    source->view = source->block;
    first = source_peek(source, 2, &n);
    source->is_packed = data_begins_with_gzip_magic(first, n);
    if (!source->is_packed)
        return !source->error;
    source->packed = g_malloc(PACKED_BYTES);
    return init_decompressor(source) && source_rewind(source);
}

static gboolean check_regular_file(Source *source)
{
    struct stat status;

    if (fstat(source->fd, &status) != 0)
        set_source_error(source, g_strerror(errno));
    else if (S_ISDIR(status.st_mode))
        set_source_error(source, "it is a directory; name a file in it");
    else if (!S_ISREG(status.st_mode))
        set_source_error(source,
                         "it is a device, pipe or socket; give a regular file");
    return !source->error;
}

Source *source_open(const char *path, GError **error)
{
    g_autoptr(Source) source = g_new0(Source, 1);

    source->name = g_strdup(path);
    /* Without O_NONBLOCK, opening a pipe would wait for its writer. */
    source->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (source->fd < 0)
        set_source_error(source, g_strerror(errno));
    else if (check_regular_file(source) && start_byte_source(source))
        return g_steal_pointer(&source);
    g_propagate_error(error, g_steal_pointer(&source->error));
    return NULL;
}

Source *source_from_memory(const char *name, const void *bytes, gsize n_bytes)
{
    Source *source = g_new0(Source, 1);

    source->name = g_strdup(name);
    source->fd = -1;
    source->memory = bytes;
    source->n_memory = n_bytes;
    if (data_begins_with_gzip_magic(bytes, n_bytes)) {
        start_byte_source(source); /* source_finish() reports an error */
        return source;
    }
    source->view = bytes;
    source->to = n_bytes;
    source->at_end = TRUE;
    return source;
}

void source_free(Source *source)
{
    if (!source)
        return;
    if (source->packed)
        inflateEnd(&source->unpack);
    if (source->fd >= 0)
        close(source->fd);
    g_clear_error(&source->error);
    g_free(source->packed);
    g_free(source->block);
    g_free(source->name);
    g_free(source);
}

const char *source_name(const Source *source)
{
    return source->name;
}

const char *source_path(const Source *source)
{
    return source->fd >= 0 && !source->is_packed ? source->name : NULL;
}

uint64_t source_offset(const Source *source)
{
    return source->offset;
}

gboolean source_rewind(Source *source)
{
    if (source->error)
        return FALSE;
    source->offset = 0;
    source->from = 0;
    if (!source->block)
        return TRUE;
    if (source->fd >= 0 && lseek(source->fd, 0, SEEK_SET) != 0) {
        set_source_error(source, g_strerror(errno));
        return FALSE;
    }
    source->memory_at = 0;
    source->to = 0;
    source->at_end = FALSE;
    source->unpack.avail_in = 0;
    return !source->is_packed || inflateReset(&source->unpack) == Z_OK;
}

gboolean source_finish(const Source *source, GError **error)
{
    if (!source->error)
        return TRUE;
    g_propagate_error(error, g_error_copy(source->error));
    return FALSE;
}
