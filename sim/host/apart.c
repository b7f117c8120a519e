/* apart.c - by what files are, not by what they are called: links are followed
 */
#include "sim/host/apart.h"

#include <sys/stat.h>

#include "sim/host/output.h"

/* TRUE for what is no file yet, too: one of that name is made. */
static gboolean is_file(const char *path, struct stat *ret, gboolean *ret_there)
{
    *ret_there = stat(path, ret) == 0;
    return !*ret_there || S_ISREG(ret->st_mode);
}

static gboolean are_same(const char *a, const char *b)
{
    g_autofree char *x = NULL, *y = NULL;
    struct stat of_a, of_b;
    gboolean is_a, is_b;

    if (output_is_stdout(a) || output_is_stdout(b) ||
        !is_file(a, &of_a, &is_a) || !is_file(b, &of_b, &is_b) || is_a != is_b)
        return FALSE;
    if (is_a)
        return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    x = g_canonicalize_filename(a, NULL);
    y = g_canonicalize_filename(b, NULL);
    return g_str_equal(x, y);
}

gboolean apart_outputs(const ApartOutput *outputs, GError **error)
{
    for (; outputs->option; outputs++)
        for (const ApartOutput *other = outputs + 1;
             outputs->path && other->option; other++)
            /* Files of one option have names of their own in one folder, and
             * replace what has such a name, even a link to another. */
            if (other->path && !g_str_equal(outputs->option, other->option) &&
                are_same(outputs->path, other->path)) {
                g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                            "%s and %s both want %s", outputs->option,
                            other->option, other->path);
                return FALSE;
            }
    return TRUE;
}

gboolean apart_from(const ApartOutput *outputs, const char *read,
                    GError **error)
{
    for (; outputs->option; outputs++)
        if (outputs->path && are_same(outputs->path, read)) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                        "%s would be written over %s, which is read",
                        outputs->option, read);
            return FALSE;
        }
    return TRUE;
}
