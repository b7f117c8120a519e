/*
 * value_origin.h - the file, line and cited source that a configuration value
 * comes from
 *
 * Owner    the caller owns the texts
 */
#ifndef SIM_SWEEP_VALUE_ORIGIN_H
#define SIM_SWEEP_VALUE_ORIGIN_H

#include "sim/config/config_node.h"

/* Returns @path with "a/../b" reduced to "b". */
char *simplify_config_file_path(const char *path);

/* Returns "FILE:LINE" or "--set", or "default" if @node is NULL. */
char *config_value_position_text(const ConfigNode *node);

/* Returns the source that the file or the field's table cites for the value
 * @text of @field (see resolved_values.h), or NULL if no source applies. @files
 * caches the texts of files by name, both owned; a file that cannot be read is
 * cached as "". */
char *config_value_cited_source(GHashTable *files, const ConfigField *field,
                                const ConfigNode *node, const char *text);

#endif
