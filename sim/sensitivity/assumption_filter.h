/* assumption_filter.h - selects assumptions by the options of the
 * command line */
#ifndef SIM_SENSITIVITY_ASSUMPTION_FILTER_H
#define SIM_SENSITIVITY_ASSUMPTION_FILTER_H

#include "sim/sensitivity/assumption.h"

typedef struct {
    char *const *ranges; /* "KEY=LOW..HIGH"; may be NULL */
    char *const *only;   /* names, keys or their first parts; may be NULL */
    char *const *skip;   /* names, keys or their first parts; may be NULL */
} AssumptionFilter;

/* Removes the assumptions that are not selected from @all.  Returns FALSE and
 * sets @error if a name matches none. */
G_GNUC_WARN_UNUSED_RESULT
gboolean filter_assumptions(GPtrArray *all, const AssumptionFilter *filter,
                            GError **error);

#endif
