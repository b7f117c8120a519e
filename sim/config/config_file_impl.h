/* config_file_impl.h - loads files, and the files that they name */
#ifndef SIM_CONFIG_CONFIG_FILE_IMPL_H
#define SIM_CONFIG_CONFIG_FILE_IMPL_H

#include "sim/config/config_node_impl.h"

/* Returns the path of the file that the scalar @node names, relative to the
 * node's own file, as it appears in messages.  The caller owns the text. */
char *config_file_path(const ConfigNode *node);
/* Loads the file that the scalar @node under @key names, at most once per
 * document: a file at this path, or one that is installed with the program.
 * The root is NULL if the file could not be parsed.  Returns NULL and sets
 * @error to "'NAME' cannot be read: REASON" if there is no such file. */
G_GNUC_WARN_UNUSED_RESULT
ConfigSource *config_include_file(ConfigDoc *doc, const ConfigNode *node,
                                  const char *key, GError **error);
/* Same as config_include_file(), but returns NULL if the file has not been
 * loaded yet. */
ConfigSource *config_find_included(ConfigDoc *doc, const ConfigNode *node,
                                   const char *key);
/* Returns the node of @file that is meant by its name under @key.  This is the
 * root, or a part of it if the file describes something larger.  The node may
 * again be the name of a file.  @file must have been parsed. */
const ConfigNode *config_file_section(const ConfigSource *file,
                                      const char *key);
/* Loads the file @name; later calls of config_include_file() for this name
 * return it.  Returns NULL and sets @error to "cannot be read: REASON" if there
 * is none. */
ConfigSource *config_source_load(ConfigDoc *doc, const char *name,
                                 GError **error);
void config_source_mark_as_file(ConfigDoc *doc, ConfigSource *source);

#endif
