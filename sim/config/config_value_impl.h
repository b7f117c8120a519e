/*
 * config_value_impl.h - what config_read.c stands on: where a value's map is,
 * which kind it is of, and values that are one word
 */
#ifndef SIM_CONFIG_CONFIG_VALUE_IMPL_H
#define SIM_CONFIG_CONFIG_VALUE_IMPL_H

#include "sim/config/config_node_impl.h"

/* ---- config_enter.c --------------------------------------------------- */

/* How far the reading of a document has come. */
typedef struct {
    ConfigDoc *doc;      /* borrowed */
    GPtrArray *problems; /* borrowed */
    GPtrArray *files;    /* borrowed array: borrowed sources being read,
                            outermost first, to find a file that includes
                            itself; one that is entered joins them */
} ConfigEntry;

/* NULL: a problem was added, ending in @hint where a file is not there. */
const ConfigNode *config_enter(const ConfigEntry *at, const ConfigNode *node,
                               const char *label, const char *hint);

/* ---- config_kind.c ---------------------------------------------------- */

/* What the key `kind` of @map names.  NULL: a problem was added. */
const ConfigKind *config_kind_read(GPtrArray *problems, const ConfigNode *map,
                                   const ConfigRegistry *registry);

/* ---- config_scalar.c -------------------------------------------------- */

/* Reads @node into the member at @slot for all types before CONFIG_SECTION.
 * @label is what messages call the value. */
void config_scalar_read(GPtrArray *problems, const ConfigNode *node,
                        const ConfigField *field, const char *label,
                        gpointer slot);
/* The numbers of a list that is one text, of uint64_t; see
 * ConfigField.may_be_row.  NULL: a problem was added. */
GArray *config_row_read(GPtrArray *problems, const ConfigNode *node,
                        const ConfigField *field, const char *label);

#endif
