/* optimise_text.h - result of acesim optimise, as text */
#ifndef SIM_VIEW_TEXT_OPTIMISE_TEXT_H
#define SIM_VIEW_TEXT_OPTIMISE_TEXT_H

#include "sim/study/optimise/optimise.h"

/* Returns the result.  The caller owns both texts. */
char *optimise_text(const OptimiseResult *optimised, guint width);
/* Returns the head of the file that is written; @path is the file of the
 * original configuration. */
char *optimise_file_head_text(const OptimiseResult *optimised,
                              const char *path);

#endif
