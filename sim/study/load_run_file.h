/*
 * load_run_file.h - loads a run file and applies the settings of the command
 * line
 *
 * Errors   CONFIG_ERROR
 * Owner    the document owns the contents of *@config
 */
#ifndef SIM_STUDY_LOAD_RUN_FILE_H
#define SIM_STUDY_LOAD_RUN_FILE_H

#include "models/run/system.h"

/* Loads a file named by the user, as config_doc_load() does; - is standard
 * input, which can be loaded repeatedly.  If the file is missing but was
 * installed with the program, the message says where. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *load_run_or_sweep_file(const char *path, GError **error);

/* Return whether the document looks like a run or a sweep, by its top-level
 * keys.  A wrong file may look like both or neither. */
gboolean config_describes_run(ConfigDoc *doc);
gboolean config_describes_sweep(ConfigDoc *doc);

/* Applies @set, "KEY=VALUE", whose value is YAML. */
G_GNUC_WARN_UNUSED_RESULT
gboolean load_apply_setting(ConfigDoc *doc, const char *set, GError **error);

/* Returns the document of a run file with @sets (may be NULL) applied, not read
 * yet. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *load_config_document(const char *path, char *const *sets,
                                GError **error);

/* Loads the document and reads it into *@config.  Returns NULL and sets @error
 * on failure. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *load_run(const char *path, char *const *sets, SystemConfig *config,
                    GError **error);

/* Same as load_run(), for repeated use: each file is parsed once and stored in
 * @library (config_library_new()), which may be NULL. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *load_run_cached(ConfigDoc *library, const char *path,
                           char *const *sets, SystemConfig *config,
                           GError **error);

/* To be called when the file at @path with @sets could not be built, with the
 * reason in *@error.  Appends to the message those settings without which it
 * could be built. */
void load_name_faulty_sets(const char *path, char *const *sets,
                           RunOptions run_options, GError **error);

#endif
