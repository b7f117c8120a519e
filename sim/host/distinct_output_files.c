/*
 * distinct_output_files.c - checks that the output files of a command are
 * distinct, and are not files that it reads; see distinct_output_files.h
 *
 * Files are compared by device and inode, so links are followed.  Files that do
 * not exist yet are compared by path.
 */
#include "sim/host/distinct_output_files.h"

#include <sys/stat.h>

#include "sim/host/output.h"

/* Returns whether @path is a regular file or does not exist yet.  Sets *@ret
 * and *@ret_exists. */
static gboolean is_regular_or_new_file(const char *path, struct stat *ret,
                                       gboolean *ret_exists)
{
    *ret_exists = stat(path, ret) == 0;
    return !*ret_exists || S_ISREG(ret->st_mode);
}

static gboolean are_same_file(const char *a, const char *b)
{
    g_autofree char *path_a = NULL, *path_b = NULL;
    struct stat status_a, status_b;
    gboolean exists_a, exists_b;

    if (output_is_stdout_name(a) || output_is_stdout_name(b) ||
        !is_regular_or_new_file(a, &status_a, &exists_a) ||
        !is_regular_or_new_file(b, &status_b, &exists_b) ||
        exists_a != exists_b)
        return FALSE;
    if (exists_a)
        return status_a.st_dev == status_b.st_dev &&
               status_a.st_ino == status_b.st_ino;
    path_a = g_canonicalize_filename(a, NULL);
    path_b = g_canonicalize_filename(b, NULL);
    return g_str_equal(path_a, path_b);
}

gboolean distinct_files_check_outputs(const NamedOutput *outputs,
                                      GError **error)
{
    for (; outputs->option; outputs++)
        for (const NamedOutput *other = outputs + 1;
             outputs->path && other->option; other++)
            /* The files of one option are not compared: they have different
             * names in one folder, and each replaces the entry of its name,
             * even a link to another. */
            if (other->path && !g_str_equal(outputs->option, other->option) &&
                are_same_file(outputs->path, other->path)) {
                g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                            "%s and %s both want %s", outputs->option,
                            other->option, other->path);
                return FALSE;
            }
    return TRUE;
}

gboolean distinct_files_check_input(const NamedOutput *outputs,
                                    const char *read, GError **error)
{
    for (; outputs->option; outputs++)
        if (outputs->path && are_same_file(outputs->path, read)) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                        "%s would be written over %s, which is read",
                        outputs->option, read);
            return FALSE;
        }
    return TRUE;
}
