/* combine.h - several assumptions changed at a time */
#ifndef SIM_SENSITIVITY_COMBINE_H
#define SIM_SENSITIVITY_COMBINE_H

#include "sim/sensitivity/running.h"

/* What changes them alone is ranked.  0, the number of a signal, or -1 on
 * error. */
G_GNUC_WARN_UNUSED_RESULT
int study_combine(Running *r, GError **error);

void combination_free(gpointer combination);

#endif
