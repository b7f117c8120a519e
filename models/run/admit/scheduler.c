/*
 * scheduler.c - which collective's next chunk goes first
 *
 * order.c says which of two collectives goes first.  With preemption the
 * choice is made anew for every chunk, without it a collective that has begun
 * is finished first.
 *
 * Where all NPUs have one program (else see turns.h) they take chunks in
 * in the same order, whatever their groups are: the first to take its k-th
 * decides, the others follow, waiting for the collective to be issued if they
 * are behind.  Else NPUs out of step could fill their windows with different
 * chunks and wait for each other for ever.  Following cannot: whoever decided
 * had run the same program further, past every wait that a follower is in: what
 * it had to have done is done by chunks that stand before in that order, and
 * of those that are not through everywhere the first has nothing to wait for.
 * (An endpoint that takes all SMs does so while chunks are in flight, not from
 * the issue on: who waits to follow can still compute.)
 */
#include "models/run/admit/scheduler.h"

#include "models/run/admit/order.h"
#include "models/run/admit/turns.h"
#include "models/run/pipeline_impl.h"

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

/* Drops what every NPU has followed. */
static void forget(System *system)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < system->n_sim; i++)
        least = MIN(least, system->npus[i].n_admitted);
    if (least > system->n_forgotten)
        g_ptr_array_remove_range(system->admissions, 0,
                                 (guint)(least - system->n_forgotten));
    system->n_forgotten = least;
}

/* What another NPU has decided that this one takes next; NULL: nothing yet. */
static CollInstance *decided(const Npu *npu)
{
    const System *system = npu->system;
    uint64_t i = npu->n_admitted - system->n_forgotten;

    return i < system->admissions->len
               ? g_ptr_array_index(system->admissions, i)
               : NULL;
}

/* NULL: nothing can be taken in now. */
static CollInstance *next(Npu *npu)
{
    CollInstance *coll = decided(npu);

    if (coll)
        return coll->parts[npu->index].issued ? coll : NULL;
    return npu->pending->len > 0 ? choose(npu) : NULL;
}

static void note_admission(Npu *npu, CollInstance *coll)
{
    System *system = npu->system;

    if (system->n_sim == 1)
        return;
    if (!decided(npu))
        g_ptr_array_add(system->admissions, coll);
    npu->n_admitted++;
    if (system->admissions->len < system->next_forget)
        return;
    forget(system);
    system->next_forget = MIN_REMEMBERED + 2 * system->admissions->len;
}

static void start_chunks(Npu *npu)
{
    const CollectiveConfig *config = &npu->system->config->collectives;

    while (npu->n_in_flight < npu->system->window) {
        CollInstance *coll = next(npu);

        if (!coll)
            return;
        if (!npu->endpoint->ops->may_start(
                npu->endpoint, instance_next_bytes(coll, npu->index))) {
            TRACE(&npu->system->watch, intake_waits, npu->host.id,
                  RESOURCE_OWN + npu->endpoint->ops->intake);
            return;
        }
        npu->favoured = config->preempt ? NULL : coll;
        if (coll->parts[npu->index].next_chunk + 1 == coll->n_chunks) {
            g_ptr_array_remove(npu->pending, coll);
            npu->favoured = NULL;
        }
        note_admission(npu, coll);
        pipeline_start(npu, coll);
    }
    TRACE(&npu->system->watch, intake_waits, npu->host.id, RESOURCE_WINDOW);
}

void scheduler_pump(Npu *npu)
{
    if (npu->system->turns)
        turns_pump(npu);
    else
        start_chunks(npu);
    npu_after_intake(npu);
}

void scheduler_add(Npu *npu, CollInstance *coll)
{
    g_ptr_array_add(npu->pending, coll);
    if (npu->system->turns)
        turns_issue(npu, coll);
    scheduler_pump(npu);
}
