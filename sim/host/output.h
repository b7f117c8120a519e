/*
 * output.h - results into files
 *
 * A regular file appears whole or not at all: it is written under another
 * name, synced and renamed.  In a folder of results, which may be somebody
 * else's, whatever stands under our name is replaced and never followed or
 * opened.
 *
 * Errors   G_FILE_ERROR, "FILE: cannot be written: REASON"
 */
#ifndef SIM_HOST_OUTPUT_H
#define SIM_HOST_OUTPUT_H

#include <glib.h>

/* TRUE for "-", standard output. */
gboolean output_is_stdout(const char *path);

/* To what the user named: "-", a device or a pipe too. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_write(const char *path, const GString *text, GError **error);

/* To a file in a folder of results, which may be somebody else's: puts a
 * regular file there and never writes through what is there, as a link. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_replace(const char *path, const GString *text, GError **error);

/* Whether output_replace() could write to @path now; leaves nothing behind. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_probe(const char *path, GError **error);

/* TRUE when @path is a regular file, no link, and has these bytes. */
gboolean output_is_there(const char *path, const GString *text);

/* The folder and those above it. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_make_folder(const char *path, GError **error);

/* The folder alone; a link in its place is an error.  @is_shared: other
 * processes use it, too, so that it stays when a signal ends this one. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_make_subfolder(const char *path, gboolean is_shared,
                               GError **error);

/* Removes what processes that are no more left of writing @name. */
void output_remove_leftovers(const char *folder, const char *name);

/* ---- several that change together ------------------------------------- */

/* Files that are all written before the first takes its place. */
typedef struct OutputGroup OutputGroup;

OutputGroup *output_group_new(void);

/* As output_replace(), but for the last step. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_group_add(OutputGroup *group, const char *path,
                          const GString *text, GError **error);

/* The same in steps, for what is written piece by piece: a descriptor of the
 * new file, -1 on error; @code is 0 or the errno of what went wrong. */
G_GNUC_WARN_UNUSED_RESULT
int output_group_begin(OutputGroup *group, const char *path, GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean output_group_end(const char *path, int fd, int code, GError **error);

/* The last step for all of them. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_group_commit(OutputGroup *group, GError **error);

/* Files that were not committed are gone, and what was in their places is as
 * it was. */
void output_group_free(OutputGroup *group);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OutputGroup, output_group_free)

/* ---- what a signal must not leave behind ------------------------------ */

/* Files and folders that are gone when a signal ends us, until forgotten.
 * What output.h opens by itself is among them. */
void output_note_temporary(const char *path);
void output_forget_temporary(const char *path);

/* A folder that this process made, for as long as it runs: it is gone likewise
 * when nothing is in it. */
void output_note_folder(const char *path);

/* Removes them; a signal handler may call it. */
void output_discard_temporaries(void);

/* ---- the steps, for files that stay open ------------------------------ */

/* Opens a new file that is to become @path.  Gives a descriptor, or -1 and
 * errno.  Owner: the caller owns *@temporary. */
int output_begin(const char *path, char **temporary);

/* Makes it @path, or with a @code other than 0 removes it.  Gives 0 or an
 * errno; @fd stays open. */
int output_end(int fd, int code, const char *temporary, const char *path);

/* A name in it then outlives a machine that stops, where that is possible. */
void output_sync_folder_of(const char *path);

/* Gives 0 or an errno. */
int output_write_all(int fd, const char *text, gsize n_bytes);

/* Sets @error to the message for @code and gives FALSE. */
gboolean output_fail(const char *path, int code, GError **error);

#endif
