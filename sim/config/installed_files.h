/*
 * installed_files.h - files that are installed with the program, and their
 * short names
 *
 * `platform: dgx-1v` is the file configs/platforms/dgx-1v.yaml of the program.
 * It is searched in the source tree in which the program was built, in the tree
 * in which it is installed, and in PREFIX, in this order.  Any other file name
 * is a path of the user.
 *
 * Owner    the caller owns texts; folders and keys are static
 */
#ifndef SIM_CONFIG_INSTALLED_FILES_H
#define SIM_CONFIG_INSTALLED_FILES_H

#include <glib.h>

/* Returns PREFIX/share/acesim of the build, which contains configs/ and
 * schema/. */
const char *installed_folder(void);

/* If *@error says that the relative @path does not exist, and @folder contains
 * such a file, adds a hint to the error. */
void installed_add_hint_to_error(const char *folder, const char *path,
                                 GError **error);

/* Returns the path of the installed file @name for the value of @key
 * ("platform"), relative to the current folder if it is below it.  Returns NULL
 * if there is none, or the value of @key is not a file. */
G_GNUC_WARN_UNUSED_RESULT
char *installed_find_file(const char *key, const char *name);

/* Returns the short names that continue @name with a hyphen, such as
 * "h100-pcie' or 'h100-sxm" for h100, else the one that is most similar, or
 * NULL. */
G_GNUC_WARN_UNUSED_RESULT
char *installed_find_nearest_name(const char *key, const char *name);

/* Returns the key of the part of a file that a value of @key means, if the file
 * has that key: for a topology, the topology of a platform file.  Returns NULL
 * if the whole file is meant. */
const char *installed_section_key(const char *key);

/* Returns the sorted names of all installed files for @key (ends with NULL) and
 * sets *@ret_folder to their folder.  Either is NULL if there is none. */
G_GNUC_WARN_UNUSED_RESULT
char **installed_list_names(const char *key, char **ret_folder);

#endif
