/* config_file_impl.h - files, and files that name files */
#ifndef SIM_CONFIG_CONFIG_FILE_IMPL_H
#define SIM_CONFIG_CONFIG_FILE_IMPL_H

#include "sim/config/config_node_impl.h"

/* The file that the scalar @node names, from the folder of its own, as messages
 * say it: relative as long as all names are.  Owner: the caller. */
char *config_beside(const ConfigNode *node);
/* The file that the scalar @node names, which stands under @key, read at most
 * once per document: one of that name, or one that comes with the program.  Its
 * root is NULL when it could not be parsed.  NULL and "'NAME' cannot be read:
 * REASON" when there is no such file. */
G_GNUC_WARN_UNUSED_RESULT
ConfigSource *config_include(ConfigDoc *doc, const ConfigNode *node,
                             const char *key, GError **error);
/* The same when it was read before, else NULL. */
ConfigSource *config_included(ConfigDoc *doc, const ConfigNode *node,
                              const char *key);
/* What is meant by the name of @file under @key, if it could be parsed: its
 * root, or where that is something larger a part of it, which may be the name
 * of a file again. */
const ConfigNode *config_meant(const ConfigSource *file, const char *key);
/* The file called @name, which becomes the answer to config_include() of that
 * name.  NULL and "cannot be read: REASON" when there is none. */
ConfigSource *config_source_load(ConfigDoc *doc, const char *name,
                                 GError **error);
void config_source_is_file(ConfigDoc *doc, ConfigSource *source);

#endif
