/* pool_fixture.h - a pool of points, one of which fails */
#ifndef TESTS_SIM_HOST_POOL_FIXTURE_H
#define TESTS_SIM_HOST_POOL_FIXTURE_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/process_pool.h"
#include "tests/test.h"

#define N_POINTS 4
#define BAD      2 /* The number of the point that fails. */

typedef struct {
    char *reasons[N_POINTS]; /* The struct owns this memory. */
    guint n_done;
    gboolean stop;
} Results;

static inline void clear_point_results(Results *results)
{
    for (guint i = 0; i < N_POINTS; i++)
        g_free(results->reasons[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Results, clear_point_results)

static inline void done(gpointer self, guint point, const GString *text,
                        const char *reason)
{
    Results *results = self;

    (void)text;
    results->reasons[point] = g_strdup(reason);
    results->n_done++;
    results->stop = point == BAD;
}

#endif
