/*
 * named.h - which files configurations are read from, and name
 *
 * Those that a document was parsed from, and those that something in it is read
 * from later, a trace or a schedule: what stands under a key `file`.
 *
 * Owner    the caller owns the list; the names are its own
 */
#ifndef SIM_CONFIG_FILES_NAMED_H
#define SIM_CONFIG_FILES_NAMED_H

#include "sim/config/config.h"

typedef struct NamedFiles NamedFiles;

NamedFiles *named_files_new(void);
void named_files_free(NamedFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NamedFiles, named_files_free)

/* Those of @doc, once it has been read; of a library what others read, too.
 * Documents that are added have one library, or none. */
void named_files_add(NamedFiles *files, const ConfigDoc *doc);

/* A file that is read for itself. */
void named_files_add_path(NamedFiles *files, const char *path);

/* Those of @doc, and every text in it that names a file: of a document whose
 * values are put into others later. */
void named_files_add_values(NamedFiles *files, const ConfigDoc *doc);

/* As messages say them, in order of their names, and NULL.  Owner: the caller
 * frees the array alone. */
const char **named_files_list(const NamedFiles *files);

#endif
