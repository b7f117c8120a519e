/* output.c - writes results to files; see output.h */
#include "sim/host/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/file_read.h"

gboolean output_set_write_error(const char *path, int code, GError **error)
{
    g_autofree char *reason = file_error_reason(path, code);

    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code),
                "%s: cannot be written: %s", path, reason);
    return FALSE;
}

gboolean output_is_stdout_name(const char *path)
{
    return g_str_equal(path, "-");
}

int output_write_bytes(int fd, const char *text, gsize n_bytes)
{
    for (gsize sent = 0; sent < n_bytes;) {
        ssize_t n = write(fd, text + sent, n_bytes - sent);

        if (n < 0 && errno != EINTR)
            return errno;
        sent += n > 0 ? (gsize)n : 0;
    }
    return 0;
}

/* ---- complete replacement of a file -------------------------------------- */

/* An existing temporary name is a leftover of a killed process with the same
 * pid, or a trap: it is removed and never written to. */
int output_open_temporary(const char *path, char **temporary)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    sigset_t all, old;
    int fd, code;

    *temporary = g_strdup_printf("%s.%d.tmp", path, (int)getpid());
    sigfillset(&all);
    /* Signals are blocked until the name is in the list of temporary files. */
    sigprocmask(SIG_BLOCK, &all, &old);
    fd = open(*temporary, flags, 0666);
    if (fd < 0 && errno == EEXIST && unlink(*temporary) == 0)
        fd = open(*temporary, flags, 0666);
    code = errno;
    if (fd >= 0)
        output_register_temporary(*temporary);
    sigprocmask(SIG_SETMASK, &old, NULL);
    errno = code;
    return fd;
}

/* Some file systems cannot sync a folder, which is not an error. */
void output_sync_folder_of(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

int output_rename_temporary(int fd, int code, const char *temporary,
                            const char *path)
{
    if (code == 0 && fsync(fd) != 0)
        code = errno;
    if (code == 0 && rename(temporary, path) != 0)
        code = errno;
    if (code != 0)
        unlink(temporary);
    else
        output_sync_folder_of(path);
    output_unregister_temporary(temporary);
    return code;
}

gboolean output_replace_file(const char *path, const GString *text,
                             GError **error)
{
    g_autofree char *temporary = NULL;
    int fd = output_open_temporary(path, &temporary);
    int code;

    if (fd < 0)
        return output_set_write_error(path, errno, error);
    code = output_write_bytes(fd, text->str, text->len);
    code = output_rename_temporary(fd, code, temporary, path);
    if (close(fd) != 0 && code == 0)
        code = errno;
    return code == 0 || output_set_write_error(path, code, error);
}

/* Returns whether @entry is a temporary name for @name of a process that has
 * ended. */
static gboolean is_leftover_temporary(const char *entry, const char *name)
{
    gsize n = strlen(name);
    guint64 pid;
    char *end;

    if (!g_str_has_prefix(entry, name) || entry[n] != '.' ||
        !g_ascii_isdigit(entry[n + 1]))
        return FALSE;
    pid = g_ascii_strtoull(entry + n + 1, &end, 10);
    if (!g_str_equal(end, ".tmp"))
        return FALSE;
    return pid == 0 || pid > G_MAXINT ||
           (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

void output_remove_leftovers(const char *folder, const char *name)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *entry;

    while (dir && (entry = g_dir_read_name(dir))) {
        g_autofree char *path = NULL;

        if (!is_leftover_temporary(entry, name))
            continue;
        path = g_build_filename(folder, entry, NULL);
        unlink(path);
    }
}

/* ---- paths that the user named ------------------------------------------- */

/* Writes @text to a device or pipe.  Returns 0 or an errno. */
static int write_output_to_device(const char *path, const GString *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    int code;

    if (fd < 0)
        return errno;
    code = output_write_bytes(fd, text->str, text->len);
    if (close(fd) != 0 && code == 0)
        code = errno;
    return code;
}

gboolean output_write_user_path(const char *path, const GString *text,
                                GError **error)
{
    struct stat status;
    int code;

    if (output_is_stdout_name(path)) {
        fwrite(text->str, 1, text->len, stdout); /* main() checks ferror() */
        return TRUE;
    }
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        return output_replace_file(path, text, error);
    /* A device or pipe is written to, not replaced. */
    code = write_output_to_device(path, text);
    return code == 0 || output_set_write_error(path, code, error);
}

gboolean output_check_writable(const char *path, GError **error)
{
    g_autofree char *temporary = NULL;
    int fd;

    if (g_file_test(path, G_FILE_TEST_IS_DIR))
        return output_set_write_error(path, EISDIR, error);
    fd = output_open_temporary(path, &temporary);
    if (fd < 0)
        return output_set_write_error(path, errno, error);
    close(fd);
    unlink(temporary);
    output_unregister_temporary(temporary);
    return TRUE;
}

gboolean output_has_contents(const char *path, const GString *text)
{
    struct stat status;
    GMappedFile *file;
    gboolean is_same;

    if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        (guint64)status.st_size != text->len)
        return FALSE;
    file = g_mapped_file_new(path, FALSE, NULL);
    is_same = file && g_mapped_file_get_length(file) == text->len &&
              (text->len == 0 || memcmp(g_mapped_file_get_contents(file),
                                        text->str, text->len) == 0);
    if (file)
        g_mapped_file_unref(file);
    return is_same;
}
