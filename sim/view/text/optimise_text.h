/* optimise_text.h - what a search found and what it is worth, for people */
#ifndef SIM_VIEW_TEXT_OPTIMISE_TEXT_H
#define SIM_VIEW_TEXT_OPTIMISE_TEXT_H

#include "sim/study/optimise/optimise.h"

/* Owner: the caller, of both. */
char *optimise_text(const Optimised *optimised, guint width);
/* The head of the file that is written, @path being where it is from. */
char *optimise_head(const Optimised *optimised, const char *path);

#endif
