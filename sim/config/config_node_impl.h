/*
 * config_node_impl.h - what the config*.c files know of nodes and documents
 *
 * A tree never changes once it is read: an override builds new nodes along its
 * path and shares the rest, so anchors and files may be seen from many places.
 */
#ifndef SIM_CONFIG_CONFIG_NODE_IMPL_H
#define SIM_CONFIG_CONFIG_NODE_IMPL_H

#include "sim/config/config_node.h"
#include "sim/config/config_problem_impl.h"

/* A text with positions: a file, an override, a default. */
struct ConfigSource {
    char *name;             /* owned: what messages call it */
    const ConfigNode *root; /* borrowed; NULL when it could not be parsed */
    GPtrArray *problems;    /* owned: what is wrong with the text itself */
};

struct ConfigNode {
    ConfigNodeKind kind;
    gboolean quoted;            /* a scalar in quotes or in block style */
    gboolean open;              /* its end has not been read yet */
    guint line, column;         /* counted from 1, in characters */
    guint n_nodes;              /* the parser's: it and all below */
    guint height;               /* the parser's: levels below, it included */
    char *text;                 /* owned: of a scalar, else NULL */
    GPtrArray *keys;            /* owned array: of a map, else NULL */
    GPtrArray *values;          /* owned array: NULL for a scalar */
    const ConfigSource *source; /* borrowed */
};

struct ConfigDoc {
    const ConfigNode *root;
    GPtrArray *nodes;   /* owned ConfigNode, all that were ever made */
    GPtrArray *made;    /* owned ConfigSource */
    GPtrArray *sources; /* borrowed, in the order they were read */
    GHashTable *files;  /* owned absolute path -> borrowed ConfigSource; of a
                           library: owned name */
    GHashTable *named;  /* borrowed ConfigNode -> borrowed ConfigSource, where
                           it is known which file a node names */
    ConfigDoc *library; /* borrowed: reads the files; NULL: it does itself */
    GHashTable *order;  /* borrowed ConfigSource, ours or not -> its number */
    GPtrArray *owned;   /* owned memory that was handed out */
    GPtrArray *notes;   /* owned, of owned text: see config_doc_notes() */
};

/* Returns how many nodes a document may have: CONFIG_MAX_NODES, or what the
 * environment says by CONFIG_NODES_VARIABLE. */
guint config_max_nodes(void);

/* For the lists of a document. */
void config_node_free(gpointer node);
void config_source_free(gpointer source);
ConfigSource *config_source_new(ConfigDoc *doc, const char *name);
/* What is wrong with @source, and in which order, is now @doc's. */
void config_source_use(ConfigDoc *doc, ConfigSource *source);
ConfigNode *config_node_new(ConfigDoc *doc, ConfigNodeKind kind,
                            const ConfigSource *source, guint line,
                            guint column);
/* Its children are shared, its list of them is not. */
ConfigNode *config_node_copy(ConfigDoc *doc, const ConfigNode *node);
/* FALSE: the map has no such key. */
gboolean config_node_lookup(const ConfigNode *map, const char *key, guint *ret);

#endif
