/* config_parse_impl.h - parses a YAML or JSON text into a tree of nodes */
#ifndef SIM_CONFIG_CONFIG_PARSE_IMPL_H
#define SIM_CONFIG_CONFIG_PARSE_IMPL_H

#include "sim/config/config_node_impl.h"

/* Sets the root of @source, or leaves it NULL and adds problems.  With
 * @empty_ok an empty text becomes an empty scalar. */
void config_source_parse(ConfigDoc *doc, ConfigSource *source, const char *text,
                         gsize n_bytes, gboolean empty_ok);
/* Parses a JSON text, RFC 8259, as config_source_parse() does a YAML text. */
void config_source_parse_json(ConfigDoc *doc, ConfigSource *source,
                              const char *text, gsize n_bytes);
/* Parses the text of a file, which @source takes over: as JSON if its name ends
 * in .json, or if it is a config.json of Hugging Face by its keys, which is
 * then translated. */
void config_source_parse_file(ConfigDoc *doc, ConfigSource *source, char *text,
                              gsize n_bytes);

#endif
