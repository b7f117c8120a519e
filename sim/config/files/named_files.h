/*
 * named_files.h - lists the files that a configuration is read from
 *
 * The list contains the files that a document was parsed from and the files
 * that are read later, such as a trace or a schedule: the values of keys called
 * `file`.
 *
 * Owner    the caller owns the NamedFiles, which own the names
 */
#ifndef SIM_CONFIG_FILES_NAMED_FILES_H
#define SIM_CONFIG_FILES_NAMED_FILES_H

#include "sim/config/config.h"

typedef struct NamedFiles NamedFiles;

NamedFiles *named_files_new(void);
void named_files_free(NamedFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NamedFiles, named_files_free)

/* Adds the files of @doc, which must have been read, and of its library, which
 * may include files of other documents.  All documents that are added must have
 * the same library, or none. */
void named_files_add(NamedFiles *files, const ConfigDoc *doc);

/* Adds the file at @path to the list. */
void named_files_add_path(NamedFiles *files, const char *path);

/* Adds the files of @doc, and every value in it that is the name of an existing
 * file.  For a document whose values are copied to other documents later. */
void named_files_add_values(NamedFiles *files, const ConfigDoc *doc);

/* Returns the names as they appear in messages, sorted; ends with NULL. The
 * caller frees only the array. */
const char **named_files_list(const NamedFiles *files);

#endif
