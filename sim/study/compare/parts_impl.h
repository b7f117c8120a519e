/* parts_impl.h - which endpoints are compared with which */
#ifndef SIM_STUDY_COMPARE_PARTS_IMPL_H
#define SIM_STUDY_COMPARE_PARTS_IMPL_H

#include "sim/study/compare/compare.h"

typedef struct {
    GPtrArray *names; /* owned, of borrowed: all endpoints, as they appear */
    /* owned: sets of names; .built has baselines and best */
    GHashTable *baselines, *best, *built, *offloads, *ideals, *known;
} CompareParts;

void compare_parts_init(CompareParts *p);
void compare_parts_clear(CompareParts *p);

/* Gives each endpoint of @c, whose columns are found, its part; @table is what
 * messages call its rows.  FALSE: a name is none of them, or there is nothing
 * to compare with. */
G_GNUC_WARN_UNUSED_RESULT
gboolean compare_parts_choose(CompareParts *p, Comparison *c, const char *table,
                              const CompareNames *names, GError **error);

#endif
