/* accord.c - those that ask are looked at together: see accord.h */
#include "models/endpoints/accord.h"

/* Whose wish goes first; NULL: nobody has any. */
static AccordAsker *find_first(AccordAsker *askers, uint32_t stage,
                               gpointer *ret_wish)
{
    AccordAsker *first = NULL;

    for (AccordAsker *asker = askers; asker; asker = asker->next[stage]) {
        gpointer wish = asker->ops->wish(asker->self, stage);

        if (!wish || (first && (wish == *ret_wish ||
                                !asker->ops->goes_before(wish, *ret_wish))))
            continue;
        first = asker;
        *ret_wish = wish;
    }
    return first;
}

static void wait(Accord *accord, AccordAsker *asker, uint32_t stage)
{
    if (asker->waits >> stage & 1)
        return;
    asker->waits |= 1U << stage;
    asker->next_waiting[stage] = accord->waiting[stage];
    accord->waiting[stage] = asker;
}

/* Something was decided. */
static void wake_all(Accord *accord, uint32_t stage)
{
    AccordAsker *asker = accord->waiting[stage], *next;

    accord->waiting[stage] = NULL;
    for (; asker; asker = next) {
        next = asker->next_waiting[stage];
        asker->waits &= ~(1U << stage);
        asker->ops->go_on(asker->self, stage);
    }
}

/* Those that have asked for @stage; who asks meanwhile is looked at again. */
static void look(Accord *accord, uint32_t stage)
{
    AccordAsker *asker = accord->askers[stage], *next;
    gpointer wish = NULL;
    AccordAsker *first = find_first(asker, stage, &wish);

    accord->askers[stage] = NULL;
    accord->asked &= ~(1U << stage);
    if (first)
        first->ops->decide(first->self, stage, wish);
    for (; asker; asker = next) {
        next = asker->next[stage];
        asker->asks &= ~(1U << stage);
        if (!first)
            wait(accord, asker, stage);
        asker->ops->go_on(asker->self, stage);
    }
    if (first)
        wake_all(accord, stage);
}

static void on_settled(gpointer self)
{
    Accord *accord = self;

    while (accord->asked)
        look(accord, g_bit_storage(accord->asked) - 1);
    accord->is_due = FALSE;
}

void accord_ask(Accord *accord, AccordAsker *asker, uint32_t stage)
{
    if (asker->asks >> stage & 1)
        return;
    asker->asks |= 1U << stage;
    asker->next[stage] = accord->askers[stage];
    accord->askers[stage] = asker;
    accord->asked |= 1U << stage;
    if (accord->is_due)
        return;
    accord->is_due = TRUE;
    sim_engine_when_settled(accord->engine, on_settled, accord);
}
