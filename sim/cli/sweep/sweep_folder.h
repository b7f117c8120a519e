/*
 * sweep_folder.h - the files that a sweep writes in its results folder
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_CLI_SWEEP_SWEEP_FOLDER_H
#define SIM_CLI_SWEEP_SWEEP_FOLDER_H

#include "sim/config/files/named_files.h"
#include "sim/sweep/resolved_values.h"
#include "sim/sweep/sweep_run.h"

#define SWEEP_INFO    "info.json"
#define SWEEP_JOURNAL "runs.journal"
#define SWEEP_PARTIAL "runs.partial.csv"

typedef struct {
    const char *path; /* borrowed */
    char **argv;      /* borrowed: the command line, for info.json */
    guint n_jobs;     /* for info.json */
} SweepFolder;

/* Returns results/NAME for .../NAME.yaml. */
char *sweep_folder_default_path(const char *sweep);

char *sweep_folder_path(const SweepFolder *folder, const char *name);
char *sweep_folder_csv(const SweepFolder *folder, RowsFile file);

/* Returns FALSE and sets @error if a file that a sweep writes in @folder would
 * overwrite @sweep or one of @files. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_check_inputs(const char *folder, const char *sweep,
                                   const NamedFiles *files, GError **error);

/* Returns whether the results can be written.  Called before the first point,
 * so that hours of work are not lost. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_check_writable(const SweepFolder *folder,
                                     const SweepRun *run, GError **error);

/* Returns the contents of info.json for @run, of the file @sweep. */
GString *sweep_folder_info_text(const SweepFolder *folder, const SweepRun *run,
                                const char *sweep);

/* Writes info.json, which names @sweep, if the folder has none. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_write_missing_info(const SweepFolder *folder,
                                         const SweepRun *run, const char *sweep,
                                         GError **error);

/* Removes temporary files of a sweep that was killed.  The caller must have
 * locked the folder's journal, so that no other process writes there. */
void sweep_folder_remove_leftovers(const SweepFolder *folder);

/* Writes the rows of the completed points to SWEEP_PARTIAL. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_write_partial(const SweepFolder *folder,
                                    const SweepRun *run, GError **error);

/* Writes all requested files.  Old files are replaced after all new ones are
 * written. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_write(const SweepFolder *folder, const SweepRun *run,
                            const ResolvedValues *resolved, const char *sweep,
                            GError **error);

/* Prints to standard error how many points were simulated and how many share a
 * run, if any do. */
void sweep_folder_report_shared(const SweepRun *run);

#endif
