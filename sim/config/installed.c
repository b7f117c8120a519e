/* installed.c - where `make install` puts what the program does not need */
#include "sim/config/installed.h"

#include "sim/config/config.h"

const char *installed_folder(void)
{
    return ACESIM_SHARE;
}

void installed_hint(const char *folder, const char *path, GError **error)
{
    g_autofree char *other = NULL;
    char *message;

    if (!error || !g_error_matches(*error, CONFIG_ERROR, CONFIG_ERROR_FILE) ||
        g_path_is_absolute(path) || g_file_test(path, G_FILE_TEST_EXISTS))
        return;
    other = g_build_filename(folder, path, NULL);
    if (!g_file_test(other, G_FILE_TEST_IS_REGULAR))
        return;
    message =
        g_strdup_printf("%s; there is one at %s", (*error)->message, other);
    g_free((*error)->message);
    (*error)->message = message;
}
