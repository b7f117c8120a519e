/*
 * config_field.h - what a thing can be configured with, as a table
 *
 * A ConfigField is one parameter: key, help, type, range, default and where
 * the default comes from.  A ConfigKind is one plug-in with its parameters, a
 * ConfigRegistry a table of them.  Reading, messages and `acesim list` are
 * all driven by these tables.
 *
 * Owner    tables are static; lists, variants and what they point to belong
 *          to the document they were read from
 */
#ifndef SIM_CONFIG_CONFIG_FIELD_H
#define SIM_CONFIG_CONFIG_FIELD_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ConfigDoc ConfigDoc;   /* see config.h */
typedef struct ConfigNode ConfigNode; /* always borrowed from a document */

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
    CONFIG_RAW,       /* const ConfigNode *: for those who must walk; .item
                         says to users what a list of it has */
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
    const char *name, *kind;
} ConfigOtherName;

typedef struct {
    const char *what;               /* "endpoint"; singular, for messages */
    const ConfigKind *const *kinds; /* ends with NULL */
    /* What others call kinds, lower case, or a part of it, and the kind that it
     * is here; ends with a NULL .name.  NULL: there are none. */
    const ConfigOtherName *others;
} ConfigRegistry;

/* What a number is of which the text is `auto`: whoever uses it chooses.  The
 * range of such a field begins above it. */
#define CONFIG_AUTO      UINT64_C(0)
#define CONFIG_AUTO_WORD "auto"

/* One parameter.  Write tables with designated initialisers. */
struct ConfigField {
    const char *key;
    const char *help;   /* one line, lower case */
    const char *source; /* where the default comes from; NULL if none */
    ConfigType type;
    size_t offset;        /* of the member in the struct */
    uint64_t min, max;    /* inclusive, base units; of .n for a list */
    gboolean may_be_auto; /* a number: the word `auto` is CONFIG_AUTO */
    /* A number that may be a share of a whole, "100 %": of the uint64_t member
     * that is its parts per million, as .offset is, or 0 where a number was
     * given.  The number itself is then that of .settle of the field that holds
     * all.  0: it may not. */
    size_t share_offset;
    const char *whole;    /* what it is a share of, for users; NULL: nothing */
    const char *fallback; /* as it would stand in YAML; NULL: required */
    const char *const *names;  /* CONFIG_ENUM; ends with NULL */
    const ConfigField *fields; /* CONFIG_SECTION */
    gboolean is_optional;      /* CONFIG_SECTION: absent, nobody looks at what
                                  it would hold */
    size_t node_offset;        /* CONFIG_SECTION: of a const ConfigNode * for
                                  the map, as .offset is; 0: not kept */
    const ConfigField *item;   /* CONFIG_LIST: one field at offset 0 */
    size_t item_size;          /* CONFIG_LIST: bytes of one item */
    gboolean may_be_row; /* CONFIG_LIST of quantities: or one text of them, "3
                            4.5 us"; then .node of the list has no items */
    const ConfigRegistry *registry; /* CONFIG_KIND */
    /* Only in a table that is given to config_doc_read(), which calls it when
     * the struct has been read.  It computes what depends on several fields,
     * and may keep parts of the document.  NULL: there is nothing to compute.
     */
    void (*settle)(const ConfigDoc *doc, gpointer base);
};
#define CONFIG_END                                                             \
    {                                                                          \
        .key = NULL                                                            \
    }

/* The items follow each other at .items, each of the field's item_size. */
typedef struct {
    gpointer items; /* owned by the document; NULL when empty */
    guint n;
    const ConfigNode *node; /* the list, for further complaints */
} ConfigList;

typedef struct {
    const ConfigKind *kind; /* static; cast it to the ops table */
    gconstpointer params;   /* owned by the document; layout is kind->fields */
    const ConfigNode *node; /* the map, for further complaints */
} ConfigVariant;

/* NULL when the registry has no such kind. */
const ConfigKind *config_find_kind(const ConfigRegistry *registry,
                                   const char *name);

#endif
