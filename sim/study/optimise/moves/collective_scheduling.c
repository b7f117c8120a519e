/*
 * collective_scheduling.c - the move that chooses which waiting collective goes
 * first
 *
 * It changes the scheduler of collectives and, with parameter servers, the
 * order in which they send.
 */
#include <string.h>

#include "sim/study/optimise/moves/setting_values_impl.h"

static void propose_first_schedulers(const RunProfile *profile, GPtrArray *ret)
{
    static const char *const schedulers[] = { "fair", "lifo", "fifo",
                                              "priority" };
    gboolean is_served =
        strcmp(run_profile_exchange_kind(profile), "parameter-server") == 0;

    for (guint i = 0; i < G_N_ELEMENTS(schedulers); i++) {
        g_autofree char *set =
            g_strconcat("collectives.scheduler=", schedulers[i], NULL);

        if (is_served)
            g_ptr_array_add(
                ret,
                g_strconcat(set, "\ntraining.exchange.order=priority", NULL));
        g_ptr_array_add(ret, g_steal_pointer(&set));
    }
}

static char *vary_scheduler(const RunProfile *profile, const char *sets,
                            RandomDraw *draw)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);

    (void)sets;
    propose_first_schedulers(profile, all);
    return g_strdup(g_ptr_array_index(all, draw_integer_below(draw, all->len)));
}

const SearchMove move_order = {
    .name = "order",
    .summary = "which collective goes first of those that could",
    .aspect = ASPECT_SCHEDULER,
    .saves = SAVES_EXCHANGE,
    .seeds = propose_first_schedulers,
    .vary = vary_scheduler,
};
