/*
 * sweep_folder.c - the files that a sweep writes in its results folder; see
 * sweep_folder.h
 */
#include "sim/cli/sweep/sweep_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cli/outputs/input_files.h"
#include "sim/host/output.h"
#include "sim/sweep/reading/sweep_csv.h"
#include "sim/sweep/sweep_info.h"
#include "sim/sweep/sweep_results.h"
#include "sim/view/data_package.h"
#include "sim/view/plots/plot_files.h"

#define CONFIG_NAME "config.csv"

/* The files that a sweep writes in addition to rows, or removes as stale. */
static const char *const other_names[] = {
    SWEEP_INFO,     CONFIG_NAME,   SWEEP_JOURNAL, SWEEP_PARTIAL,
    "compare.csv",  "report.html", "report.json", "attribution.csv",
    "what_ifs.csv", DATA_PACKAGE,
};

char *sweep_folder_default_path(const char *sweep)
{
    g_autofree char *name = g_path_get_basename(sweep);
    g_auto(GStrv) parts = g_strsplit(name, ".", 2);

    return g_build_filename("results", *parts[0] ? parts[0] : name, NULL);
}

char *sweep_folder_path(const SweepFolder *folder, const char *name)
{
    return g_build_filename(folder->path, name, NULL);
}

char *sweep_folder_csv(const SweepFolder *folder, RowsFile file)
{
    g_autofree char *name = g_strdup_printf("%s.csv", rows_file_names[file]);

    return sweep_folder_path(folder, name);
}

/* The new files of a sweep, before they are renamed. */
typedef struct {
    OutputGroup *group; /* owned */
    /* TRUE as long as the user would see no difference between new and old
     * files. */
    gboolean is_unchanged;
} NewSweepFiles;

static void clear_new_files(NewSweepFiles *files)
{
    output_group_free(files->group);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NewSweepFiles, clear_new_files)

static gboolean add_output_file(NewSweepFiles *files, const char *path,
                                const GString *text, GError **error)
{
    files->is_unchanged =
        files->is_unchanged && output_has_contents(path, text);
    return output_group_add_file(files->group, path, text, error);
}

/* A CSV that is being written, and the file that it will replace. */
typedef struct {
    int fd, old_fd;   /* -1: there is no old file */
    int code;         /* the errno of the first failure */
    gboolean is_same; /* the bytes written so far equal those of the old file */
} CsvReplacement;

static gboolean is_next_part_equal(int fd, const GString *part)
{
    g_autofree char *old = g_malloc(part->len + 1);
    gsize n_bytes = 0;
    ssize_t n = 1;

    while (n > 0 && n_bytes < part->len) {
        n = read(fd, old + n_bytes, part->len - n_bytes);
        n_bytes += n > 0 ? (gsize)n : 0;
    }
    return n_bytes == part->len && memcmp(old, part->str, n_bytes) == 0;
}

static gboolean write_csv_part(gpointer self, const GString *part,
                               GError **error)
{
    CsvReplacement *replacement = self;

    /* write_rows_csv() reports the errno at the end. */
    (void)error;
    replacement->is_same =
        replacement->is_same && is_next_part_equal(replacement->old_fd, part);
    replacement->code =
        output_write_bytes(replacement->fd, part->str, part->len);
    return replacement->code == 0;
}

/* Opens the old file only if it is a regular file. */
static int open_old_csv(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static gboolean is_at_end_of_file(int fd)
{
    char more;

    return read(fd, &more, 1) == 0;
}

static gboolean write_rows_csv(OutputGroup *group, const char *path,
                               const SweepRun *run, RowsFile file,
                               gboolean *is_same, GError **error)
{
    CsvReplacement w = { .fd = output_group_begin_file(group, path, error) };
    g_autoptr(GError) reason = NULL;
    gboolean ok;

    if (w.fd < 0)
        return FALSE;
    w.old_fd = open_old_csv(path);
    w.is_same = w.old_fd >= 0;
    ok = sweep_run_write_csv(run, file, write_csv_part, &w, &reason);
    *is_same = w.is_same && is_at_end_of_file(w.old_fd);
    if (w.old_fd >= 0)
        close(w.old_fd);
    ok = output_group_end_file(path, w.fd, w.code, reason ? NULL : error) && ok;
    if (reason)
        g_propagate_error(error, g_steal_pointer(&reason));
    return ok;
}

static gboolean add_rows_csv(NewSweepFiles *files, const SweepFolder *folder,
                             const SweepRun *run, RowsFile file, GError **error)
{
    g_autofree char *path = sweep_folder_csv(folder, file);
    gboolean is_same;

    if (!write_rows_csv(files->group, path, run, file, &is_same, error))
        return FALSE;
    files->is_unchanged = files->is_unchanged && is_same;
    return TRUE;
}

gboolean sweep_folder_write_partial(const SweepFolder *folder,
                                    const SweepRun *run, GError **error)
{
    g_autofree char *path = sweep_folder_path(folder, SWEEP_PARTIAL);
    g_autoptr(OutputGroup) group = output_group_new();
    gboolean is_same;

    return write_rows_csv(group, path, run, ROWS_RUNS, &is_same, error) &&
           output_group_commit(group, error);
}

static gboolean is_same_name_list(const char *runs, const char *what,
                                  char *const *names)
{
    g_auto(GStrv) old = results_compared_names(runs, what, NULL);

    return old &&
           g_strv_equal((const char *const *)old, (const char *const *)names);
}

/* Compares the part of info.json that is shown: the names that are compared. */
static gboolean compared_names_are_unchanged(const SweepFolder *folder,
                                             const SweepPlan *plan)
{
    g_autofree char *runs = sweep_folder_csv(folder, ROWS_RUNS);

    return is_same_name_list(runs, "baselines",
                             sweep_plan_baseline_names(plan)) &&
           is_same_name_list(runs, "best", sweep_plan_best_names(plan)) &&
           is_same_name_list(runs, "offload", sweep_plan_offload_names(plan)) &&
           is_same_name_list(runs, "fastest_over",
                             sweep_plan_axes_reduced_to_fastest(plan));
}

GString *sweep_folder_info_text(const SweepFolder *folder, const SweepRun *run,
                                const char *sweep)
{
    g_autofree char *path = g_canonicalize_filename(sweep, NULL);
    const Progress *progress = &run->progress;
    const SweepInfo info = { .sweep = sweep,
                             .path = path,
                             .command = folder->argv,
                             .n_jobs = folder->n_jobs,
                             .n_points = sweep_plan_count_points(run->plan),
                             .n_done = progress->n_done,
                             .n_found = progress->n_found,
                             .n_failed = progress->n_failed,
                             .n_simulated = run->n_simulated,
                             .n_shared = run->n_shared,
                             .n_checked = run->n_checked,
                             .wall_s = progress_elapsed_s(progress),
                             .baselines = sweep_plan_baseline_names(run->plan),
                             .best = sweep_plan_best_names(run->plan),
                             .offload = sweep_plan_offload_names(run->plan),
                             .fastest_over = sweep_plan_axes_reduced_to_fastest(
                                 run->plan) };

    return info_json_text(&info);
}

static gboolean add_info_file(NewSweepFiles *files, const SweepFolder *folder,
                              const SweepRun *run, const char *sweep,
                              GError **error)
{
    g_autofree char *path = sweep_folder_path(folder, SWEEP_INFO);
    g_autoptr(GString) text = sweep_folder_info_text(folder, run, sweep);

    files->is_unchanged =
        files->is_unchanged && compared_names_are_unchanged(folder, run->plan);
    return output_group_add_file(files->group, path, text, error);
}

gboolean sweep_folder_write_missing_info(const SweepFolder *folder,
                                         const SweepRun *run, const char *sweep,
                                         GError **error)
{
    g_autofree char *path = sweep_folder_path(folder, SWEEP_INFO);
    g_autoptr(GString) text = NULL;

    if (g_file_test(path, G_FILE_TEST_EXISTS))
        return TRUE;
    text = sweep_folder_info_text(folder, run, sweep);
    return output_write_user_path(path, text, error);
}

static gboolean add_configuration_csv(NewSweepFiles *files,
                                      const SweepFolder *folder,
                                      const ResolvedValues *resolved,
                                      GError **error)
{
    g_autofree char *path = sweep_folder_path(folder, CONFIG_NAME);
    g_autoptr(GString) text = resolved_values_to_csv(resolved);

    return add_output_file(files, path, text, error);
}

static void remove_result_files(const SweepFolder *folder,
                                const char *const *names)
{
    for (guint i = 0; names[i]; i++) {
        g_autofree char *path = sweep_folder_path(folder, names[i]);

        unlink(path);
    }
}

/* Removes files of an earlier sweep that do not apply to this one, unless all
 * rows are equal. */
static void remove_stale_files(const SweepFolder *folder, const SweepRun *run,
                               gboolean is_unchanged)
{
    static const char *const always[] = { SWEEP_PARTIAL, NULL };
    static const char *const shown[] = { "compare.csv",  "report.html",
                                         "report.json",  "attribution.csv",
                                         "what_ifs.csv", NULL };

    remove_result_files(folder, always);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        g_autofree char *path = sweep_folder_csv(folder, file);

        if (!run->wanted[file] && unlink(path) == 0)
            is_unchanged = FALSE;
    }
    if (is_unchanged)
        return;
    remove_result_files(folder, shown);
    plot_remove_all_files(folder->path);
}

gboolean sweep_folder_write(const SweepFolder *folder, const SweepRun *run,
                            const ResolvedValues *resolved, const char *sweep,
                            GError **error)
{
    g_auto(NewSweepFiles) files = { output_group_new(), TRUE };

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (run->wanted[file] &&
            !add_rows_csv(&files, folder, run, file, error))
            return FALSE;
    if (!add_info_file(&files, folder, run, sweep, error) ||
        !add_configuration_csv(&files, folder, resolved, error))
        return FALSE;
    remove_stale_files(folder, run, files.is_unchanged);
    return output_group_commit(files.group, error) &&
           data_package_write(folder->path, error);
}

gboolean sweep_folder_check_inputs(const char *folder, const char *sweep,
                                   const NamedFiles *files, GError **error)
{
    const SweepFolder of = { .path = folder };
    char *paths[G_N_ELEMENTS(other_names) + ROWS_N_FILES];
    NamedOutput outputs[G_N_ELEMENTS(paths) + 1] = { 0 };
    guint n = 0;
    gboolean ok;

    for (guint i = 0; i < G_N_ELEMENTS(other_names); i++)
        paths[n++] = sweep_folder_path(&of, other_names[i]);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        paths[n++] = sweep_folder_csv(&of, file);
    for (guint i = 0; i < n; i++)
        outputs[i] = (NamedOutput){ "-o", paths[i] };
    ok = distinct_files_check_input(outputs, sweep, error) &&
         input_files_check(outputs, files, error);
    for (guint i = 0; i < n; i++)
        g_free(paths[i]);
    return ok;
}

gboolean sweep_folder_check_writable(const SweepFolder *folder,
                                     const SweepRun *run, GError **error)
{
    g_autofree char *info = sweep_folder_path(folder, SWEEP_INFO);
    g_autofree char *config = sweep_folder_path(folder, CONFIG_NAME);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        g_autofree char *path = sweep_folder_csv(folder, file);

        if (run->wanted[file] && !output_check_writable(path, error))
            return FALSE;
    }
    return output_check_writable(info, error) &&
           output_check_writable(config, error);
}

void sweep_folder_remove_leftovers(const SweepFolder *folder)
{
    for (guint i = 0; i < G_N_ELEMENTS(other_names); i++)
        output_remove_leftovers(folder->path, other_names[i]);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        g_autofree char *name =
            g_strdup_printf("%s.csv", rows_file_names[file]);

        output_remove_leftovers(folder->path, name);
    }
}

void sweep_folder_report_shared(const SweepRun *run)
{
    g_autofree char *checked = g_strdup_printf(
        ", %u of which were simulated too, to check", run->n_checked);

    if (run->n_shared > 0)
        fprintf(stderr, "%u points were simulated, %u share a run of these%s\n",
                run->n_simulated - run->n_checked, run->n_shared,
                run->n_checked > 0 ? checked : "");
}
