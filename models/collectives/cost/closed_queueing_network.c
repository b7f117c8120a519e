/* closed_queueing_network.c - the period of a closed queueing system with one
 * server */
#include "models/collectives/cost/closed_queueing_network.h"

#include <glib.h>

SimTime closed_queue_period_ps(SimTime served_ps, SimTime elsewhere_ps,
                               uint64_t n)
{
    SimTime here_ps = served_ps;

    g_assert(n > 0);
    n = MIN(n, CLOSED_QUEUE_MAX);
    for (uint64_t i = 2; i <= n && here_ps > 0; i++) {
        SimWide found_ps = (SimWide)served_ps * (i - 1) * here_ps;

        here_ps = served_ps + (SimTime)(found_ps / (elsewhere_ps + here_ps));
    }
    return (elsewhere_ps + here_ps + n - 1) / n;
}
