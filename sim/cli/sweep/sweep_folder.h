/*
 * sweep_folder.h - the files that a sweep leaves in its folder
 *
 * Owner    texts are the caller's
 */
#ifndef SIM_CLI_SWEEP_SWEEP_FOLDER_H
#define SIM_CLI_SWEEP_SWEEP_FOLDER_H

#include "sim/config/files/named.h"
#include "sim/sweep/resolved.h"
#include "sim/sweep/sweep_run.h"

#define SWEEP_INFO    "info.json"
#define SWEEP_JOURNAL "runs.journal"
#define SWEEP_PARTIAL "runs.partial.csv"

typedef struct {
    const char *path; /* borrowed */
    char **argv;      /* borrowed: the command, as info.json has it */
    guint n_jobs;     /* likewise */
} SweepFolder;

/* results/NAME for .../NAME.yaml */
char *sweep_folder_default(const char *sweep);

char *sweep_folder_path(const SweepFolder *folder, const char *name);
char *sweep_folder_csv(const SweepFolder *folder, RowsFile file);

/* FALSE: what a sweep writes into @folder would be over @sweep or one of
 * @files. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_spares(const char *folder, const char *sweep,
                             const NamedFiles *files, GError **error);

/* Before the first point: hours of work must not end in nothing. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_probe(const SweepFolder *folder, const SweepRun *run,
                            GError **error);

/* What info.json says of @run, of the file @sweep. */
GString *sweep_folder_info(const SweepFolder *folder, const SweepRun *run,
                           const char *sweep);

/* Says in a folder that has no results yet whose it is, from @sweep on. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_sign(const SweepFolder *folder, const SweepRun *run,
                           const char *sweep, GError **error);

/* Of a sweep that was killed.  The caller has the folder's journal, so nobody
 * else is writing there. */
void sweep_folder_remove_leftovers(const SweepFolder *folder);

/* The rows of what is done, under SWEEP_PARTIAL. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_write_partial(const SweepFolder *folder,
                                    const SweepRun *run, GError **error);

/* All that was asked for.  What was there before goes when all that is new has
 * been written. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_folder_write(const SweepFolder *folder, const SweepRun *run,
                            const Resolved *resolved, const char *sweep,
                            GError **error);

/* Says to standard error how many points were simulated and how many were not,
 * since they share a run; nothing where none does. */
void sweep_folder_say_shared(const SweepRun *run);

#endif
