/*
 * config_field.h - tables that describe parameters
 *
 * A ConfigField is one parameter: key, help, type, range, default and the
 * source of the default.  A ConfigKind is one plug-in with its parameters; a
 * ConfigRegistry is a table of kinds.  Reading, messages and `acesim list` are
 * driven by these tables.
 *
 * Owner    tables are static; lists, variants and everything they point to
 *          belong to the document that they were read from
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
    /* The value is a const ConfigNode * that the module reads by hand; .item
     * describes the items of a list to users. */
    CONFIG_RAW,
} ConfigType;

typedef struct ConfigField ConfigField;

/* One plug-in that the user selects by `kind: NAME`; its fields are keys of the
 * same map.  An ops table has a ConfigKind as its first member. */
typedef struct {
    const char *name;
    const char *summary;       /* one line, with the cost if it has one */
    const ConfigField *fields; /* ends with CONFIG_END */
    size_t size; /* size in bytes of the struct that .fields fills */
    /* The part of the values that is interned: maps with equal values share one
     * struct.  Its size, and the offset of the pointer to it; 0: there is
     * none. */
    size_t interned_size, interned_offset;
} ConfigKind;

typedef struct {
    const char *name, *kind;
} ConfigForeignName;

typedef struct {
    const char *noun;               /* "endpoint"; singular, for messages */
    const ConfigKind *const *kinds; /* ends with NULL */
    /* Names that other programs use for kinds, or parts of such names, in lower
     * case, with the kind that is meant.  Ends with a NULL .name.  NULL if
     * there are none. */
    const ConfigForeignName *foreign_names;
} ConfigRegistry;

/* The value of a number whose text is `auto`: the program chooses.  The range
 * of such a field excludes it. */
#define CONFIG_AUTO      UINT64_C(0)
#define CONFIG_AUTO_WORD "auto"

/* The description of one parameter.  Tables of parameters use designated
 * initialisers. */
struct ConfigField {
    const char *key;
    const char *help;   /* one line, lower case */
    const char *source; /* the source of the default; NULL if none */
    ConfigType type;
    size_t offset; /* of the member in the struct, or in the interned one */
    /* For a member of the interned struct: ConfigKind.interned_offset; else
     * 0. */
    size_t interned_offset;
    uint64_t min, max; /* inclusive, in base units; for a list, limits of .n */
    /* Values beyond these are read, with a warning: they are probably slips of
     * the unit.  0: no such limit; the value 0 is always usual. */
    uint64_t usual_min, usual_max;
    /* TRUE if the value may be the word `auto`, which is stored as
     * CONFIG_AUTO. */
    gboolean may_be_auto;
    /* For a number that may be given as a share of a whole, such as "100 %".
     * It is the offset of a uint64_t member that stores the share in parts per
     * million, or 0 if a number was given.  The function .settle then computes
     * the number. 0: shares are not allowed. */
    size_t share_offset;
    const char
        *whole; /* the whole of which it is a share, for users; or NULL */
    /* The default as YAML text; NULL if the key is required. */
    const char *fallback;
    const char *const *names; /* the words of a CONFIG_ENUM; ends with NULL */
    /* For a CONFIG_ENUM: another key of the same map, with its words, whose
     * words users write here, too; messages then name that key.  NULL: none. */
    const char *mistaken_key;
    const char *const *mistaken_names;
    const ConfigField *fields; /* the fields of a CONFIG_SECTION */
    /* For CONFIG_SECTION: TRUE if the section may be absent; its contents are
     * then not used. */
    gboolean is_optional;
    /* For CONFIG_SECTION: the offset of a const ConfigNode * that stores the
     * map; 0 if the map is not stored. */
    size_t node_offset;
    /* The items of a CONFIG_LIST: one field at offset 0. */
    const ConfigField *item;
    size_t item_size; /* the size of one item of a CONFIG_LIST, in bytes */
    /* For a CONFIG_LIST: TRUE if ConfigList.node is not stored. */
    gboolean without_node;
    /* For a CONFIG_LIST of quantities: TRUE if the user may write all items as
     * one text with one unit, such as "3 4.5 us"; ConfigList.node then has no
     * items. */
    gboolean may_be_one_text;
    /* For a CONFIG_LIST of scalars: TRUE if one item may stand without
     * brackets, and is written so. */
    gboolean may_be_item;
    const ConfigRegistry *registry; /* the kinds of a CONFIG_KIND */
    /* For a CONFIG_KIND: the kind of a map that has keys of this kind and no
     * key `kind`; NULL: `kind` is required. */
    const char *without_kind;
    /* Another key for the same field; NULL: there is none.  Only one of the two
     * may be given. */
    const char *alias;
    /* Computes values that depend on several fields, after the struct has been
     * read; may keep parts of the document.  Used only in a table that is
     * passed to config_doc_read().  NULL: nothing to compute. */
    void (*settle)(const ConfigDoc *doc, gpointer base);
};
#define CONFIG_END                                                             \
    {                                                                          \
        .key = NULL                                                            \
    }

/* Returns whether @value, in base units, is beyond the usual limits of
 * @field. */
static inline gboolean config_value_is_unusual(const ConfigField *field,
                                               uint64_t value)
{
    return value > 0 && (value < field->usual_min ||
                         (field->usual_max > 0 && value > field->usual_max));
}

/* Returns the member of @field in the struct at @base. */
static inline gpointer config_field_member(const ConfigField *field,
                                           gconstpointer base)
{
    const guint8 *part = base;

    if (field->interned_offset > 0)
        part = *(const guint8 *const *)(gconstpointer)(part +
                                                       field->interned_offset);
    return (gpointer)(part + field->offset);
}

/* The items are contiguous at .items, each of the size
 * ConfigField.item_size. */
typedef struct {
    gpointer items; /* owned by the document; NULL when empty */
    guint n;
    const ConfigNode *node; /* the list, for the positions of later errors */
} ConfigList;

typedef struct {
    /* Static; the first member of the kind's ops table. */
    const ConfigKind *kind;
    /* The struct with the parameters of the kind, owned by the document;
     * kind->fields describes its layout. */
    gconstpointer params;
    const ConfigNode *node; /* the map, for the positions of later errors */
} ConfigVariant;

/* Returns the kind called @name, or NULL if @registry has none. */
const ConfigKind *config_find_kind(const ConfigRegistry *registry,
                                   const char *name);

#endif
