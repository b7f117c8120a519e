/* accord.c - decides pending requests together: see accord.h */
#include "models/endpoints/accord.h"

/* The proposal that goes first, and the NPU that made it; .owner is NULL if
 * there is no proposal. */
typedef struct {
    AccordAsker *owner;
    gpointer wish;
} Wish;

static void find_first(AccordAsker *askers, uint32_t stage, Wish *best)
{
    for (AccordAsker *asker = askers; asker; asker = asker->next[stage]) {
        gpointer wish = asker->ops->wish(asker->self, stage);

        if (!wish ||
            (best->owner && (wish == best->wish ||
                             !asker->ops->goes_before(wish, best->wish))))
            continue;
        *best = (Wish){ asker, wish };
    }
}

static void wait_for_decision(Accord *accord, AccordAsker *asker,
                              uint32_t stage)
{
    if (asker->waits_for >> stage & 1)
        return;
    asker->waits_for |= 1U << stage;
    asker->next_waiting[stage] = accord->waiting[stage];
    accord->waiting[stage] = asker;
}

/* Handles the case that no proposal was made for the request of @asker.  With
 * several regions, an NPU that has no room need not be woken by a decision in
 * another region. */
static void handle_undecided(Accord *accord, AccordAsker *asker, uint32_t stage)
{
    if (!accord->others)
        wait_for_decision(accord, asker, stage);
    else if (asker->ops->has_room(asker->self, stage))
        accord->others->cannot(accord->self);
}

/* Wakes the waiting NPUs, because something was decided. */
static void wake_all(Accord *accord, uint32_t stage)
{
    AccordAsker *asker = accord->waiting[stage], *next;

    accord->waiting[stage] = NULL;
    for (; asker; asker = next) {
        next = asker->next_waiting[stage];
        asker->waits_for &= ~(1U << stage);
        asker->ops->go_on(asker->self, stage);
    }
}

/* Wakes the NPUs in the list @asker, whose requests have been removed.  New
 * requests meanwhile go into a new list. */
static void release_requests(Accord *accord, AccordAsker *asker, uint32_t stage,
                             gboolean is_decided)
{
    AccordAsker *next;

    for (; asker; asker = next) {
        next = asker->next[stage];
        asker->requested &= ~(1U << stage);
        if (!is_decided)
            handle_undecided(accord, asker, stage);
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

/* Decides the requests for @stage. */
static void decide_stage(Accord *const *accords, guint n, uint32_t stage)
{
    Wish best = { NULL, NULL };

    for (guint i = 0; i < n; i++)
        find_first(accords[i]->askers[stage], stage, &best);
    if (best.owner)
        best.owner->ops->decide(best.owner->self, stage, best.wish);
    for (guint i = 0; i < n; i++)
        release_requests(accords[i], take_askers(accords[i], stage), stage,
                         best.owner != NULL);
    for (guint i = 0; i < n && best.owner; i++)
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
        decide_stage(accords, n, g_bit_storage(asked) - 1);
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
    if (asker->requested >> stage & 1)
        return;
    asker->requested |= 1U << stage;
    asker->next[stage] = accord->askers[stage];
    accord->askers[stage] = asker;
    accord->asked |= 1U << stage;
    if (accord->is_due)
        return;
    accord->is_due = TRUE;
    sim_engine_when_settled(accord->engine, on_settled, accord);
}
