/*
 * output.h - results into files
 *
 * A regular file appears whole or not at all: it is written under another
 * name, synced and renamed.
 *
 * Errors   G_FILE_ERROR, "FILE: cannot be written: REASON"
 */
#ifndef SIM_CLI_OUTPUT_H
#define SIM_CLI_OUTPUT_H

#include <glib.h>

/* TRUE for "-", standard output. */
gboolean output_is_stdout(const char *path);

G_GNUC_WARN_UNUSED_RESULT
gboolean output_write(const char *path, const GString *text, GError **error);

/* Puts a regular file at @path and never writes through what is there, as a
 * link in a folder of somebody else's. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_replace(const char *path, const GString *text, GError **error);

/* Whether output_write() could write to @path now; leaves nothing behind. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_probe(const char *path, GError **error);

/* The folder and those above it. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_make_folder(const char *path, GError **error);

/* The folder alone; a link in its place is an error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_make_subfolder(const char *path, GError **error);

#endif
