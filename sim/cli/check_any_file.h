/*
 * check_any_file.h - checks a file of any kind
 *
 * The system of a run file is built, all points of a sweep are checked, and the
 * graph of a workload is built.  So values that exclude each other are found as
 * well.  A workload is correct if it can be run with some setting of
 * `training`.
 *
 * Errors   CONFIG_ERROR, all problems at once
 */
#ifndef SIM_CLI_CHECK_ANY_FILE_H
#define SIM_CLI_CHECK_ANY_FILE_H

#include <glib.h>

/* Checks the file at @path after setting @sets ("KEY=VALUE"; may be NULL).
 * Sets *@ret_with to static text for the user: the setting that a run with this
 * file needs, or the number of weights of a language model; to NULL if there is
 * nothing to say.  Prints the notes of the file, and the
 * warnings of a run file that need no run. */
G_GNUC_WARN_UNUSED_RESULT
gboolean check_config_file(const char *path, char *const *sets,
                           const char **ret_with, GError **error);

#endif
