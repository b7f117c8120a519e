/*
 * folder_owner.c - decides whether a results folder belongs to a sweep; see
 * folder_owner.h
 */
#include "sim/cli/sweep/folder_owner.h"

#include <stdio.h>
#include <sys/stat.h>

#include "sim/sweep/shard/folder_creator.h"
#include "sim/sweep/shard/point_id_cache.h"
#include "sim/sweep/shard/sweep_fingerprint.h"
#include "sim/sweep/sweep_info.h"

void folder_owner_clear(FolderOwner *owner)
{
    g_clear_pointer(&owner->other, g_free);
    g_clear_pointer(&owner->note, g_free);
}

/* ---- comparing sweep files ----------------------------------------------- */

typedef enum {
    SWEEP_ONE, /* Both paths lead to the same sweep file. */
    /* The files have the same name, and the other file does not exist on this
     * machine. */
    SWEEP_ALIKE,
    SWEEP_OTHER,
} SweepMatch;

static SweepMatch match_sweep_names(const char *a, const char *b)
{
    g_autofree char *name_a = g_path_get_basename(a);
    g_autofree char *name_b = g_path_get_basename(b);

    return g_str_equal(name_a, name_b) ? SWEEP_ALIKE : SWEEP_OTHER;
}

static SweepMatch match_sweep_files(const char *existing, const char *sweep)
{
    struct stat status_a, status_b;

    if (!g_path_is_absolute(existing) || stat(existing, &status_a) != 0 ||
        stat(sweep, &status_b) != 0)
        return match_sweep_names(existing, sweep);
    return status_a.st_dev == status_b.st_dev &&
                   status_a.st_ino == status_b.st_ino
               ? SWEEP_ONE
               : SWEEP_OTHER;
}

/* Returns the sweep file that @info names, or NULL. The caller owns the
 * text. */
static char *read_sweep_name(const char *info)
{
    static const char *const keys[] = { "path", "sweep" };

    for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_autofree char *existing =
            g_file_test(info, G_FILE_TEST_EXISTS)
                ? sweep_info_read_text(info, keys[i], NULL)
                : NULL;

        if (existing && *existing)
            return g_steal_pointer(&existing);
    }
    return NULL;
}

/* Returns the sweep file of the folder unless it is known to be @sweep, else
 * NULL. Workers' information comes first, because it is newer than the results.
 * The caller owns the text. */
static char *find_other_sweep(const SweepFolder *folder, const char *sweep)
{
    g_autofree char *founder = folder_creator_info_path(folder->path);
    g_autofree char *info = sweep_folder_path(folder, SWEEP_INFO);
    g_autofree char *existing = read_sweep_name(founder);

    if (!existing)
        existing = read_sweep_name(info);
    if (!existing || match_sweep_files(existing, sweep) == SWEEP_ONE)
        return NULL;
    return g_steal_pointer(&existing);
}

/* ---- comparing rows ------------------------------------------------------ */

/* Returns how many points of @run have rows in the folder. */
static guint count_points_with_rows(const IdCache *cache, SweepRun *run)
{
    guint n = 0;

    for (guint i = 0; i < sweep_plan_count_points(run->plan); i++) {
        const char *id = sweep_run_point_id(run, i);

        n += id && id_cache_contains(cache, id);
    }
    return n;
}

/* Returns @other as it appears in messages. */
static char *describe_other_sweep(const char *other)
{
    return g_strconcat(other,
                       g_file_test(other, G_FILE_TEST_EXISTS)
                           ? ""
                           : " (there is no such file here)",
                       NULL);
}

static gboolean set_error_folder_of_other_sweep(const char *folder,
                                                const char *other,
                                                const char *sweep, guint n_rows,
                                                GError **error)
{
    g_autofree char *text = describe_other_sweep(other);
    g_autofree char *rows =
        g_strdup_printf("%u row%s", n_rows, n_rows == 1 ? "" : "s");

    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                "%s: has %s of another sweep, %s, and none of %s: they would "
                "be lost; take another folder (-o DIR), or run all points here "
                "with --fresh",
                folder, n_rows > 0 ? rows : "the results", text, sweep);
    return FALSE;
}

static char *describe_dropped_rows(const char *folder, const char *other,
                                   guint n_rows)
{
    g_autofree char *text = describe_other_sweep(other);

    return g_strdup_printf(
        "%s: %u row%s of another sweep, %s, go%s: their points are not of this "
        "one",
        folder, n_rows, n_rows == 1 ? "" : "s", text, n_rows == 1 ? "es" : "");
}

gboolean folder_owner_check(const SweepFolder *folder, const char *sweep,
                            SweepRun *run, FolderOwner *ret, GError **error)
{
    g_autofree char *runs = sweep_folder_csv(folder, ROWS_RUNS);
    g_autoptr(IdCache) seen = NULL;
    guint n_existing, n_ours;

    ret->other = find_other_sweep(folder, sweep);
    if (!ret->other)
        return TRUE;
    seen = id_cache_new(folder->path, "");
    if (!id_cache_update(seen, error))
        return FALSE;
    n_existing = id_cache_count(seen);
    n_ours = count_points_with_rows(seen, run);
    if (n_ours == 0 &&
        (n_existing > 0 || g_file_test(runs, G_FILE_TEST_EXISTS)))
        return set_error_folder_of_other_sweep(folder->path, ret->other, sweep,
                                               n_existing, error);
    if (n_existing > n_ours)
        ret->note = describe_dropped_rows(folder->path, ret->other,
                                          n_existing - n_ours);
    return TRUE;
}

gboolean folder_owner_confirm(const SweepFolder *folder, const char *sweep,
                              const FolderOwner *owner, GError **error)
{
    g_autofree char *other = find_other_sweep(folder, sweep);

    if (!other || match_sweep_files(other, sweep) != SWEEP_OTHER ||
        g_strcmp0(other, owner->other) == 0)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                "%s: another sweep, %s, was here first; take another folder "
                "(-o DIR)",
                folder->path, other);
    return FALSE;
}

void folder_owner_report(const FolderOwner *owner)
{
    if (owner->note)
        fprintf(stderr, "%s\n", owner->note);
}

/* ---- claiming a folder for workers --------------------------------------- */

/* Returns whether the workers in the folder run the same sweep: the same file,
 * or a copy of it with the same points. */
static gboolean is_same_sweep(const SweepFolder *folder, const char *sweep,
                              const char *word, GError **error)
{
    g_autofree char *founder = folder_creator_info_path(folder->path);
    g_autofree char *existing = read_sweep_name(founder);

    if (!existing || match_sweep_files(existing, sweep) != SWEEP_OTHER ||
        folder_creator_has_word(folder->path, word))
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                "%s: workers of another sweep, %s, were here first, and what "
                "they do has not been gathered; take another folder (-o DIR)",
                folder->path, existing);
    return FALSE;
}

/* Checks before claiming, so that nothing is left in another sweep's folder,
 * and again after claiming, when no other sweep can start there. */
gboolean folder_owner_claim(const SweepFolder *folder, const char *sweep,
                            SweepRun *run, FolderOwner *ret, GError **error)
{
    g_autoptr(GString) info = sweep_folder_info_text(folder, run, sweep);
    g_autofree char *word = sweep_fingerprint(run);

    if (!folder_owner_check(folder, sweep, run, ret, error))
        return FALSE;
    folder_owner_clear(ret);
    return folder_creator_claim_folder(folder->path, word, info, error) &&
           is_same_sweep(folder, sweep, word, error) &&
           folder_owner_check(folder, sweep, run, ret, error);
}
