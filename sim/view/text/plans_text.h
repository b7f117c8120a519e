/* plans_text.h - the fastest plans of a language model, as text and JSON */
#ifndef SIM_VIEW_TEXT_PLANS_TEXT_H
#define SIM_VIEW_TEXT_PLANS_TEXT_H

#include "sim/study/optimise/plan_search.h"

/* Each returns the result, which the caller owns. */
char *plans_text(const PlanSearch *search, guint width);
GString *plans_json(const PlanSearch *search);
/* Returns the head of the run file of the best plan; @path is the file of the
 * original configuration. */
char *plans_file_head_text(const PlanSearch *search, const char *path);

#endif
