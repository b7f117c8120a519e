/* owner.c - whose results a folder has */
#include "sim/cli/sweep/owner.h"

#include <stdio.h>
#include <sys/stat.h>

#include "sim/sweep/info.h"
#include "sim/sweep/shard/seen_ids.h"

/* ---- which sweep ------------------------------------------------------ */

static gboolean have_one_name(const char *a, const char *b)
{
    g_autofree char *name_a = g_path_get_basename(a);
    g_autofree char *name_b = g_path_get_basename(b);

    return g_str_equal(name_a, name_b);
}

static gboolean is_one_sweep(const char *there, const char *sweep)
{
    struct stat status_a, status_b;

    if (!g_path_is_absolute(there) || stat(there, &status_a) != 0 ||
        stat(sweep, &status_b) != 0)
        return have_one_name(there, sweep);
    return status_a.st_dev == status_b.st_dev &&
           status_a.st_ino == status_b.st_ino;
}

/* The file of the other sweep; NULL where there is none.  Owner: the caller. */
static char *find_other(const SweepFolder *folder, const char *sweep)
{
    static const char *const keys[] = { "path", "sweep" };
    g_autofree char *info = sweep_folder_path(folder, SWEEP_INFO);
    g_autofree char *there = NULL;

    if (!g_file_test(info, G_FILE_TEST_EXISTS))
        return NULL;
    for (guint i = 0; i < G_N_ELEMENTS(keys) && (!there || !*there); i++) {
        g_free(there);
        there = info_read_text(info, keys[i], NULL);
    }
    if (!there || !*there || is_one_sweep(there, sweep))
        return NULL;
    return g_steal_pointer(&there);
}

/* ---- which rows ------------------------------------------------------- */

/* How many of the rows that are there are of points of ours. */
static guint count_ours(const SeenIds *seen, SweepRun *run)
{
    guint n = 0;

    for (guint i = 0; i < sweep_plan_n_points(run->plan); i++) {
        const char *id = sweep_run_id(run, i);

        n += id && seen_ids_has(seen, id);
    }
    return n;
}

static gboolean refuse(const char *folder, const char *other, const char *sweep,
                       guint n_rows, GError **error)
{
    g_autofree char *rows =
        g_strdup_printf("%u row%s", n_rows, n_rows == 1 ? "" : "s");

    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                "%s: has %s of another sweep, %s, and none of %s: they would "
                "be lost; take another folder (-o DIR), or run all points here "
                "with --fresh",
                folder, n_rows > 0 ? rows : "the results", other, sweep);
    return FALSE;
}

gboolean owner_check(const SweepFolder *folder, const char *sweep,
                     SweepRun *run, GError **error)
{
    g_autofree char *other = find_other(folder, sweep);
    g_autofree char *runs = sweep_folder_csv(folder, ROWS_RUNS);
    g_autoptr(SeenIds) seen = NULL;
    guint n_there, n_ours;

    if (!other)
        return TRUE;
    seen = seen_ids_new(folder->path, "");
    if (!seen_ids_update(seen, error))
        return FALSE;
    n_there = seen_ids_n(seen);
    n_ours = count_ours(seen, run);
    if (n_ours == 0 && (n_there > 0 || g_file_test(runs, G_FILE_TEST_EXISTS)))
        return refuse(folder->path, other, sweep, n_there, error);
    if (n_there > n_ours)
        fprintf(stderr,
                "%s: %u row%s of another sweep, %s, go%s: their points are not "
                "of this one\n",
                folder->path, n_there - n_ours,
                n_there - n_ours == 1 ? "" : "s", other,
                n_there - n_ours == 1 ? "es" : "");
    return TRUE;
}
