/*
 * config_node.h - walking a configuration, for those who read keys that no
 * table can list, such as the axes of a sweep (CONFIG_RAW)
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
guint config_node_n(const ConfigNode *node); /* of a list or map, else 0 */
const ConfigNode *config_node_key(const ConfigNode *map, guint i);
const ConfigNode *config_node_value(const ConfigNode *node, guint i);
const char *config_node_text(const ConfigNode *node); /* NULL: no scalar */
const char *config_node_file(const ConfigNode *node); /* as messages say it */
guint config_node_line(const ConfigNode *node);       /* counted from 1 */
/* "file:line:column".  Owner: the caller. */
char *config_node_place(const ConfigNode *node);

#endif
