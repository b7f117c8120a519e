/*
 * config_tree_builder_impl.h - builds a tree of nodes from YAML events
 *
 * An alias is the same node as its anchor, so the tree is a directed acyclic
 * graph.  The limits count the nodes that a walk would visit, with every alias
 * counted in full, so a walk needs no limits.
 */
#ifndef SIM_CONFIG_CONFIG_TREE_BUILDER_IMPL_H
#define SIM_CONFIG_CONFIG_TREE_BUILDER_IMPL_H

#include <yaml.h>

#include "sim/config/config_flow_map_impl.h"

typedef struct {
    ConfigDoc *doc;       /* borrowed */
    ConfigSource *source; /* borrowed */
    GArray *levels;       /* owned: the lists and maps that are open */
    GHashTable *anchors;  /* owned: owned name -> borrowed node */
    guint n_nodes;   /* the number of nodes, with aliases counted in full */
    guint max_nodes; /* A file with more nodes than this is refused. */
    guint n_documents;
} ConfigBuilder;

void config_builder_init(ConfigBuilder *builder, ConfigDoc *doc,
                         ConfigSource *source);
void config_builder_clear(ConfigBuilder *builder);
/* Adds an event.  Returns FALSE and adds a problem if the event is not
 * allowed. */
gboolean config_builder_add(ConfigBuilder *builder, const yaml_event_t *event);
/* Adds the maps of @run, which begins at @mark, to the list that is open.
 * Returns FALSE if no list is open, or a limit is exceeded. */
gboolean config_builder_add_flow_run(ConfigBuilder *builder,
                                     const ConfigFlowRun *run,
                                     yaml_mark_t mark);
/* Ends the tree.  Returns FALSE if the text was empty.  With @empty_ok, an
 * empty text is an empty scalar instead. */
gboolean config_builder_finish(ConfigBuilder *builder, gboolean empty_ok);
/* Returns the position of the byte at @offset; the text before it must be
 * UTF-8. */
yaml_mark_t config_builder_byte_position(const char *text, gsize offset);
/* Returns FALSE and adds a problem if @text has NUL or is not UTF-8. */
gboolean config_builder_check_utf8(ConfigBuilder *builder, const char *text,
                                   gsize n_bytes);
/* Adds a problem and returns FALSE. */
gboolean config_builder_add_problem(ConfigBuilder *builder, yaml_mark_t mark,
                                    const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/* Converts a line or column number of libyaml, which counts from 0, to one that
 * counts from 1. */
guint config_builder_number_from_one(size_t n);

#endif
