/* last_iteration.c - corrects counts for the kernels that the last iteration
 * lacks */
#include "models/run/steady/last_iteration.h"

#include <string.h>

#include "models/run/steady/kernel_loop.h"
#include "models/run/training_impl.h"

static void append_kernel_counters(LastIteration *last, Npu *npu,
                                   GArray *counts)
{
    SteadyWalk walk = { .now_ps = sim_engine_now_ps(npu->system->state.engine),
                        .state = &last->state,
                        .counts = counts };

    last->state.n = 0;
    kernel_loop_visit_kernels(npu, &walk);
}

void last_iteration_init(LastIteration *last, System *system)
{
    guint n = 0;

    *last = (LastIteration){ .mark = kernel_loop_find_mark(system) };
    if (last->mark == 0)
        return;
    last->first = g_array_new(FALSE, FALSE, sizeof n);
    last->counts = g_array_new(FALSE, TRUE, sizeof(SimWide));
    last->at_ps = g_new0(SimTime, system->plan.n_sim);
    last->predicted = g_array_new(FALSE, TRUE, sizeof(SimWide));
    g_array_append_val(last->first, n);
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        append_kernel_counters(last, &system->state.npus[i], last->counts);
        n = last->counts->len;
        g_array_append_val(last->first, n);
    }
}

void last_iteration_clear(LastIteration *last)
{
    g_clear_pointer(&last->first, g_array_unref);
    g_clear_pointer(&last->counts, g_array_unref);
    state_words_clear(&last->state);
    g_clear_pointer(&last->predicted, g_array_unref);
    g_clear_pointer(&last->at_ps, g_free);
}

void last_iteration_predict(LastIteration *last, const GArray *grows)
{
    last->checks = grows != NULL && last->mark > 0;
    if (!last->checks)
        return;
    g_array_set_size(last->predicted, last->counts->len);
    for (guint i = 0; i < last->counts->len; i++)
        g_array_index(last->predicted, SimWide, i) =
            g_array_index(last->counts, SimWide, i) +
            g_array_index(grows, SimWide, i);
}

void last_iteration_record(LastIteration *last, Npu *npu)
{
    g_autoptr(GArray) counts = NULL;
    guint first;

    if (last->mark == 0)
        return;
    counts = g_array_new(FALSE, FALSE, sizeof(SimWide));
    append_kernel_counters(last, npu, counts);
    first = g_array_index(last->first, guint, npu->index);
    g_assert(first + counts->len ==
             g_array_index(last->first, guint, npu->index + 1));
    g_assert(!last->checks ||
             memcmp(&g_array_index(last->predicted, SimWide, first),
                    counts->data, counts->len * sizeof(SimWide)) == 0);
    memcpy(&g_array_index(last->counts, SimWide, first), counts->data,
           counts->len * sizeof(SimWide));
    last->at_ps[npu->index] = sim_engine_now_ps(npu->system->state.engine);
}

void last_iteration_subtract(const LastIteration *last, const GArray *counts,
                             GArray *grows)
{
    for (guint i = 0; last->mark > 0 && i < last->counts->len; i++)
        g_array_index(grows, SimWide, i) -=
            g_array_index(counts, SimWide, i) -
            g_array_index(last->counts, SimWide, i);
}

void last_iteration_finish(const LastIteration *last, Npu *npu,
                           SimTime shift_ps)
{
    Training *training = npu->training;

    if (last->mark == 0)
        return;
    training->compute_end_ps = last->at_ps[npu->index] + shift_ps;
    training->end_ps =
        MAX(training->compute_end_ps, training->collective_end_ps);
}
