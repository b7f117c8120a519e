/*
 * installed.h - files that come with the program, and names for them
 *
 * `platform: dgx-1v` is configs/platforms/dgx-1v.yaml of the program's own
 * files: those of the source tree that it was built in, those of where it was
 * installed, or those of PREFIX, whichever is there first.  Any other name of a
 * file is that of a file where the user says.
 *
 * Owner    the caller owns texts; folders and keys are static
 */
#ifndef SIM_CONFIG_INSTALLED_H
#define SIM_CONFIG_INSTALLED_H

#include <glib.h>

/* PREFIX/share/acesim of the build, which has configs/ and schema/. */
const char *installed_folder(void);

/* If *@error says that there is no file at the relative @path and @folder has
 * one of that name, says so, too. */
void installed_hint(const char *folder, const char *path, GError **error);

/* TRUE for what may be such a name: no path, and no name of a YAML file. */
gboolean installed_is_name(const char *text);

/* The file called @name of those that stand under @key ("platform"), relative
 * to where we are, if it is below that; NULL: none, or @key names no files. */
G_GNUC_WARN_UNUSED_RESULT
char *installed_find(const char *key, const char *name);

/* The name of a file under @key that may have been meant by @name, or NULL. */
G_GNUC_WARN_UNUSED_RESULT
char *installed_nearest(const char *key, const char *name);

/* The key of what is meant in the file that stands under @key, if that has it:
 * where a topology is wanted, a platform's.  NULL: all of the file. */
const char *installed_part(const char *key);

/* The folder of files that stand under @key, and the names of all of them, in
 * order; the array ends with NULL.  Either is NULL where there are none. */
G_GNUC_WARN_UNUSED_RESULT
char **installed_names(const char *key, char **ret_folder);

#endif
