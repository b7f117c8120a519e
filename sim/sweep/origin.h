/*
 * origin.h - where a value of a configuration is from: file, line, source
 *
 * Owner    texts are the caller's
 */
#ifndef SIM_SWEEP_ORIGIN_H
#define SIM_SWEEP_ORIGIN_H

#include "sim/config/config_node.h"

/* "a/../b" as "b". */
char *origin_simple_path(const char *path);

/* "FILE:LINE", "--set", "default" where @node is NULL. */
char *origin_place(const ConfigNode *node);

/* What the file or table says of where the value @text of @field is from: see
 * resolved.h.  NULL where nothing is to be said.  @files has the texts of files
 * by their names, both owned; those that are missing are added, "" when they
 * cannot be read. */
char *origin_source(GHashTable *files, const ConfigField *field,
                    const ConfigNode *node, const char *text);

#endif
