/* time_text.h - times and rates as text, with a suitable unit */
#ifndef SIM_VIEW_TEXT_TIME_TEXT_H
#define SIM_VIEW_TEXT_TIME_TEXT_H

#include "sim/core/time.h"

/* Returns a text such as "1.235 ms", which the caller owns. */
char *time_text(SimTime ps);

/* Returns a text such as "196.3 GB/s" or "51.2 MB/s", which the caller owns. */
char *format_rate(double bytes_per_s);

#endif
