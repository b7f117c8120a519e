/* output.c - results into files */
#include "sim/cli/output.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean fail(const char *path, int code, GError **error)
{
    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(code),
                "%s: cannot be written: %s", path, g_strerror(code));
    return FALSE;
}

gboolean output_is_stdout(const char *path)
{
    return g_str_equal(path, "-");
}

/* Gives 0 or an errno.  With @is_new there must be nothing of that name yet,
 * not a link either. */
static int write_file(const char *path, const GString *text, gboolean is_new)
{
    FILE *file = fopen(path, is_new ? "wxe" : "we");
    int code = 0;

    if (!file)
        return errno;
    if (fwrite(text->str, 1, text->len, file) != text->len ||
        fflush(file) != 0 || (is_new && fsync(fileno(file)) != 0))
        code = errno;
    if (fclose(file) != 0 && code == 0)
        code = errno;
    return code;
}

/* Gives 0 or an errno. */
static int write_and_rename(const char *path, const GString *text)
{
    g_autofree char *temporary =
        g_strdup_printf("%s.%d.tmp", path, (int)getpid());
    int code;

    unlink(temporary); /* of a process that had our number */
    code = write_file(temporary, text, TRUE);
    if (code == 0 && rename(temporary, path) != 0)
        code = errno;
    if (code != 0)
        unlink(temporary);
    return code;
}

gboolean output_write(const char *path, const GString *text, GError **error)
{
    struct stat status;
    int code;

    if (output_is_stdout(path)) {
        fwrite(text->str, 1, text->len, stdout); /* main() looks at ferror() */
        return TRUE;
    }
    /* A device or pipe stays what it is. */
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        code = write_file(path, text, FALSE);
        return code == 0 || fail(path, code, error);
    }
    code = write_and_rename(path, text);
    return code == 0 || fail(path, code, error);
}

gboolean output_replace(const char *path, const GString *text, GError **error)
{
    int code = write_and_rename(path, text);

    return code == 0 || fail(path, code, error);
}

gboolean output_probe(const char *path, GError **error)
{
    g_autofree char *temporary =
        g_strdup_printf("%s.%d.tmp", path, (int)getpid());
    g_autoptr(GString) nothing = g_string_new(NULL);
    int code = g_file_test(path, G_FILE_TEST_IS_DIR)
                   ? EISDIR
                   : write_file(temporary, nothing, FALSE);

    unlink(temporary);
    return code == 0 || fail(path, code, error);
}

gboolean output_make_subfolder(const char *path, GError **error)
{
    struct stat status;

    if (mkdir(path, 0777) == 0)
        return TRUE;
    if (errno != EEXIST || lstat(path, &status) != 0)
        return fail(path, errno, error);
    return S_ISDIR(status.st_mode) || fail(path, ENOTDIR, error);
}

gboolean output_make_folder(const char *path, GError **error)
{
    return g_mkdir_with_parents(path, 0777) == 0 || fail(path, errno, error);
}
