/*
 * config_impl.h - what the config*.c files share; quantity.c and csv.c take
 * the quoting of text and the reading of files from here
 *
 * A tree never changes once it is read: an override builds new nodes along its
 * path and shares the rest, so anchors and files may be seen from many places.
 */
#ifndef SIM_CONFIG_CONFIG_IMPL_H
#define SIM_CONFIG_CONFIG_IMPL_H

#include "sim/config/config_node.h"

/* A text with positions: a file, an override, a default. */
typedef struct {
    char *name;             /* owned: what messages call it */
    const ConfigNode *root; /* borrowed; NULL when it could not be parsed */
    GPtrArray *problems;    /* owned: what is wrong with the text itself */
} ConfigSource;

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
};

/* ---- config.c --------------------------------------------------------- */

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

/* ---- config_message.c ------------------------------------------------- */

/* A list of problems; past CONFIG_MAX_PROBLEMS further ones are dropped. */
#define CONFIG_MAX_PROBLEMS 1000
GPtrArray *config_problems_new(void);
void config_problem_add(GPtrArray *problems, const ConfigSource *source,
                        guint line, guint column, ConfigErrorCode code,
                        const char *format, ...) G_GNUC_PRINTF(6, 7);
void config_problem_at(GPtrArray *problems, const ConfigNode *where,
                       ConfigErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
/* The code and text of problem @i. */
ConfigErrorCode config_problem_code(const GPtrArray *problems, guint i);
const char *config_problem_text(const GPtrArray *problems, guint i);
/* Sets @error to all of @problems, sorted; FALSE when there are any. */
gboolean config_problems_raise(ConfigDoc *doc, GPtrArray *problems,
                               GError **error);

/* @text in quotes for a message: cut when long, control characters escaped.
 * Owner: the caller. */
char *config_quote(const char *text);
/* "; did you mean 'NEAREST'?", else "; @known: NAMES".  Owner: the caller. */
char *config_hint(const char *word, const char *const *names,
                  const char *known);
/* "a list", "a map", "'text'", "nothing".  Owner: the caller. */
char *config_describe(const ConfigNode *node);

/* ---- config_parse.c --------------------------------------------------- */

/* Sets the root of @source, or leaves it NULL and adds to its problems.  With
 * @empty_ok an empty text is an empty scalar. */
void config_source_parse(ConfigDoc *doc, ConfigSource *source, const char *text,
                         gsize n_bytes, gboolean empty_ok);

/* ---- config_file.c ---------------------------------------------------- */

/* The whole of a regular file; nothing else is opened for long enough to hang
 * or to have an effect.  Adds a NUL.  On failure sets *@error to
 * CONFIG_ERROR_FILE with "cannot be read: REASON". */
G_GNUC_WARN_UNUSED_RESULT
char *config_file_read(const char *path, gsize max_bytes, gsize *n_bytes,
                       GError **error);
/* The file that the scalar @node names, read at most once per document.  Its
 * root is NULL when it could not be parsed.  NULL and "'NAME' cannot be read:
 * REASON" when there is no such file. */
G_GNUC_WARN_UNUSED_RESULT
ConfigSource *config_include(ConfigDoc *doc, const ConfigNode *node,
                             GError **error);
/* The same when it was read before, else NULL. */
ConfigSource *config_included(ConfigDoc *doc, const ConfigNode *node);
/* The file called @name, which becomes the answer to config_include() of that
 * name.  NULL and "cannot be read: REASON" when there is none. */
ConfigSource *config_source_load(ConfigDoc *doc, const char *name,
                                 GError **error);
void config_source_is_file(ConfigDoc *doc, ConfigSource *source);

/* ---- config_scalar.c -------------------------------------------------- */

/* Reads @node into the member at @slot for all types before CONFIG_SECTION.
 * @label is what messages call the value. */
void config_scalar_read(GPtrArray *problems, const ConfigNode *node,
                        const ConfigField *field, const char *label,
                        gpointer slot);

/* ---- quantity_units.c ------------------------------------------------- */

/* "a frequency such as '1245 MHz'".  Owner: the caller. */
char *quantity_expectation(ConfigType type);

#endif
