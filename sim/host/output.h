/*
 * output.h - writes results to files
 *
 * A regular file appears complete or not at all: it is written under a
 * temporary name, synced and renamed.  A folder of results may belong to
 * another user.  There, an existing entry of the same name is replaced, and
 * never followed or opened.
 *
 * Errors   G_FILE_ERROR, "FILE: cannot be written: REASON"
 */
#ifndef SIM_HOST_OUTPUT_H
#define SIM_HOST_OUTPUT_H

#include <glib.h>

/* Returns TRUE for "-", standard output. */
gboolean output_is_stdout_name(const char *path);

/* Writes to a path that the user named: "-", a device and a pipe are
 * allowed. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_write_user_path(const char *path, const GString *text,
                                GError **error);

/* Writes a regular file in a folder of results, which may belong to another
 * user.  Replaces an existing entry, such as a link, and never writes through
 * it. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_replace_file(const char *path, const GString *text,
                             GError **error);

/* Returns whether output_replace_file() could write to @path now.  Leaves no
 * file behind. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_check_writable(const char *path, GError **error);

/* Returns whether @path is a regular file, not a link, with exactly the
 * contents @text. */
gboolean output_has_contents(const char *path, const GString *text);

/* Creates the folder @path and its parents. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_make_folder(const char *path, GError **error);

/* Creates the folder @path but not its parents; a link in its place is an
 * error.  If @is_shared, other processes use it as well, so it is not removed
 * when a signal ends this process. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_make_subfolder(const char *path, gboolean is_shared,
                               GError **error);

/* Removes temporary files for @name that processes left behind which have
 * ended. */
void output_remove_leftovers(const char *folder, const char *name);

/* ---- groups of files that change together -------------------------------- */

/* A group of files, all of which are written before the first is renamed. */
typedef struct OutputGroup OutputGroup;

OutputGroup *output_group_new(void);

/* Same as output_replace_file(), without the renaming. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_group_add_file(OutputGroup *group, const char *path,
                               const GString *text, GError **error);

/* Writes a member in two steps, for a file that is written piece by piece.
 * output_group_begin_file() returns a descriptor of the new file, or -1 on
 * error. The @code of output_group_end_file() is 0 or the errno of a failed
 * write. */
G_GNUC_WARN_UNUSED_RESULT
int output_group_begin_file(OutputGroup *group, const char *path,
                            GError **error);
G_GNUC_WARN_UNUSED_RESULT
gboolean output_group_end_file(const char *path, int fd, int code,
                               GError **error);

/* Renames all files of the group. */
G_GNUC_WARN_UNUSED_RESULT
gboolean output_group_commit(OutputGroup *group, GError **error);

/* Removes the files that were not committed; the files that they would have
 * replaced are unchanged. */
void output_group_free(OutputGroup *group);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OutputGroup, output_group_free)

/* ---- temporary files and folders, which a signal removes ----------------- */

/* Adds a file or folder to the list of temporary ones, or removes it from the
 * list.  The functions of output.h do so for the files that they open. */
void output_register_temporary(const char *path);
void output_unregister_temporary(const char *path);

/* Adds a folder that this process created.  If a signal ends the process, the
 * folder is removed if it is empty. */
void output_register_folder(const char *path);

/* Removes all listed files and folders.  Safe in a signal handler. */
void output_discard_temporaries(void);

/* ---- single steps of writing a file that stays open ---------------------- */

/* Opens a new temporary file that is to become @path.  Returns a descriptor, or
 * -1 with errno.  The caller owns *@temporary. */
int output_open_temporary(const char *path, char **temporary);

/* Renames @temporary to @path, or removes it if @code is not 0.  Returns 0 or
 * an errno.  @fd stays open. */
int output_rename_temporary(int fd, int code, const char *temporary,
                            const char *path);

/* Syncs the folder of @path, so that a new name in it survives a crash of the
 * machine, if the file system supports it. */
void output_sync_folder_of(const char *path);

/* Writes @n_bytes completely.  Returns 0 or an errno. */
int output_write_bytes(int fd, const char *text, gsize n_bytes);

/* Sets @error to the message for the errno @code and returns FALSE. */
gboolean output_set_write_error(const char *path, int code, GError **error);

#endif
