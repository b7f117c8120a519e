/* file_read.c - reads a whole file as one text; see file_read.h */
#include "sim/core/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file may be longer than its stated size (/proc), so it is read in
 * blocks. */
#define BLOCK_BYTES (64 * 1024)

#define MIB ((gsize)1024 * 1024)

G_GNUC_PRINTF(2, 3)
static gboolean set_file_error(GError **error, const char *format, ...)
{
    g_autofree char *reason = NULL;
    va_list args;

    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot be read: %s",
                reason);
    return FALSE;
}

static gboolean set_too_large_error(gsize max_bytes, GError **error)
{
    return set_file_error(error,
                          "it is larger than %" G_GSIZE_FORMAT
                          " MiB; check that it is the right file, or shorten "
                          "it",
                          max_bytes / MIB);
}

static gboolean check_regular_file(int fd, gsize max_bytes, GError **error)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return set_file_error(error, "%s", g_strerror(errno));
    if (S_ISDIR(status.st_mode))
        return set_file_error(error, "it is a directory; name a file in it");
    if (!S_ISREG(status.st_mode))
        return set_file_error(error, "it is a device, pipe or socket; give a "
                                     "regular file");
    if (status.st_size > (off_t)max_bytes)
        return set_too_large_error(max_bytes, error);
    return TRUE;
}

static gboolean read_descriptor_to_end(int fd, gsize max_bytes, GString *out,
                                       GError **error)
{
    g_autofree char *block = g_malloc(BLOCK_BYTES);

    for (;;) {
        ssize_t n = read(fd, block, BLOCK_BYTES);

        if (n == 0)
            return TRUE;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return set_file_error(error, "%s", g_strerror(errno));
        if (out->len + (gsize)n > max_bytes)
            return set_too_large_error(max_bytes, error);
        g_string_append_len(out, block, n);
    }
}

char *file_read(const char *path, gsize max_bytes, gsize *n_bytes,
                GError **error)
{
    /* Without O_NONBLOCK, opening a pipe would wait for a writer. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    g_autoptr(GString) out = g_string_new(NULL);
    gboolean ok;

    g_assert(max_bytes % MIB == 0);
    if (fd < 0) {
        g_autofree char *reason = file_error_reason(path, errno);

        set_file_error(error, "%s", reason);
        return NULL;
    }
    ok = check_regular_file(fd, max_bytes, error) &&
         read_descriptor_to_end(fd, max_bytes, out, error);
    close(fd);
    if (!ok)
        return NULL;
    *n_bytes = out->len;
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* ---- why a file cannot be opened ----------------------------------------- */

/* Returns the target of @path if it is a dangling link, else NULL. */
static char *find_dangling_link_target(const char *path)
{
    struct stat status;

    return stat(path, &status) != 0 && errno == ENOENT
               ? g_file_read_link(path, NULL)
               : NULL;
}

/* Examines the path from its end towards the root, because a path below a
 * dangling link does not exist either.  ELOOP keeps its own text: a link that
 * must not be followed is wrong wherever it leads. */
char *file_error_reason(const char *path, int code)
{
    g_autofree char *part = g_strdup(path);

    if (code != ENOENT && code != ENOTDIR && code != EEXIST)
        return g_strdup(g_strerror(code));
    for (;;) {
        g_autofree char *to = find_dangling_link_target(part);
        char *above;

        if (to)
            return g_strdup_printf("%s is a link to %s, which is not there",
                                   g_str_equal(part, path) ? "it" : part, to);
        above = g_path_get_dirname(part);
        if (strlen(above) >= strlen(part)) {
            g_free(above);
            return g_strdup(g_strerror(code));
        }
        g_free(part);
        part = above;
    }
}
