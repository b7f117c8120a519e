/*
 * config_value_impl.h - the functions that config_read.c uses: finding the map
 * of a value and its kind, reading single values, and writing numbers
 */
#ifndef SIM_CONFIG_CONFIG_VALUE_IMPL_H
#define SIM_CONFIG_CONFIG_VALUE_IMPL_H

#include "sim/config/config_node_impl.h"

/* ---- functions of config_open_map.c -------------------------------------- */

/* The state of reading a document: where problems are collected and which files
 * are open. */
typedef struct {
    ConfigDoc *doc;      /* borrowed */
    GPtrArray *problems; /* borrowed */
    /* The files that are being read, the outermost first (a borrowed array of
     * borrowed sources).  It serves to detect a file that includes itself.
     * config_enter_map_of_value() appends to it. */
    GPtrArray *files;
} ConfigEntry;

/* Returns the map of @node.  Returns NULL and adds a problem on failure; @hint
 * is appended to it if a file is missing. */
const ConfigNode *config_enter_map_of_value(const ConfigEntry *entry,
                                            const ConfigNode *node,
                                            const char *label,
                                            const char *hint);

/* ---- functions of config_kind.c ------------------------------------------ */

/* Returns the kind that the key `kind` of @map names.  Returns NULL and adds a
 * problem on failure. */
const ConfigKind *config_kind_read(GPtrArray *problems, const ConfigNode *map,
                                   const ConfigField *field);

/* ---- functions of config_scalar.c ---------------------------------------- */

/* Reads @node into the member at @slot, for all types before CONFIG_SECTION.
 * @label is the name of the value in messages. */
void config_scalar_read(GPtrArray *problems, const ConfigNode *node,
                        const ConfigField *field, const char *label,
                        gpointer slot);
/* Returns the numbers (uint64_t) of a list that is one text, see
 * ConfigField.may_be_one_text.  Returns NULL and adds a problem on failure. */
GArray *config_row_read(GPtrArray *problems, const ConfigNode *node,
                        const ConfigField *field, const char *label);

/* ---- functions of config_values_text.c ----------------------------------- */

/* Appends the decimal digits of @value, in less time than printf(). */
void config_append_number(GString *out, uint64_t value);

#endif
