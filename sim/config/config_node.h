/*
 * config_node.h - walks the nodes of a configuration, for keys that no table
 * can list, such as the axes of a sweep (CONFIG_RAW)
 *
 * Owner    nodes are borrowed from their document
 */
#ifndef SIM_CONFIG_CONFIG_NODE_H
#define SIM_CONFIG_CONFIG_NODE_H

#include "sim/config/config_field.h"

typedef enum {
    CONFIG_NODE_SCALAR,
    CONFIG_NODE_LIST,
    CONFIG_NODE_MAP,
} ConfigNodeKind;

ConfigNodeKind config_node_kind(const ConfigNode *node);
/* Returns the number of items of a list or map; 0 for a scalar. */
guint config_node_count(const ConfigNode *node);
const ConfigNode *config_node_key(const ConfigNode *map, guint i);
const ConfigNode *config_node_value(const ConfigNode *node, guint i);
/* Return the value of @key of a map, and its text.  Return NULL if @map is
 * NULL, is not a map, or has no such key; config_map_text() also if the value
 * is not a scalar. */
const ConfigNode *config_map_value(const ConfigNode *map, const char *key);
const char *config_map_text(const ConfigNode *map, const char *key);
/* Returns the text of a scalar; NULL if @node is not a scalar. */
const char *config_node_text(const ConfigNode *node);
/* Returns the name of the node's file as it appears in messages. */
const char *config_node_file(const ConfigNode *node);
guint config_node_line(const ConfigNode *node); /* counted from 1 */
/* Returns whether @node is a value inside a file or document, not all of it. */
gboolean config_node_is_nested(const ConfigNode *node);
/* Returns "file:line:column".  The caller owns the text. */
char *config_node_position_text(const ConfigNode *node);

#endif
