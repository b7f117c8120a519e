/* tail.c - see tail.h */
#include "models/run/steady/tail.h"

#include <string.h>

#include "models/run/steady/loop.h"
#include "models/run/training_impl.h"

static void look(Tail *tail, Npu *npu, GArray *counts)
{
    SteadyWalk walk = { .now_ps = sim_engine_now(npu->system->engine),
                        .state = &tail->state,
                        .counts = counts };

    tail->state.n = 0;
    loop_visit_kernels(npu, &walk);
}

void tail_init(Tail *tail, System *system)
{
    guint n = 0;

    *tail = (Tail){ .mark = loop_mark(system) };
    if (tail->mark == 0)
        return;
    tail->first = g_array_new(FALSE, FALSE, sizeof n);
    tail->counts = g_array_new(FALSE, TRUE, sizeof(SimWide));
    tail->at_ps = g_new0(SimTime, system->n_sim);
    tail->foretold = g_array_new(FALSE, TRUE, sizeof(SimWide));
    g_array_append_val(tail->first, n);
    for (uint32_t i = 0; i < system->n_sim; i++) {
        look(tail, &system->npus[i], tail->counts);
        n = tail->counts->len;
        g_array_append_val(tail->first, n);
    }
}

void tail_clear(Tail *tail)
{
    g_clear_pointer(&tail->first, g_array_unref);
    g_clear_pointer(&tail->counts, g_array_unref);
    steady_words_clear(&tail->state);
    g_clear_pointer(&tail->foretold, g_array_unref);
    g_clear_pointer(&tail->at_ps, g_free);
}

void tail_foretell(Tail *tail, const GArray *grows)
{
    tail->checks = grows != NULL && tail->mark > 0;
    if (!tail->checks)
        return;
    g_array_set_size(tail->foretold, tail->counts->len);
    for (guint i = 0; i < tail->counts->len; i++)
        g_array_index(tail->foretold, SimWide, i) =
            g_array_index(tail->counts, SimWide, i) +
            g_array_index(grows, SimWide, i);
}

void tail_note(Tail *tail, Npu *npu)
{
    g_autoptr(GArray) counts = NULL;
    guint first;

    if (tail->mark == 0)
        return;
    counts = g_array_new(FALSE, FALSE, sizeof(SimWide));
    look(tail, npu, counts);
    first = g_array_index(tail->first, guint, npu->index);
    g_assert(first + counts->len ==
             g_array_index(tail->first, guint, npu->index + 1));
    g_assert(!tail->checks ||
             memcmp(&g_array_index(tail->foretold, SimWide, first),
                    counts->data, counts->len * sizeof(SimWide)) == 0);
    memcpy(&g_array_index(tail->counts, SimWide, first), counts->data,
           counts->len * sizeof(SimWide));
    tail->at_ps[npu->index] = sim_engine_now(npu->system->engine);
}

void tail_cut(const Tail *tail, const GArray *counts, GArray *grows)
{
    for (guint i = 0; tail->mark > 0 && i < tail->counts->len; i++)
        g_array_index(grows, SimWide, i) -=
            g_array_index(counts, SimWide, i) -
            g_array_index(tail->counts, SimWide, i);
}

void tail_end(const Tail *tail, Npu *npu, SimTime shift_ps)
{
    Training *t = npu->training;

    if (tail->mark == 0)
        return;
    t->compute_end_ps = tail->at_ps[npu->index] + shift_ps;
    t->end_ps = MAX(t->compute_end_ps, t->collective_end_ps);
}
