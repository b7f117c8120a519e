/*
 * config_node_impl.h - the structs of nodes and documents; private to config*.c
 *
 * A tree never changes after it was read.  An override makes new nodes along
 * its path and shares the others, so anchors and files may be used in many
 * places.
 */
#ifndef SIM_CONFIG_CONFIG_NODE_IMPL_H
#define SIM_CONFIG_CONFIG_NODE_IMPL_H

#include "sim/config/config_node.h"
#include "sim/config/config_problem_impl.h"

#define CONFIG_NODES_PER_BLOCK 512

/* A text with positions: a file, an override, a default. */
struct ConfigSource {
    char *name;             /* owned: the name in messages */
    gsize n_bytes;          /* of the text */
    const ConfigNode *root; /* borrowed; NULL if it could not be parsed */
    GPtrArray *problems;    /* owned: problems of the text itself */
    GPtrArray *notes;       /* owned, of owned text: for config_doc_notes() */
    ConfigDoc *doc;         /* borrowed: owns the source and its nodes */
    /* Owned: the text, if nodes point into it; else NULL. */
    char *text;
    /* The text is the config.json of a Hugging Face model, and .root is its
     * translation. */
    gboolean is_translated;
};

struct ConfigNode {
    guint8 kind;          /* ConfigNodeKind */
    guint8 quoted : 1;    /* a scalar in quotes or in block style */
    guint8 open : 1;      /* the parser has not reached its end yet */
    guint8 is_unread : 1; /* a map that has .flow_text, and no children yet */
    /* used by the parser: the number of levels below and including this one;
     * at most CONFIG_MAX_DEPTH */
    guint8 height;
    guint line, column; /* counted from 1, in characters */
    /* The number of nodes below and including this one, which the parser uses
     * to enforce its limit. */
    guint n_nodes;
    /* the text of a scalar, in ConfigDoc.texts or ConfigSource.text; else
     * NULL */
    const char *text;
    union {
        /* Owned array: the values of a list, or key, value, key, value, ... of
         * a map.  Its capacity is .n_children if the node is complete, else the
         * next power of two. */
        const ConfigNode **children;
        /* The opening bracket of the map in ConfigSource.text. */
        char *flow_text;
    };
    guint n_children;
    const ConfigSource *source; /* borrowed */
};

struct ConfigDoc {
    const ConfigNode *root;
    /* All nodes that were made, in blocks of CONFIG_NODES_PER_BLOCK: an owned
     * array of owned arrays of ConfigNode. */
    GPtrArray *node_blocks;
    guint n_nodes;
    /* owned: the texts of all scalars, each text once */
    GStringChunk *texts;
    GPtrArray *owned_sources; /* owned ConfigSource */
    GPtrArray *sources;       /* borrowed, in the order of reading */
    /* Maps an absolute path (owned) to its ConfigSource (borrowed).  In a
     * library, the key is the name of the file. */
    GHashTable *files;
    /* Maps a ConfigNode (borrowed) to the ConfigSource (borrowed) of the file
     * that the node names, as far as it is known. */
    GHashTable *named;
    /* The library that reads the files (borrowed); NULL if the document reads
     * them itself. */
    ConfigDoc *library;
    GHashTable *order; /* borrowed ConfigSource -> its rank in messages */
    /* Owned memory of values that were returned, and the bytes that the last
     * block for small values has left. */
    GPtrArray *owned;
    guint8 *small_values;
    gsize n_small_bytes;
    GPtrArray *notes; /* owned, of owned text: see config_doc_notes() */
};

/* Returns the maximum number of nodes of a text or document of @n_bytes; see
 * CONFIG_MAX_NODES. */
guint config_max_nodes(gsize n_bytes);

/* Sets the text of a scalar, of which the document keeps a copy. */
void config_node_set_text(ConfigDoc *doc, ConfigNode *node, const char *text);
/* Adds a value to a list that is not complete. */
void config_node_add(ConfigNode *list, const ConfigNode *value);
/* Adds a key and its value to a map that is not complete. */
void config_node_add_pair(ConfigNode *map, const ConfigNode *key,
                          const ConfigNode *value);
/* Replaces value @i of a list or map. */
void config_node_replace(ConfigNode *node, guint i, const ConfigNode *value);
/* Gives back the memory for children that will not come. */
void config_node_shrink_children(ConfigNode *node);
/* Free function for the list of a document. */
void config_source_free(gpointer source);
ConfigSource *config_source_new(ConfigDoc *doc, const char *name);
/* Adds @source, which may belong to a library, to the sources of @doc. */
void config_doc_add_source(ConfigDoc *doc, ConfigSource *source);
ConfigNode *config_node_new(ConfigDoc *doc, ConfigNodeKind kind,
                            const ConfigSource *source, guint line,
                            guint column);
/* Returns the node that was made after @i others. */
ConfigNode *config_doc_node(const ConfigDoc *doc, guint i);
/* Frees all nodes but the first @n. */
void config_doc_keep_nodes(ConfigDoc *doc, guint n);
/* Makes the contents of @map, which must be unread; config_flow_map.c. */
void config_node_parse_flow_map(ConfigNode *map);
/* Makes the contents of @node if it is an unread map. */
static inline void config_node_parse_if_unread(const ConfigNode *node)
{
    if (node->is_unread)
        config_node_parse_flow_map((ConfigNode *)node);
}
/* The contents of an unread map for a limited time. */
typedef struct {
    ConfigNode *map; /* borrowed; NULL: the map has been read before */
    char *flow_text;
    /* The number of nodes of the document before and after the contents. */
    guint n_nodes_before, n_nodes_after;
} ConfigOpenedMap;
/* Makes the contents of @map if it is unread. */
ConfigOpenedMap config_node_open(const ConfigNode *map);
/* Frees the contents if config_node_open() has made them.  They stay if other
 * nodes, such as those of a file or of a default, were made since, because only
 * the last nodes of a document can be freed. */
void config_node_close(const ConfigOpenedMap *opened);
/* Returns a copy that has the same children but its own list of them. */
ConfigNode *config_node_copy(ConfigDoc *doc, const ConfigNode *node);
/* Sets *@ret to the index of @key.  Returns FALSE if @map has no such key. */
gboolean config_node_find_key(const ConfigNode *map, const char *key,
                              guint *ret);

#endif
