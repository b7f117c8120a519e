/* look_kept.c - copies, compares and frees snapshots */
#include "models/run/steady/look.h"

void look_free(Look *look)
{
    if (!look)
        return;
    steady_words_clear(&look->state);
    g_array_unref(look->counts);
    steady_words_clear(&look->lasting);
    if (look->told)
        look->listener->ops->repeats->let_look_go(look->told);
    g_free(look);
}

Look *look_copy(const Look *look)
{
    Look *copy = g_memdup2(look, sizeof *look);

    copy->told = NULL;
    copy->state = (SteadyWords){ 0 };
    steady_words_append(&copy->state, look->state.at, look->state.n);
    copy->counts = g_array_copy(look->counts);
    copy->lasting = (SteadyWords){ 0 };
    steady_words_append(&copy->lasting, look->lasting.at, look->lasting.n);
    return copy;
}

gboolean look_equals(const Look *a, const Look *b)
{
    return steady_words_are_same(&a->state, &b->state);
}

gboolean look_lasts(const Look *a, const Look *b)
{
    return steady_words_are_same(&a->lasting, &b->lasting);
}
