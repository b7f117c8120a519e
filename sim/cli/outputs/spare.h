/*
 * spare.h - the files that a command reads, none of which it may write over
 *
 * A command collects all that it reads in one NamedFiles: operands, run files
 * with what they name, parts that options name, files of goals and assumptions,
 * traces and schedules.  Its outputs are checked against them before anything
 * is written.
 *
 * Errors   G_FILE_ERROR, what to name otherwise; a file that cannot be read
 *          adds nothing, and whatever reads it says why
 */
#ifndef SIM_CLI_OUTPUTS_SPARE_H
#define SIM_CLI_OUTPUTS_SPARE_H

#include "sim/config/files/named.h"
#include "sim/host/apart.h"

/* A key of a run with the file, or the name, that an option gives for it; a
 * list of them ends with .key NULL, and .value NULL is none. */
typedef struct {
    const char *key, *value;
} SparePart;

/* Adds what a run with @parts and @sets (may be NULL) is read from. */
void spare_add_parts(NamedFiles *files, const SparePart *parts,
                     char *const *sets);

/* Adds what the run at @path with @sets (may be NULL), or the @point of the
 * sweep (from 1 on; 0: all), is read from. */
void spare_add_run(NamedFiles *files, const char *path, char *const *sets,
                   guint point);

/* FALSE: one of @outputs is one of @files, or two of @outputs are one. */
G_GNUC_WARN_UNUSED_RESULT
gboolean spare_files(const ApartOutput *outputs, const NamedFiles *files,
                     GError **error);

/* Of what @doc, which has been read, is read from. */
G_GNUC_WARN_UNUSED_RESULT
gboolean spare_doc(const ApartOutput *outputs, const ConfigDoc *doc,
                   GError **error);

/* Of what spare_add_run() adds. */
G_GNUC_WARN_UNUSED_RESULT
gboolean spare_run(const ApartOutput *outputs, const char *path,
                   char *const *sets, guint point, GError **error);

#endif
