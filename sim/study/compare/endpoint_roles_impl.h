/* endpoint_roles_impl.h - which endpoints are offloads, baselines and the best;
 * private to this folder */
#ifndef SIM_STUDY_COMPARE_ENDPOINT_ROLES_IMPL_H
#define SIM_STUDY_COMPARE_ENDPOINT_ROLES_IMPL_H

#include "sim/study/compare/compare.h"

typedef struct {
    GPtrArray *names; /* owned, of borrowed: all endpoints in the order of their
                       * appearance */
    /* Sets of endpoint names, one per role (owned); .built is the union of
     * .baselines and .best. */
    GHashTable *baselines, *best, *built, *offloads, *ideals, *known;
} CompareRoles;

void compare_roles_init(CompareRoles *roles);
void compare_roles_clear(CompareRoles *roles);

/* Assigns roles to the endpoints of @comparison, whose columns are known.
 * @table is its name in messages.  Returns FALSE and sets @error if a name is
 * no endpoint, or if there is no baseline. */
G_GNUC_WARN_UNUSED_RESULT
gboolean compare_roles_assign(CompareRoles *roles, Comparison *comparison,
                              const char *table, const CompareNames *names,
                              GError **error);

#endif
