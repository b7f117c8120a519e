/* all_kernel_rows.c - reads the rows of all files of measurements */
#include "validate/kernels/all_kernel_rows.h"

#include "validate/kernels/measured_rows.h"

static gint compare_by_name(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

static gboolean
add_rows_of_folder(GArray *rows, const char *folder, const char *suffix,
                   gboolean (*add)(GArray *, const char *, GError **),
                   GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, suffix))
            g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, compare_by_name);
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *path = g_build_filename(folder, names->pdata[i], NULL);

        if (!add(rows, path, error))
            return FALSE;
    }
    return dir != NULL;
}

GArray *kernel_rows_load_all(const char *folder, GError **error)
{
    g_autoptr(GArray) rows = kernel_rows_new();
    g_autofree char *published = g_build_filename(folder, "published", NULL);

    return add_rows_of_folder(rows, published, ".csv", kernel_rows_add_file,
                              error) &&
                   add_rows_of_folder(rows, folder, MEASURED_SUFFIX,
                                      measured_rows_add_file, error)
               ? g_steal_pointer(&rows)
               : NULL;
}
