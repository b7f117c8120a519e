/*
 * load.h - a run file, with what the command line puts in place of parts of it
 *
 * Errors   CONFIG_ERROR
 * Owner    the document owns what *@config points to
 */
#ifndef SIM_STUDY_LOAD_H
#define SIM_STUDY_LOAD_H

#include "models/run/system.h"

/* config_doc_load() of what the user named, - being standard input, any number
 * of times; where that is not there but was
 * installed, the message says where. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *load_file(const char *path, GError **error);

/* By the keys at the top; a file with mistakes may seem to be both or neither.
 */
gboolean load_is_run(ConfigDoc *doc);
gboolean load_is_sweep(ConfigDoc *doc);

/* @set is "KEY=VALUE"; the value is YAML. */
G_GNUC_WARN_UNUSED_RESULT
gboolean load_apply_set(ConfigDoc *doc, const char *set, GError **error);

/* The document of a run file with @sets (may be NULL) in it, not read yet. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *load_document(const char *path, char *const *sets, GError **error);

/* That, read into *@config.  NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *load_run(const char *path, char *const *sets, SystemConfig *config,
                    GError **error);

/* The same many times over: files are parsed once, into @library
 * (config_library_new()), which may be NULL. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *load_run_from(ConfigDoc *library, const char *path,
                         char *const *sets, SystemConfig *config,
                         GError **error);

/* A file of @path with @sets could not be built, *@error says why: adds which
 * of them it could be built without. */
void load_blame_sets(const char *path, char *const *sets, FoldMode fold,
                     GError **error);

#endif
