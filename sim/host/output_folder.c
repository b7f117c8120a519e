/* output_folder.c - creates folders of results; see output.h */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#include "sim/host/interrupt.h"
#include "sim/host/output.h"

/* Same as mkdir(), but the folder is removed if a signal ends the process. */
static int make_registered_folder(const char *path)
{
    sigset_t old;
    int code;

    interrupt_block_signals(&old);
    code = mkdir(path, 0777) == 0 ? 0 : errno;
    if (code == 0)
        output_register_folder(path);
    sigprocmask(SIG_SETMASK, &old, NULL);
    errno = code;
    return code == 0 ? 0 : -1;
}

gboolean output_make_subfolder(const char *path, gboolean is_shared,
                               GError **error)
{
    struct stat status;

    if ((is_shared ? mkdir(path, 0777) : make_registered_folder(path)) == 0)
        return TRUE;
    if (errno != EEXIST || lstat(path, &status) != 0)
        return output_set_write_error(path, errno, error);
    return S_ISDIR(status.st_mode) ||
           output_set_write_error(path, ENOTDIR, error);
}

/* Creates @path and its parents.  Returns 0 or an errno. */
static int make_folder_with_parents(const char *path)
{
    g_autofree char *parent = g_path_get_dirname(path);
    int code = make_registered_folder(path) == 0 ? 0 : errno;

    if (code == ENOENT && !g_str_equal(parent, path)) {
        code = make_folder_with_parents(parent);
        if (code == 0)
            code = make_registered_folder(path) == 0 ? 0 : errno;
    }
    return code == 0 || g_file_test(path, G_FILE_TEST_IS_DIR) ? 0 : code;
}

gboolean output_make_folder(const char *path, GError **error)
{
    int code = make_folder_with_parents(path);

    return code == 0 || output_set_write_error(path, code, error);
}
