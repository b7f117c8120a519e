/* acesim_process.c - runs acesim as a child process and reads its CSV files */
#include "validate/acesim_process.h"

#include <glib/gstdio.h>
#include <string.h>

G_DEFINE_QUARK(validate_error_quark, validate_error)

static gboolean make_parent_folder_of_file(const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);

    if (g_mkdir_with_parents(folder, 0777) == 0)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: cannot be made",
                folder);
    return FALSE;
}

static GPtrArray *acesim_arguments_new(const Simulator *simulator,
                                       const char *command, const char *file,
                                       const char *const *more)
{
    GPtrArray *arguments = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(arguments, g_strdup(simulator->program));
    g_ptr_array_add(arguments, g_strdup(command));
    g_ptr_array_add(arguments, g_strdup(file));
    for (guint i = 0; more && more[i]; i++)
        g_ptr_array_add(arguments, g_strdup(more[i]));
    return arguments;
}

/* Runs the program.  If @listens is set, its standard error becomes part of
 * @error; otherwise it is shown directly. */
static gboolean spawn_acesim(GPtrArray *arguments, gboolean listens,
                             GError **error)
{
    g_autofree char *said = NULL;
    g_autofree char *command = NULL;
    g_autoptr(GError) reason = NULL;
    int status;

    g_ptr_array_add(arguments, NULL);
    command = g_strjoinv(" ", (char **)arguments->pdata);
    if (!g_spawn_sync(NULL, (char **)arguments->pdata, NULL,
                      G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                      listens ? &said : NULL, &status, &reason) ||
        !g_spawn_check_exit_status(status, &reason)) {
        g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RUN, "%s: %s%s%s",
                    command, reason->message, said && *said ? "\n" : "",
                    said ? g_strchomp(said) : "");
        return FALSE;
    }
    return TRUE;
}

/* Runs a command that writes one CSV file, and returns its table. */
static CsvTable *run_acesim_command(const Simulator *simulator,
                                    const char *command, const char *name,
                                    const char *file,
                                    const char *const *arguments,
                                    GError **error)
{
    g_autoptr(GPtrArray) all =
        acesim_arguments_new(simulator, command, file, arguments);
    char *path = g_strdup_printf("%s/%s.csv", simulator->folder, name);

    g_ptr_array_add(all, g_strdup("--csv"));
    g_ptr_array_add(all, path);
    g_remove(path); /* The call removes the result of an earlier run. */
    if (!make_parent_folder_of_file(path, error) ||
        !spawn_acesim(all, TRUE, error))
        return NULL;
    return csv_table_load(path, error);
}

CsvTable *simulator_run(const Simulator *simulator, const char *name,
                        const char *config, const char *const *arguments,
                        GError **error)
{
    return run_acesim_command(simulator, "run", name, config, arguments, error);
}

CsvTable *simulator_run_kernels(const Simulator *simulator, const char *name,
                                const char *file, GError **error)
{
    return run_acesim_command(simulator, "kernels", name, file, NULL, error);
}

CsvTable *simulator_run_collectives(const Simulator *simulator,
                                    const char *name, const char *platform,
                                    const char *const *arguments,
                                    GError **error)
{
    return run_acesim_command(simulator, "collectives", name, platform,
                              arguments, error);
}

CsvTable *simulator_run_sweep(const Simulator *simulator, const char *name,
                              const char *sweep, const char *const *arguments,
                              GError **error)
{
    g_autoptr(GPtrArray) all =
        acesim_arguments_new(simulator, "sweep", sweep, arguments);
    char *folder = g_build_filename(simulator->folder, name, NULL);
    g_autofree char *path = g_build_filename(folder, "runs.csv", NULL);

    g_ptr_array_add(all, g_strdup("-o"));
    g_ptr_array_add(all, folder);
    if (simulator->n_jobs > 0) {
        g_ptr_array_add(all, g_strdup("-j"));
        g_ptr_array_add(all, g_strdup_printf("%u", simulator->n_jobs));
    }
    g_remove(path);
    if (!make_parent_folder_of_file(path, error) ||
        !spawn_acesim(all, FALSE, error))
        return NULL;
    return csv_table_load(path, error);
}

CsvTable *simulator_run_command(const Simulator *simulator, const char *name,
                                const char *const *words, GError **error)
{
    if (g_str_equal(words[0], "sweep"))
        return simulator_run_sweep(simulator, name, words[1], words + 2, error);
    return run_acesim_command(simulator, words[0], name, words[1], words + 2,
                              error);
}

gboolean simulator_write_file(const Simulator *simulator, const char *name,
                              const char *text, GError **error)
{
    g_autofree char *path = g_build_filename(simulator->folder, name, NULL);

    return make_parent_folder_of_file(path, error) &&
           g_file_set_contents(path, text, (gssize)strlen(text), error);
}

const char *simulator_cell_text(const CsvTable *table, guint row,
                                const char *column, GError **error)
{
    guint i;

    if (!csv_table_column(table, column, &i, error))
        return NULL;
    return csv_table_text(table, row, i);
}

gboolean simulator_cell_number(const CsvTable *table, guint row,
                               const char *column, double *ret, GError **error)
{
    guint i;

    return csv_table_column(table, column, &i, error) &&
           csv_table_number(table, row, i, ret, error);
}
