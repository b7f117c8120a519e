/* clock_throttle_reasons.c - names of the reasons why a GPU lowered
 * its clock */
#include "validate/gpu/host/clock_throttle_reasons.h"

#include <stdio.h>

/* The table starts at the second bit of NVML, because the first means that the
 * GPU is idle. */
void throttle_text(uint64_t throttle, char *ret, size_t size)
{
    static const char *const reasons[] = {
        "application-clocks", "power-cap",  "hw-slowdown", "sync-boost",
        "sw-thermal",         "hw-thermal", "power-brake", "display",
    };
    size_t n = 0;

    ret[0] = '\0';
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0] && n < size; i++)
        if (throttle >> (i + 1) & 1)
            n += (size_t)snprintf(ret + n, size - n, "%s%s", n ? " " : "",
                                  reasons[i]);
}
