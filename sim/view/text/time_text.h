/* time_text.h - a time as people say it */
#ifndef SIM_VIEW_TEXT_TIME_TEXT_H
#define SIM_VIEW_TEXT_TIME_TEXT_H

#include "sim/core/time.h"

/* "1.235 ms": four digits, the unit that suits.  The caller owns it. */
char *time_text(SimTime ps);

#endif
