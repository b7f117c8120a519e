/* kernel_rows_of_folder.c - reads the rows of all files of measurements */
#include "validate/kernels/kernel_rows_of_folder.h"

#include "validate/kernels/measured_rows.h"

static gint compare_by_name(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the paths of the files of @folder that end with @suffix, sorted. */
static GPtrArray *list_files_of_folder(const char *folder, const char *suffix,
                                       GError **error)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, suffix))
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    g_ptr_array_sort(paths, compare_by_name);
    return dir ? g_steal_pointer(&paths) : NULL;
}

static gboolean
add_rows_of_folder(GArray *rows, const char *folder, const char *suffix,
                   gboolean (*add)(GArray *, const char *, GError **),
                   GError **error)
{
    g_autoptr(GPtrArray) paths = list_files_of_folder(folder, suffix, error);

    for (guint i = 0; paths && i < paths->len; i++)
        if (!add(rows, paths->pdata[i], error))
            return FALSE;
    return paths != NULL;
}

GArray *kernel_rows_load_all(const char *folder, GError **error)
{
    g_autoptr(GArray) rows = kernel_rows_new();
    g_autofree char *published = g_build_filename(folder, "published", NULL);

    return (!g_file_test(published, G_FILE_TEST_EXISTS) ||
            add_rows_of_folder(rows, published, ".csv", kernel_rows_add_file,
                               error)) &&
                   add_rows_of_folder(rows, folder, MEASURED_SUFFIX,
                                      measured_rows_add_file, error)
               ? g_steal_pointer(&rows)
               : NULL;
}

char *kernel_rows_warnings(const char *folder, GError **error)
{
    g_autoptr(GPtrArray) paths =
        list_files_of_folder(folder, MEASURED_SUFFIX, error);
    g_autoptr(GString) out = g_string_new(NULL);

    for (guint i = 0; paths && i < paths->len; i++) {
        g_autofree char *warning = NULL;

        if (!measured_file_warning(paths->pdata[i], &warning, error))
            return NULL;
        if (warning)
            g_string_append_printf(out, "warning: %s\n", warning);
    }
    return paths ? g_strdup(out->str) : NULL;
}
