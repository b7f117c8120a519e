/* config_parse_impl.h - parses a YAML text into a tree of nodes */
#ifndef SIM_CONFIG_CONFIG_PARSE_IMPL_H
#define SIM_CONFIG_CONFIG_PARSE_IMPL_H

#include "sim/config/config_node_impl.h"

/* Sets the root of @source, or leaves it NULL and adds problems.  With
 * @empty_ok an empty text becomes an empty scalar. */
void config_source_parse(ConfigDoc *doc, ConfigSource *source, const char *text,
                         gsize n_bytes, gboolean empty_ok);

#endif
