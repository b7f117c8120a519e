/*
 * scheduler.c - which collective's next chunk goes first
 *
 * order.c says which of two collectives goes first.  With preemption the
 * choice is made anew for every chunk, without it a collective that has begun
 * is finished first.
 *
 * Where all NPUs have one program (else see turns.h) they take chunks in
 * in the same order, whatever their groups are: the first to take its k-th
 * decides, or, of several at one instant, whose choice goes first (accord.h);
 * the others follow, waiting for the collective to be issued if they
 * are behind.  Else NPUs out of step could fill their windows with different
 * chunks and wait for each other for ever.  Following cannot: whoever decided
 * had run the same program further, past every wait that a follower is in: what
 * it had to have done is done by chunks that stand before in that order, and
 * of those that are not through everywhere the first has nothing to wait for.
 * (An endpoint that takes all SMs does so while chunks are in flight, not from
 * the issue on: who waits to follow can still compute.)
 */
#include "models/run/admit/scheduler.h"

#include "models/run/admit/communicators.h"
#include "models/run/admit/order.h"
#include "models/run/admit/turns.h"
#include "models/run/pipeline_impl.h"
#include "models/run/regions/together.h"

static CollInstance *choose(Npu *npu)
{
    CollInstance *best = NULL;

    if (npu->favoured)
        return npu->favoured;
    for (guint i = 0; i < npu->pending->len; i++) {
        CollInstance *coll = g_ptr_array_index(npu->pending, i);

        if (!best || order_before(coll, best, npu->system->scheduler))
            best = coll;
    }
    return best;
}

#define MIN_REMEMBERED 4096

/* Drops what every NPU has followed; others may be about to, elsewhere. */
static void forget(System *system)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < system->n_sim; i++)
        least = MIN(least, __atomic_load_n(&system->npus[i].n_admitted,
                                           __ATOMIC_RELAXED));
    least += system->admissions->len - system->n_admissions; /* of these */
    if (least > 0)
        g_ptr_array_remove_range(system->admissions, 0, (guint)least);
}

/* Others may decide meanwhile. */
static inline gboolean is_behind(const Npu *npu)
{
    return npu->n_admitted <
           __atomic_load_n(&npu->system->whole->n_admissions, __ATOMIC_RELAXED);
}

/* What another NPU has decided that this one takes next; NULL: nothing yet. */
static inline CollInstance *decided(const Npu *npu)
{
    const System *whole = npu->system->whole;
    CollInstance *coll;

    if (!is_behind(npu))
        return NULL;
    regions_lock(whole);
    coll = g_ptr_array_index(whole->admissions,
                             whole->admissions->len -
                                 (whole->n_admissions - npu->n_admitted));
    regions_unlock(whole);
    return coll;
}

static void forget_some(System *whole)
{
    if (whole->admissions->len < whole->next_forget)
        return;
    forget(whole);
    whole->next_forget = MIN_REMEMBERED + 2 * whole->admissions->len;
}

/* Others may look how many it has admitted. */
static G_GNUC_NO_INLINE void note_admission_for_others(Npu *npu)
{
    __atomic_store_n(&npu->n_admitted, npu->n_admitted + 1, __ATOMIC_RELAXED);
    regions_lock(npu->system);
    forget_some(npu->system->whole);
    regions_unlock(npu->system);
}

static inline void note_admission(Npu *npu)
{
    if (G_UNLIKELY(npu->system->regions)) {
        note_admission_for_others(npu);
        return;
    }
    npu->n_admitted++;
    forget_some(npu->system);
}

/* For one more chunk; else it is told what is short. */
static gboolean has_window(const Npu *npu)
{
    if (npu->n_in_flight < npu->system->window)
        return TRUE;
    TRACE(&npu->system->watch, intake_waits, npu->host.id, RESOURCE_WINDOW);
    return FALSE;
}

/* Likewise, of @coll. */
static gboolean has_room(const Npu *npu, const CollInstance *coll)
{
    if (npu->endpoint->ops->may_start(npu->endpoint,
                                      instance_next_bytes(coll, npu->index)))
        return TRUE;
    TRACE(&npu->system->watch, intake_waits, npu->host.id,
          RESOURCE_OWN + npu->endpoint->ops->intake);
    return FALSE;
}

static void take_in(Npu *npu, CollInstance *coll)
{
    npu->favoured = npu->system->config->collectives.preempt ? NULL : coll;
    if (coll->parts[npu->index].next_chunk + 1 == coll->n_chunks) {
        g_ptr_array_remove(npu->pending, coll);
        npu->favoured = NULL;
    }
    note_admission(npu);
    chunk_begin(npu, coll);
}

static void follow(Npu *npu);

/* More may be decided; where it was meanwhile, elsewhere, that goes first. */
static void ask(Npu *npu)
{
    Accord *accord = &npu->system->accord;

    if (accord_is_late(accord, &npu->asker, ACCORD_INTAKE))
        follow(npu);
    else
        accord_ask(accord, &npu->asker, ACCORD_INTAKE);
}

/* What was decided to be next, as far as it can. */
static void follow(Npu *npu)
{
    CollInstance *coll;

    while ((coll = decided(npu)) && coll->parts[npu->index].issued &&
           has_window(npu) && has_room(npu, coll))
        take_in(npu, coll);
    if (!coll && npu->pending->len > 0 && has_window(npu))
        ask(npu);
    else
        npu_after_intake(npu);
}

static gpointer wish(gpointer self, uint32_t stage)
{
    Npu *npu = self;
    CollInstance *coll;

    (void)stage;
    if (npu->pending->len == 0 || is_behind(npu) || !has_window(npu))
        return NULL;
    coll = choose(npu);
    return has_room(npu, coll) ? coll : NULL;
}

static gboolean goes_before(gconstpointer a, gconstpointer b)
{
    const CollInstance *coll = a;

    return order_before(coll, b, coll->system->scheduler);
}

static void decide(gpointer self, uint32_t stage, gpointer wish)
{
    const Npu *npu = self;
    System *whole = npu->system->whole;

    (void)stage;
    regions_lock(whole);
    g_ptr_array_add(whole->admissions, wish);
    __atomic_store_n(&whole->n_admissions, whole->n_admissions + 1,
                     __ATOMIC_RELAXED);
    regions_unlock(whole);
}

static void go_on(gpointer self, uint32_t stage)
{
    Npu *npu = self;

    (void)stage;
    if (is_behind(npu))
        follow(npu);
    else
        npu_after_intake(npu);
}

static gboolean has_room_for_some(gpointer self, uint32_t stage)
{
    const Npu *npu = self;

    (void)stage;
    if (!has_window(npu))
        return FALSE;
    for (guint i = 0; i < npu->pending->len; i++)
        if (has_room(npu, g_ptr_array_index(npu->pending, i)))
            return TRUE;
    return FALSE;
}

static gboolean is_late(gpointer self, uint32_t stage)
{
    (void)stage;
    return is_behind(self);
}

const AccordOps scheduler_accord = { wish,  goes_before,       decide,
                                     go_on, has_room_for_some, is_late };

void scheduler_pump(Npu *npu)
{
    if (!npu->system->turns && !npu->system->communicators) {
        TRACE(&npu->system->watch, asks, npu->host.id, ACCORD_INTAKE);
        follow(npu);
        return;
    }
    if (npu->system->communicators)
        communicators_pump(npu);
    else
        turns_pump(npu);
    npu_after_intake(npu);
}

void scheduler_add(Npu *npu, CollInstance *coll)
{
    g_ptr_array_add(npu->pending, coll);
    if (npu->system->communicators)
        communicators_issue(npu, coll);
    else if (npu->system->turns)
        turns_issue(npu, coll);
    scheduler_pump(npu);
}
