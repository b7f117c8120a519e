/* time_text.h - a time with four digits and a suitable unit */
#ifndef SIM_VIEW_TEXT_TIME_TEXT_H
#define SIM_VIEW_TEXT_TIME_TEXT_H

#include "sim/core/time.h"

/* Returns a text such as "1.235 ms", which the caller owns. */
char *time_text(SimTime ps);

#endif
