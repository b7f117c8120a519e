/* filter.h - which assumptions were asked for */
#ifndef SIM_SENSITIVITY_FILTER_H
#define SIM_SENSITIVITY_FILTER_H

#include "sim/sensitivity/assumption.h"

typedef struct {
    char *const *ranges; /* "KEY=LOW..HIGH"; may be NULL */
    char *const *only;   /* names, keys or what they begin with; may be NULL */
    char *const *skip;   /* likewise */
} AssumptionFilter;

/* Takes out of @all what is not wanted.  FALSE: a name is none of them. */
G_GNUC_WARN_UNUSED_RESULT
gboolean assumptions_filter(GPtrArray *all, const AssumptionFilter *filter,
                            GError **error);

#endif
