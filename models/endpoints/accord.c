/* accord.c - those that ask are looked at together: see accord.h */
#include "models/endpoints/accord.h"

/* Whose wish goes first, of those that ask and .first; .first is NULL: nobody
 * has any. */
typedef struct {
    AccordAsker *first;
    gpointer wish;
} Wish;

static void find_first(AccordAsker *askers, uint32_t stage, Wish *best)
{
    for (AccordAsker *asker = askers; asker; asker = asker->next[stage]) {
        gpointer wish = asker->ops->wish(asker->self, stage);

        if (!wish ||
            (best->first && (wish == best->wish ||
                             !asker->ops->goes_before(wish, best->wish))))
            continue;
        *best = (Wish){ asker, wish };
    }
}

static void wait(Accord *accord, AccordAsker *asker, uint32_t stage)
{
    if (asker->waits >> stage & 1)
        return;
    asker->waits |= 1U << stage;
    asker->next_waiting[stage] = accord->waiting[stage];
    accord->waiting[stage] = asker;
}

/* Nothing was decided for @asker.  Where others decide elsewhere, who has room
 * for nothing need not be told. */
static void wait_for_more(Accord *accord, AccordAsker *asker, uint32_t stage)
{
    if (!accord->others)
        wait(accord, asker, stage);
    else if (asker->ops->has_room(asker->self, stage))
        accord->others->cannot(accord->self);
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

/* Those that asked, of whom @accord knows no more; who asks meanwhile is looked
 * at again. */
static void let_go_on(Accord *accord, AccordAsker *asker, uint32_t stage,
                      gboolean is_decided)
{
    AccordAsker *next;

    for (; asker; asker = next) {
        next = asker->next[stage];
        asker->asks &= ~(1U << stage);
        if (!is_decided)
            wait_for_more(accord, asker, stage);
        asker->ops->go_on(asker->self, stage);
    }
}

static AccordAsker *take_askers(Accord *accord, uint32_t stage)
{
    AccordAsker *askers = accord->askers[stage];

    accord->askers[stage] = NULL;
    accord->asked &= ~(1U << stage);
    return askers;
}

/* Those that have asked for @stage. */
static void look(Accord *const *accords, guint n, uint32_t stage)
{
    Wish best = { NULL, NULL };

    for (guint i = 0; i < n; i++)
        find_first(accords[i]->askers[stage], stage, &best);
    if (best.first)
        best.first->ops->decide(best.first->self, stage, best.wish);
    for (guint i = 0; i < n; i++)
        let_go_on(accords[i], take_askers(accords[i], stage), stage,
                  best.first != NULL);
    for (guint i = 0; i < n && best.first; i++)
        wake_all(accords[i], stage);
}

static uint32_t all_asked(Accord *const *accords, guint n)
{
    uint32_t asked = 0;

    for (guint i = 0; i < n; i++)
        asked |= accords[i]->asked;
    return asked;
}

void accord_decide(Accord *const *accords, guint n)
{
    uint32_t asked;

    while ((asked = all_asked(accords, n)))
        look(accords, n, g_bit_storage(asked) - 1);
    for (guint i = 0; i < n; i++)
        accords[i]->is_due = FALSE;
}

gboolean accord_is_open(const Accord *accord)
{
    for (uint32_t s = 0; s < ACCORD_N_STAGES; s++)
        for (const AccordAsker *a = accord->askers[s]; a; a = a->next[s])
            if (a->ops->has_room(a->self, s))
                return TRUE;
    return FALSE;
}

static void on_settled(gpointer self)
{
    Accord *accord = self;

    if (accord->others)
        accord->others->settle(accord->self);
    else
        accord_decide(&accord, 1);
}

gboolean accord_learns(const Accord *accord, AccordAsker *asker, uint32_t stage)
{
    if (!asker->ops->has_room(asker->self, stage))
        return FALSE;
    accord->others->catch_up(accord->self);
    return asker->ops->is_behind(asker->self, stage);
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
