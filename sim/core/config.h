/*
 * config.h - YAML configuration with source positions
 *
 * A ConfigDoc holds a tree of ConfigNodes read from one YAML file, and from
 * the files that it names.  Every node knows where it stands, so that every
 * complaint can say "file:line:column".  Nobody walks the tree to find a
 * parameter: a thing describes its parameters once, in a ConfigField table,
 * and that table gives parsing, defaults, ranges and `acesim list`.
 *
 * A section or kind may be written in place (a map) or as the name of a file
 * that holds the map, relative to the file in which the name stands.
 *
 * Units    values are stored in base units: bytes, ps, Hz, bytes/s, FLOP/s,
 *          parts per million; see quantity.h for how they are written
 * Errors   CONFIG_ERROR; a message has one line per problem found, each
 *          "file:line:column: what is wrong", in the order of the text
 * Owner    the document owns its nodes and every struct, list and string
 *          that config_read() hands out
 * Range    see the CONFIG_MAX_* limits below
 */
#ifndef SIM_CORE_CONFIG_H
#define SIM_CORE_CONFIG_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_MAX_DEPTH      64
#define CONFIG_MAX_NODES      1000000
#define CONFIG_MAX_FILE_BYTES (16 * 1024 * 1024)

#define CONFIG_ERROR config_error_quark()
GQuark config_error_quark(void);

typedef enum {
    CONFIG_ERROR_FILE,          /* cannot be read, too large, names itself */
    CONFIG_ERROR_SYNTAX,        /* not YAML, or past one of the limits */
    CONFIG_ERROR_TYPE,          /* a map where a number was due, and so on */
    CONFIG_ERROR_UNIT,          /* no unit, or a unit of something else */
    CONFIG_ERROR_RANGE,         /* a number outside [min, max] */
    CONFIG_ERROR_UNKNOWN_KEY,   /* a key or name that nobody reads: a typo */
    CONFIG_ERROR_DUPLICATE_KEY, /* the same key twice in one map */
    CONFIG_ERROR_MISSING_KEY,   /* a required key is absent */
    CONFIG_ERROR_CONFLICT,      /* values that are fine alone, not together */
} ConfigErrorCode;

typedef struct ConfigDoc ConfigDoc;
typedef struct ConfigNode ConfigNode; /* always borrowed from a document */

/* ---- what a thing can be configured with ------------------------------ */

typedef enum {
    CONFIG_COUNT,     /* uint64_t: a whole number */
    CONFIG_BYTES,     /* uint64_t bytes: "64 KiB" */
    CONFIG_TIME,      /* uint64_t picoseconds: "72.29 ns" */
    CONFIG_BANDWIDTH, /* uint64_t bytes per second: "200 GB/s" */
    CONFIG_FREQUENCY, /* uint64_t Hz: "1245 MHz" */
    CONFIG_FLOPS,     /* uint64_t FLOP per second: "120 TFLOPS" */
    CONFIG_FRACTION,  /* uint64_t parts per million: "94 %" or "0.94" */
    CONFIG_BOOL,      /* gboolean: true or false */
    CONFIG_NAME,      /* const char *: any plain text, not empty */
    CONFIG_ENUM,      /* int: index into .names */
    CONFIG_SECTION,   /* a struct in place, described by .fields */
    CONFIG_LIST,      /* ConfigList of what .item describes */
    CONFIG_KIND,      /* ConfigVariant out of .registry */
    CONFIG_RAW,       /* const ConfigNode *: for those who must walk */
} ConfigType;

typedef struct ConfigField ConfigField;

/* One plug-in: `kind: NAME` picks it, its fields stand beside that key.  An
 * ops table has a ConfigKind as its first member. */
typedef struct {
    const char *name;
    const char *summary;       /* one line, with the cost where it has one */
    const ConfigField *fields; /* ends with CONFIG_END */
    size_t size;               /* of the struct that .fields fills */
} ConfigKind;

typedef struct {
    const char *what;               /* "endpoint"; singular, for messages */
    const ConfigKind *const *kinds; /* ends with NULL */
} ConfigRegistry;

/* One parameter.  Write tables with designated initialisers. */
struct ConfigField {
    const char *key;
    const char *help;     /* one line, lower case */
    const char *source;   /* where the default comes from; NULL if none */
    ConfigType type;
    size_t offset;        /* of the member in the struct */
    uint64_t min, max;    /* inclusive, base units; of .n for a list */
    const char *fallback; /* as it would stand in YAML; NULL: required */
    const char *const *names;       /* CONFIG_ENUM; ends with NULL */
    const ConfigField *fields;      /* CONFIG_SECTION */
    const ConfigField *item;        /* CONFIG_LIST: one field at offset 0 */
    size_t item_size;               /* CONFIG_LIST: bytes of one item */
    const ConfigRegistry *registry; /* CONFIG_KIND */
};
#define CONFIG_END { .key = NULL }

/* The items follow each other at .items, each of the field's item_size. */
typedef struct {
    gpointer items; /* owned by the document; NULL when empty */
    guint n;
} ConfigList;

typedef struct {
    const ConfigKind *kind; /* static; cast it to the ops table */
    gconstpointer params;   /* owned by the document; layout is kind->fields */
    const ConfigNode *node; /* the map, for further complaints */
} ConfigVariant;

/* ---- documents -------------------------------------------------------- */

/* Reads the file at @path.  Files it names are read when something in them is
 * asked for.  All syntax limits are errors, never a crash. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *config_doc_load(const char *path, GError **error);

/* The same from memory; @name is what messages call it and what relative file
 * names are relative to.  @text needs no final NUL; NULs in it are an error. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *config_doc_parse(const char *name, const char *text, gsize n_bytes,
                            GError **error);
void config_doc_free(ConfigDoc *doc);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ConfigDoc, config_doc_free)

const ConfigNode *config_doc_root(const ConfigDoc *doc);

/* Sets the value at @path ("platform.npu.sms", list items by number:
 * "topology.dims.0.size") to the YAML in @text, adding the last key when it
 * is absent.  A file name on the way is read and descended into.  @origin is
 * what messages call this text ("--set"). */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_doc_set(ConfigDoc *doc, const char *path, const char *origin,
                        const char *text, GError **error);

/* The same with a node of another document, which must outlive @doc; messages
 * and relative file names keep the node's own position. */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_doc_set_node(ConfigDoc *doc, const char *path,
                             const ConfigNode *value, GError **error);

/* Fills *@params from the root by @fields and reports every problem in the
 * document at once.  On error the contents of *@params are unspecified. */
G_GNUC_WARN_UNUSED_RESULT
gboolean config_doc_read(ConfigDoc *doc, const ConfigField *fields,
                         gpointer params, GError **error);

/* The node at @path, or the nearest ancestor that exists: never NULL. */
const ConfigNode *config_doc_find(ConfigDoc *doc, const char *path);

/* ---- nodes ------------------------------------------------------------ */

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

/* Sets @error to "file:line:column: " and the formatted text. */
void config_set_error(GError **error, const ConfigNode *where,
                      ConfigErrorCode code, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* The entry of @names (ends with NULL) that is nearest to @word, or NULL when
 * none is near enough to be what was meant. */
const char *config_nearest(const char *word, const char *const *names);

#endif
