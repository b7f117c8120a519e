/*
 * input_files.h - collects the files that a command reads, so that its outputs
 * do not overwrite them
 *
 * A command collects its input files in one NamedFiles: operands, run files and
 * the files that they name, parts given by options, files of goals and
 * assumptions, traces and schedules.  Its outputs are checked against them
 * before anything is written.
 *
 * Errors   G_FILE_ERROR, which option conflicts.  A file that cannot be read
 *          adds nothing; the code that reads it reports the error
 */
#ifndef SIM_CLI_OUTPUTS_INPUT_FILES_H
#define SIM_CLI_OUTPUTS_INPUT_FILES_H

#include "sim/config/files/named_files.h"
#include "sim/host/distinct_output_files.h"

/* A key of a run, and the file or name that an option gives for it.  A list
 * ends with a .key of NULL; a .value of NULL is skipped. */
typedef struct {
    const char *key, *value;
} InputPart;

/* Adds the files of a run with @parts and @sets (may be NULL). */
void input_files_add_parts(NamedFiles *files, const InputPart *parts,
                           char *const *sets);

/* Adds the files of the run at @path with @sets (may be NULL), or of point
 * @point of the sweep at @path (from 1; 0: all points). */
void input_files_add_run(NamedFiles *files, const char *path, char *const *sets,
                         guint point);

/* Returns FALSE and sets @error if one of @outputs is in @files, or two of
 * @outputs are the same file. */
G_GNUC_WARN_UNUSED_RESULT
gboolean input_files_check(const NamedOutput *outputs, const NamedFiles *files,
                           GError **error);

/* Same as input_files_check(), for the files of @doc, which must have been
 * read. */
G_GNUC_WARN_UNUSED_RESULT
gboolean input_files_check_doc(const NamedOutput *outputs, const ConfigDoc *doc,
                               GError **error);

/* Same as input_files_check() for the files that input_files_add_run() adds. */
G_GNUC_WARN_UNUSED_RESULT
gboolean input_files_check_run(const NamedOutput *outputs, const char *path,
                               char *const *sets, guint point, GError **error);

#endif
