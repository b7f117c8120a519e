/*
 * spare.h - collects the files that a command reads, so that its outputs do not
 * overwrite them
 *
 * A command collects its input files in one NamedFiles: operands, run files and
 * the files that they name, parts given by options, files of goals and
 * assumptions, traces and schedules.  Its outputs are checked against them
 * before anything is written.
 *
 * Errors   G_FILE_ERROR, which option conflicts.  A file that cannot be read
 *          adds nothing; the code that reads it reports the error
 */
#ifndef SIM_CLI_OUTPUTS_SPARE_H
#define SIM_CLI_OUTPUTS_SPARE_H

#include "sim/config/files/named.h"
#include "sim/host/apart.h"

/* A key of a run, and the file or name that an option gives for it.  A list
 * ends with a .key of NULL; a .value of NULL is skipped. */
typedef struct {
    const char *key, *value;
} SparePart;

/* Adds the files of a run with @parts and @sets (may be NULL). */
void spare_add_parts(NamedFiles *files, const SparePart *parts,
                     char *const *sets);

/* Adds the files of the run at @path with @sets (may be NULL), or of point
 * @point of the sweep at @path (from 1; 0: all points). */
void spare_add_run(NamedFiles *files, const char *path, char *const *sets,
                   guint point);

/* Returns FALSE and sets @error if one of @outputs is in @files, or two of
 * @outputs are the same file. */
G_GNUC_WARN_UNUSED_RESULT
gboolean spare_files(const ApartOutput *outputs, const NamedFiles *files,
                     GError **error);

/* Same as spare_files(), for the files of @doc, which must have been read. */
G_GNUC_WARN_UNUSED_RESULT
gboolean spare_doc(const ApartOutput *outputs, const ConfigDoc *doc,
                   GError **error);

/* Same as spare_files(), for the files that spare_add_run() adds. */
G_GNUC_WARN_UNUSED_RESULT
gboolean spare_run(const ApartOutput *outputs, const char *path,
                   char *const *sets, guint point, GError **error);

#endif
