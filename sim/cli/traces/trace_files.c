/* trace_files.c - the files of one recording, as a command line names them */
#include "sim/cli/traces/trace_files.h"

#include "sim/config/config_error.h"
#include "sim/core/words.h"
#include "workloads/recording/peers.h"

int trace_files_format(const CliCommand *command, const char *name, int *ret)
{
    g_autofree char *hint = NULL;

    *ret = READ_AUTO;
    for (int i = 0; name && read_names[i]; i++)
        if (g_str_equal(read_names[i], name)) {
            *ret = i;
            return CLI_OK;
        }
    if (!name)
        return CLI_OK;
    hint = words_hint(name, read_names, "known");
    return cli_usage(command, "--format: there is no '%s'%s", name, hint);
}

static int by_text(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

/* FALSE: the folder cannot be read. */
static gboolean add_folder(GPtrArray *files, const char *folder, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    if (!dir)
        return FALSE;
    while ((name = g_dir_read_name(dir)))
        g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, by_text);
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *path =
            g_build_filename(folder, g_ptr_array_index(names, i), NULL);

        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            g_ptr_array_add(files, g_steal_pointer(&path));
    }
    return TRUE;
}

static GPtrArray *files_of(char *const *names, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

    for (; *names; names++)
        if (!g_file_test(*names, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(files, g_strdup(*names));
        else if (!add_folder(files, *names, error))
            return NULL;
    return g_steal_pointer(&files);
}

Recording *trace_files_read(char *const *names, int format,
                            const ReadOptions *options, GError **error)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(GPtrArray) files = files_of(names, error);

    if (!files)
        return NULL;
    for (guint i = 0; i < files->len; i++) {
        g_autoptr(Source) source =
            source_open(g_ptr_array_index(files, i), error);

        if (!source || !read_source(format, source, options, recording, error))
            return NULL;
    }
    record_resolve_peers(recording);
    if (recording->ranks->len > 0)
        return g_steal_pointer(&recording);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE,
                "there is nothing to import");
    return NULL;
}

gboolean trace_files_are_apart(char *const *names, const ApartOutput *outputs,
                               GError **error)
{
    g_autoptr(GPtrArray) files = files_of(names, error);

    for (guint i = 0; files && i < files->len; i++)
        if (!apart_from(outputs, g_ptr_array_index(files, i), error))
            return FALSE;
    return files != NULL;
}

Align *trace_files_align(Recording *recording, const char *how)
{
    g_autoptr(RecordMatch) all = record_match(recording, NULL);
    Align *align = align_clocks(recording, all);

    if (g_strcmp0(how, "align") == 0 || (!how && align->is_needed))
        align_apply(align, recording);
    return align;
}
