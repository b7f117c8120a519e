/*
 * value_change.h - one key of a configuration that gets another value
 *
 * The value is a node of a document, or a factor of the present number, "x0.5".
 * A product is rounded down to a whole base unit and kept in the range of the
 * key; fractions up to 100 % are kept below it.
 *
 * A change of all endpoints skips a baseline whose value differs from that of
 * the offload of its group.  For example, a baseline that is defined by having
 * no overlap keeps that.
 *
 * Errors   CONFIG_ERROR, at the node
 * Owner    changes own their keys and borrow their nodes
 */
#ifndef SIM_SENSITIVITY_VALUE_CHANGE_H
#define SIM_SENSITIVITY_VALUE_CHANGE_H

#include "sim/sensitivity/compared_endpoints.h"

typedef struct {
    char *key; /* owned; a `*` in the key matches every item of a list */
    const ConfigNode *value;
    AssumptionScope scope;
    char *endpoint_name; /* owned: the name if .scope is SCOPE_ONE; otherwise
                            NULL */
} ValueChange;

void value_change_clear(gpointer change); /* for g_array_set_clear_func() */

/* Returns TRUE if the scope of @change includes @endpoint. */
gboolean value_change_applies_to_node(const ValueChange *change,
                                      const ComparedEndpoint *endpoint);

/* Returns the new values of @endpoint, each once and joined with ", ", which
 * the caller owns; NULL if there are none. */
char *old_and_new_values_text(const ValueChange *change,
                              const ComparedEndpoint *endpoint);

/* Applies @change to @doc, a copy of @endpoint's document; does nothing if the
 * scope excludes @endpoint. */
G_GNUC_WARN_UNUSED_RESULT
gboolean value_change_apply(const ValueChange *change,
                            const ComparedEndpoints *endpoints,
                            const ComparedEndpoint *endpoint, ConfigDoc *doc,
                            GError **error);

/* Parses a factor, "x0.5" as 0.5.  Returns FALSE if @text is no factor. */
gboolean value_change_parse_factor(const char *text, double *ret);

#endif
