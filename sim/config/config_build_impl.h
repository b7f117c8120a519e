/*
 * config_build_impl.h - a tree of nodes out of YAML events
 *
 * An alias is the node of its anchor, so the tree is a graph without cycles.
 * The limits count what a walk would meet, each alias in full: a walker needs
 * no limits of its own.
 */
#ifndef SIM_CONFIG_CONFIG_BUILD_IMPL_H
#define SIM_CONFIG_CONFIG_BUILD_IMPL_H

#include <yaml.h>

#include "sim/config/config_node_impl.h"

typedef struct {
    ConfigDoc *doc;       /* borrowed */
    ConfigSource *source; /* borrowed */
    GArray *levels;       /* owned: lists and maps that are open */
    GHashTable *anchors;  /* owned: owned name -> borrowed node */
    guint n_nodes;        /* aliases counted in full, */
    guint max_nodes;      /* and how many there may be */
    guint n_documents;
} ConfigBuilder;

void config_builder_init(ConfigBuilder *b, ConfigDoc *doc,
                         ConfigSource *source);
void config_builder_clear(ConfigBuilder *b);
/* FALSE: the event fits nowhere, and is among the problems. */
gboolean config_builder_add(ConfigBuilder *b, const yaml_event_t *event);
/* FALSE: there is nothing, and it is no problem only with @empty_ok, which
 * makes it an empty scalar. */
gboolean config_builder_end(ConfigBuilder *b, gboolean empty_ok);
/* Adds a problem; always FALSE. */
gboolean config_builder_fail(ConfigBuilder *b, yaml_mark_t mark,
                             const char *format, ...) G_GNUC_PRINTF(3, 4);
/* libyaml counts lines and columns from 0; people and editors from 1. */
guint config_builder_from_1(size_t n);

#endif
