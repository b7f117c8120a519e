/*
 * trace_files.c - reads the trace files of one recording that a command line
 * names; see trace_files.h
 */
#include "sim/cli/traces/trace_files.h"

#include <stdio.h>

#include "sim/config/config_error.h"
#include "sim/config/files/foreign_files.h"
#include "sim/core/word_suggestions.h"
#include "workloads/recording/file_name_ranks.h"
#include "workloads/recording/message_peers.h"
#include "workloads/recording/named_groups.h"

int trace_files_parse_format(const CliCommand *command, const char *name,
                             int *ret)
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
    hint = words_suggestion_hint(name, read_names, "known");
    return cli_report_usage_error(command, "--format: there is no '%s'%s", name,
                                  hint);
}

static int compare_strings(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

typedef struct {
    char *path; /* owned */
    /* The subfolder that contains the file (owned text), or NULL if there are
     * not several subfolders. */
    char *folder;
    gboolean is_in; /* the user named a folder that contains the file */
} TraceFile;

static void free_trace_file(gpointer data)
{
    TraceFile *file = data;

    g_free(file->path);
    g_free(file->folder);
    g_free(file);
}

static void add_trace_file(GPtrArray *files, const char *path,
                           const char *folder, gboolean is_in)
{
    TraceFile *file = g_new0(TraceFile, 1);

    file->path = g_strdup(path);
    file->folder = g_strdup(folder);
    file->is_in = is_in;
    g_ptr_array_add(files, file);
}

/* Returns the sorted paths of the entries of @folder.  Returns NULL and sets
 * @error if it cannot be read. */
static GPtrArray *list_folder_paths(const char *folder, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
    GPtrArray *paths;
    const char *name;

    if (!dir)
        return NULL;
    paths = g_ptr_array_new_with_free_func(g_free);
    while ((name = g_dir_read_name(dir)))
        if (*name != '.')
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    g_ptr_array_sort(paths, compare_strings);
    return paths;
}

/* Returns whether a reader finds ranks in the file.  Also TRUE if it cannot be
 * opened, because reading it later reports the error. */
static gboolean file_may_have_ranks(const char *path)
{
    g_autoptr(Source) source = source_open(path, NULL);
    const char *format = source ? reader_detect_format(source) : NULL;

    if (!source || !source_finish(source, NULL))
        return TRUE;
    return format && !g_str_equal(format, READ_COMM_GROUPS);
}

#define MAX_DEPTH 8

/* Adds the files of a folder.  @subfolder is the subfolder that contains it, if
 * there are several, or NULL. Returns FALSE and sets @error if a folder cannot
 * be read. */
static gboolean add_trace_folder(GPtrArray *files, const char *folder,
                                 const char *subfolder, guint depth,
                                 GError **error)
{
    g_autoptr(GPtrArray) paths = list_folder_paths(folder, error);
    guint n_folders = 0;
    gboolean has_known = FALSE;

    if (!paths)
        return FALSE;
    for (guint i = 0; i < paths->len; i++) {
        const char *path = g_ptr_array_index(paths, i);

        n_folders += g_file_test(path, G_FILE_TEST_IS_DIR) ? 1 : 0;
        if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
            continue;
        has_known = has_known || file_may_have_ranks(path);
        add_trace_file(files, path, subfolder, TRUE);
    }
    for (guint i = 0; !has_known && depth < MAX_DEPTH && i < paths->len; i++) {
        const char *path = g_ptr_array_index(paths, i);

        if (g_file_test(path, G_FILE_TEST_IS_DIR) &&
            !add_trace_folder(files, path, n_folders > 1 ? path : subfolder,
                              depth + 1, error))
            return FALSE;
    }
    return TRUE;
}

static GPtrArray *list_trace_files(char *const *names, GError **error)
{
    g_autoptr(GPtrArray) files =
        g_ptr_array_new_with_free_func(free_trace_file);

    for (; *names; names++)
        if (!g_file_test(*names, G_FILE_TEST_IS_DIR))
            add_trace_file(files, *names, NULL, FALSE);
        else if (!add_trace_folder(files, *names, NULL, 0, error))
            return NULL;
    return g_steal_pointer(&files);
}

/* ---- reading the trace files --------------------------------------------- */

static gboolean read_trace_file(const TraceFile *file, int format,
                                const ReadOptions *options,
                                Recording *recording, GPtrArray *skipped,
                                GError **error)
{
    g_autoptr(Source) source = source_open(file->path, error);

    if (!source)
        return FALSE;
    if (file->is_in && format == READ_AUTO && !reader_detect_format(source)) {
        g_ptr_array_add(skipped, file->path);
        return source_finish(source, error);
    }
    return read_recording_file(format, source, options, recording, error);
}

/* Returns whether any node has a start time. */
static gboolean rank_has_times(const RecordRank *rank)
{
    for (guint i = 0; i < rank->nodes->len; i++)
        if (record_node(rank, i)->begin_ps != RECORD_NO_TIME)
            return TRUE;
    return FALSE;
}

/* Returns the subfolder from which @rank was read, if there are several, or
 * NULL. */
static const char *find_rank_subfolder(const GPtrArray *files,
                                       const RecordRank *rank)
{
    for (guint i = 0; i < files->len; i++) {
        const TraceFile *file = g_ptr_array_index(files, i);

        if (g_str_equal(file->path, rank->file))
            return file->folder;
    }
    return NULL;
}

/* Returns FALSE and sets @error if two subfolders have the same rank.  They are
 * several recordings, such as iteration_10 and iteration_20. */
static gboolean check_one_recording(const GPtrArray *files,
                                    const Recording *recording, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);
        const char *folder = find_rank_subfolder(files, rank), *other;
        gpointer key = GUINT_TO_POINTER(rank->rank + 1);

        if (!folder || rank->rank == RECORD_NO_RANK || !rank_has_times(rank))
            continue;
        other = g_hash_table_lookup(seen, key);
        if (other && !g_str_equal(other, folder)) {
            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE,
                        "'%s' and '%s' both have rank %u: they are several "
                        "recordings, of which one is imported: name its folder",
                        other, folder, rank->rank);
            return FALSE;
        }
        g_hash_table_insert(seen, key, (gpointer)folder);
    }
    return TRUE;
}

#define MOST_NAMES 5

static void report_skipped_files(const GPtrArray *skipped)
{
    for (guint i = 0; i < MIN(skipped->len, MOST_NAMES); i++)
        fprintf(stderr, "note: %s: left out: no reader knows how it begins\n",
                (const char *)g_ptr_array_index(skipped, i));
    if (skipped->len > MOST_NAMES)
        fprintf(stderr, "note: %u further files are left out likewise\n",
                skipped->len - MOST_NAMES);
}

void trace_files_set_empty_error(const Recording *recording, GError **error)
{
    g_autoptr(GString) text = g_string_new("there is nothing to import");

    for (guint r = 0; r < MIN(recording->ranks->len, MOST_NAMES); r++) {
        const RecordRank *rank = record_rank(recording, r);

        g_string_append_printf(text, "%s%s", r == 0 ? ": " : "; ", rank->file);
        if (rank->contents)
            g_string_append_printf(text,
                                   " has events of these categories: %s, and "
                                   "none of them ran on a device",
                                   rank->contents);
        else if (rank->nodes->len > 0)
            g_string_append_printf(
                text, " has %u nodes, and none of them ran on a device",
                rank->nodes->len);
        else if (rank->n_found > 0)
            g_string_append_printf(text,
                                   " has %" G_GUINT64_FORMAT
                                   " records, and none of them communicates or "
                                   "ran on a device",
                                   rank->n_found);
        else
            g_string_append(text, " has no events");
    }
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE, "%s", text->str);
}

Recording *trace_files_read(char *const *names, int format,
                            const ReadOptions *options, GError **error)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(GPtrArray) files = list_trace_files(names, error);
    g_autoptr(GPtrArray) skipped = g_ptr_array_new();

    if (!files)
        return NULL;
    for (guint i = 0; i < files->len; i++)
        if (!read_trace_file(g_ptr_array_index(files, i), format, options,
                             recording, skipped, error)) {
            if (format == READ_AUTO)
                foreign_files_explain_trace_error(
                    ((const TraceFile *)g_ptr_array_index(files, i))->path,
                    error);
            return NULL;
        }
    report_skipped_files(skipped);
    record_number_ranks_by_file_names(recording);
    record_resolve_groups(recording);
    record_resolve_peers(recording);
    if (recording->ranks->len > 0)
        return check_one_recording(files, recording, error)
                   ? g_steal_pointer(&recording)
                   : NULL;
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE,
                "there is nothing to import: %u files, of which no reader "
                "knows any; `acesim list readers` has those there are",
                files->len);
    return NULL;
}

gboolean trace_files_check_outputs(char *const *names,
                                   const NamedOutput *outputs, GError **error)
{
    g_autoptr(GPtrArray) files = list_trace_files(names, error);

    for (guint i = 0; files && i < files->len; i++) {
        const TraceFile *file = g_ptr_array_index(files, i);

        if (!distinct_files_check_input(outputs, file->path, error))
            return FALSE;
    }
    return files != NULL;
}

Align *trace_files_align_clocks(Recording *recording, const char *how)
{
    g_autoptr(RecordMatch) all = record_match_ranks(recording, NULL);
    Align *align = align_clocks(recording, all);

    if (g_strcmp0(how, "align") == 0 || (!how && align->is_needed))
        align_apply_corrections(align, recording);
    return align;
}
