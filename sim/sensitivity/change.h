/*
 * change.h - one key of a configuration that is given another value
 *
 * A value is a node of a document, or a factor of what the key has: "x0.5" of
 * a number, rounded down to a whole base unit and kept in the key's range
 * (fractions below 100 % stay there).
 *
 * A change of everybody's configuration leaves those alone that were given
 * another value than the offload of their group: a baseline that is defined
 * by having no overlap has none, whatever others have.
 *
 * Errors   CONFIG_ERROR, at the node
 * Owner    changes own their keys and borrow their nodes
 */
#ifndef SIM_SENSITIVITY_CHANGE_H
#define SIM_SENSITIVITY_CHANGE_H

#include "sim/sensitivity/contenders.h"

typedef struct {
    char *key; /* owned; * is every item of a list */
    const ConfigNode *value;
    Scope scope;
    char *of; /* owned: with SCOPE_ONE the name; else NULL */
} Change;

void change_clear(gpointer change); /* for a GArray of them */

/* TRUE when it is about @c's configuration at all. */
gboolean change_concerns(const Change *change, const Contender *c);

/* The values that @c gets, joined with ", ", each once; NULL: none.  Owner:
 * the caller. */
char *change_text(const Change *change, const Contender *c);

/* Puts it into @doc, a copy of @c's; nothing when it does not concern @c. */
G_GNUC_WARN_UNUSED_RESULT
gboolean change_apply(const Change *change, const Contenders *all,
                      const Contender *c, ConfigDoc *doc, GError **error);

/* "x0.5" is a factor of 0.5; FALSE: @text is none. */
gboolean change_factor(const char *text, double *ret);

#endif
