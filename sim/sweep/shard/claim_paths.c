/*
 * claim_paths.c - the files and folders that the workers of a sweep create in a
 * results folder; see claim_paths.h
 */
#include "sim/sweep/shard/claim_paths.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/host/output.h"
#include "sim/sweep/shard/worker_liveness.h"

/* The suffix of temporary files of output.h. */
#define TEMPORARY_SUFFIX ".tmp"

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **claim_paths_list_names(const char *folder, const char *prefix)
{
    GPtrArray *names = g_ptr_array_new();
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_prefix(name, prefix) &&
            !g_str_has_suffix(name, TEMPORARY_SUFFIX))
            g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

char **claim_paths_list_journals(const char *folder)
{
    char **names = claim_paths_list_names(folder, CLAIM_PATHS_JOURNAL ".");

    for (char **name = names; *name; name++) {
        char *path = g_build_filename(folder, *name, NULL);

        g_free(*name);
        *name = path;
    }
    return names;
}

char **claim_paths_list_sweeps(const char *folder)
{
    g_autofree char *claims =
        g_build_filename(folder, CLAIM_PATHS_CLAIMS, NULL);
    char **names = claim_paths_list_names(claims, "");
    char **to = names;

    for (char **name = names; *name; name++) {
        if (!g_str_equal(*name, CLAIM_PATHS_CREATOR))
            *to++ = *name;
        else
            g_free(*name);
    }
    *to = NULL;
    return names;
}

char *claim_paths_journal_of(const char *folder, const char *process)
{
    return g_strdup_printf("%s/" CLAIM_PATHS_JOURNAL ".%s", folder, process);
}

gboolean claim_paths_check_folder_gone(const char *folder, GError **error)
{
    if (g_file_test(folder, G_FILE_TEST_IS_DIR))
        return FALSE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                "%s: the folder was removed while this sweep was running",
                folder);
    return TRUE;
}

/* Removes the empty folders below @folder, to @depth levels.  Claims are
 * folders, some of which contain an empty folder with the name of their owner.
 * A folder with any other content stays. */
#define CLAIM_DEPTH 2

static void remove_empty_claim_folders(const char *folder, guint depth)
{
    g_auto(GStrv) names = depth > 0 ? claim_paths_list_names(folder, "") : NULL;

    for (char **name = names; name && *name; name++) {
        g_autofree char *path = g_build_filename(folder, *name, NULL);

        if (rmdir(path) != 0)
            remove_empty_claim_folders(path, depth - 1);
    }
    rmdir(folder);
}

/* Removes temporary journals of workers of this machine that ended before the
 * journal had its name. */
static void remove_leftover_journals(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *journal = NULL;

        if (!g_str_has_prefix(name, CLAIM_PATHS_JOURNAL ".") ||
            !g_str_has_suffix(name, TEMPORARY_SUFFIX))
            continue;
        journal = g_strndup(name, strlen(name) - strlen(TEMPORARY_SUFFIX));
        if (!strrchr(journal, '.'))
            continue;
        *strrchr(journal, '.') = '\0'; /* cuts off the process number */
        if (liveness_is_local_process(journal))
            output_remove_leftovers(folder, journal);
    }
}

/* Removes the founder's file and then @claims, which may be a folder under its
 * temporary name. */
static void remove_creator_file(const char *claims)
{
    g_autofree char *path = g_build_filename(claims, CLAIM_PATHS_CREATOR, NULL);

    unlink(path);
    rmdir(claims);
}

static void remove_creator_files(const char *folder)
{
    g_auto(GStrv) names =
        claim_paths_list_names(folder, CLAIM_PATHS_CLAIMS ".");

    for (char **name = names; *name; name++) {
        g_autofree char *path = g_build_filename(folder, *name, NULL);

        remove_empty_claim_folders(path, CLAIM_DEPTH);
        remove_creator_file(path);
    }
}

void claim_paths_remove_all(const char *folder)
{
    g_auto(GStrv) journals = claim_paths_list_journals(folder);
    g_autofree char *claims =
        g_build_filename(folder, CLAIM_PATHS_CLAIMS, NULL);
    g_auto(GStrv) sweeps = claim_paths_list_sweeps(folder);

    for (char **sweep = sweeps; *sweep; sweep++) {
        g_autofree char *path = g_build_filename(claims, *sweep, NULL);

        remove_empty_claim_folders(path, CLAIM_DEPTH);
    }
    remove_creator_file(claims);
    remove_creator_files(folder);
    for (char **journal = journals; *journal; journal++)
        unlink(*journal);
    remove_leftover_journals(folder);
}
