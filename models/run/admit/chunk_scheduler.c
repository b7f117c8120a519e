/*
 * chunk_scheduler.c - chooses the collective whose next chunk starts
 *
 * collective_precedence.c defines the precedence of two collectives. With
 * preemption the choice is made again for every chunk. Without it, a collective
 * that has begun is finished first.
 *
 * If all NPUs have one program (otherwise see multi_program_scheduler.h), they
 * take in chunks in the same order, whatever their groups are. The NPU that
 * first takes in its k-th chunk decides. If several do so at one instant, the
 * choice with the highest precedence counts (admission_consensus.h). The other
 * NPUs follow, and wait until they have issued the collective if they are
 * behind. Without a common order, NPUs that are not synchronised could fill
 * their windows with different chunks and wait for each other for ever.
 *
 * Following causes no deadlock.  The NPU that decided had executed the same
 * program further than a follower, past every wait of the follower.  So
 * whatever a follower waits for is done by chunks that precede in the common
 * order, and the first of the incomplete chunks waits for nothing.  An endpoint
 * that takes all SMs does so while chunks are in flight, and not from the issue
 * on, so that an NPU that waits to follow can still compute.
 */
#include "models/run/admit/chunk_scheduler.h"

#include "models/run/admit/collective_precedence.h"
#include "models/run/admit/communicators.h"
#include "models/run/admit/multi_program_scheduler.h"
#include "models/run/chunk_progress_impl.h"
#include "models/run/regions/region_locks.h"

static CollInstance *choose_collective_to_start(Npu *npu)
{
    CollInstance *best = NULL;

    if (npu->favoured)
        return npu->favoured;
    for (guint i = 0; i < npu->pending->len; i++) {
        CollInstance *coll = g_ptr_array_index(npu->pending, i);

        if (!best ||
            collective_has_precedence(coll, best, npu->system->plan.scheduler))
            best = coll;
    }
    return best;
}

#define MIN_ADMISSIONS 4096

/* Drops the admissions that every NPU has followed from the list.  Other
 * threads may follow admissions meanwhile, and read the counters of the
 * list. */
static void remove_admissions_applied_by_all(System *system)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        least = MIN(least, __atomic_load_n(&system->state.npus[i].n_admitted,
                                           __ATOMIC_RELAXED));
    least += system->state.admissions->len -
             system->state.n_admissions; /* as a position in the list */
    if (least > 0)
        g_ptr_array_remove_range(system->state.admissions, 0, (guint)least);
}

/* Returns whether @npu has yet to follow an admission that another NPU decided.
 * Other threads may decide further ones meanwhile. */
static inline gboolean npu_has_admissions_to_apply(const Npu *npu)
{
    return npu->n_admitted <
           __atomic_load_n(&npu->system->whole->state.n_admissions,
                           __ATOMIC_RELAXED);
}

/* Returns the collective of the admission that @npu follows next, or NULL if
 * there is none yet. */
static inline CollInstance *next_admission_to_apply(const Npu *npu)
{
    const System *whole = npu->system->whole;
    CollInstance *coll;

    if (!npu_has_admissions_to_apply(npu))
        return NULL;
    regions_lock(whole);
    coll = g_ptr_array_index(whole->state.admissions,
                             whole->state.admissions->len -
                                 (whole->state.n_admissions - npu->n_admitted));
    regions_unlock(whole);
    return coll;
}

static void trim_long_admission_list(System *whole)
{
    if (whole->state.admissions->len < whole->state.next_drop_length)
        return;
    remove_admissions_applied_by_all(whole);
    whole->state.next_drop_length =
        MIN_ADMISSIONS + 2 * whole->state.admissions->len;
}

/* Counts one more admission while other threads may read the counter. */
static G_GNUC_NO_INLINE void count_chunk_admission_atomically(Npu *npu)
{
    __atomic_store_n(&npu->n_admitted, npu->n_admitted + 1, __ATOMIC_RELAXED);
    regions_lock(npu->system);
    trim_long_admission_list(npu->system->whole);
    regions_unlock(npu->system);
}

static inline void count_chunk_admission(Npu *npu)
{
    if (G_UNLIKELY(npu->system->regions)) {
        count_chunk_admission_atomically(npu);
        return;
    }
    npu->n_admitted++;
    trim_long_admission_list(npu->system);
}

/* Returns whether the window has room for one more chunk; if not, traces the
 * resource that is missing. */
static gboolean window_has_room(const Npu *npu)
{
    if (npu->n_in_flight < npu->system->plan.window)
        return TRUE;
    TRACE(&npu->system->state.watch, intake_waits, npu->host.id,
          RESOURCE_WINDOW);
    return FALSE;
}

/* Returns whether the endpoint has room for the next chunk of @coll; if not,
 * traces the resource that is missing. */
static gboolean endpoint_has_room(const Npu *npu, const CollInstance *coll)
{
    if (npu_endpoint_has_room(npu, coll,
                              collective_instance_next_bytes(coll, npu->index)))
        return TRUE;
    TRACE(&npu->system->state.watch, intake_waits, npu->host.id,
          npu_intake_resource(npu, coll));
    return FALSE;
}

static void start_next_chunk(Npu *npu, CollInstance *coll)
{
    npu->favoured = npu->system->plan.config->collectives.preempt ? NULL : coll;
    if (coll->parts[npu->index].next_chunk + 1 == coll->n_chunks) {
        g_ptr_array_remove(npu->pending, coll);
        npu->favoured = NULL;
    }
    count_chunk_admission(npu);
    chunk_begin(npu, coll);
}

static void apply_admissions_decided_by_others(Npu *npu);

/* Requests a decision.  If another thread has decided for this instant already,
 * that decision is followed. */
static void request_chunk_decision(Npu *npu)
{
    AdmissionConsensus *consensus = &npu->system->state.consensus;

    if (admission_is_behind_other_regions(consensus, &npu->asker,
                                          ADMISSION_INTAKE))
        apply_admissions_decided_by_others(npu);
    else
        admission_request_decision(consensus, &npu->asker, ADMISSION_INTAKE);
}

/* Starts chunks as other NPUs have decided while there is room, then requests a
 * further decision if there is still room. */
static void apply_admissions_decided_by_others(Npu *npu)
{
    CollInstance *coll;

    while ((coll = next_admission_to_apply(npu)) &&
           coll->parts[npu->index].issued && window_has_room(npu) &&
           endpoint_has_room(npu, coll))
        start_next_chunk(npu, coll);
    if (!coll && npu->pending->len > 0 && window_has_room(npu))
        request_chunk_decision(npu);
    else
        npu_update_after_chunks(npu);
}

static gpointer collective_proposed_to_stage(gpointer self, uint32_t stage)
{
    Npu *npu = self;
    CollInstance *coll;

    (void)stage;
    if (npu->pending->len == 0 || npu_has_admissions_to_apply(npu) ||
        !window_has_room(npu))
        return NULL;
    coll = choose_collective_to_start(npu);
    return endpoint_has_room(npu, coll) ? coll : NULL;
}

static gboolean collective_precedes(gconstpointer a, gconstpointer b)
{
    const CollInstance *coll = a;

    return collective_has_precedence(coll, b, coll->system->plan.scheduler);
}

static void start_chunk_as_decider(gpointer self, uint32_t stage,
                                   gpointer proposal)
{
    const Npu *npu = self;
    System *whole = npu->system->whole;

    (void)stage;
    regions_lock(whole);
    g_ptr_array_add(whole->state.admissions, proposal);
    __atomic_store_n(&whole->state.n_admissions, whole->state.n_admissions + 1,
                     __ATOMIC_RELAXED);
    regions_unlock(whole);
}

static void apply_or_request_decision(gpointer self, uint32_t stage)
{
    Npu *npu = self;

    (void)stage;
    if (npu_has_admissions_to_apply(npu))
        apply_admissions_decided_by_others(npu);
    else
        npu_update_after_chunks(npu);
}

static gboolean endpoint_has_room_for_any_chunk(gpointer self, uint32_t stage)
{
    const Npu *npu = self;

    (void)stage;
    if (!window_has_room(npu))
        return FALSE;
    for (guint i = 0; i < npu->pending->len; i++)
        if (endpoint_has_room(npu, g_ptr_array_index(npu->pending, i)))
            return TRUE;
    return FALSE;
}

static gboolean stage_has_admissions_to_apply(gpointer self, uint32_t stage)
{
    (void)stage;
    return npu_has_admissions_to_apply(self);
}

const AdmissionRequesterOps scheduler_requester_ops = {
    collective_proposed_to_stage,    collective_precedes,
    start_chunk_as_decider,          apply_or_request_decision,
    endpoint_has_room_for_any_chunk, stage_has_admissions_to_apply
};

void scheduler_start_chunks(Npu *npu)
{
    if (!npu->system->state.multi_program &&
        !npu->system->state.communicators) {
        TRACE(&npu->system->state.watch, may_admit, npu->host.id,
              ADMISSION_INTAKE);
        apply_admissions_decided_by_others(npu);
        return;
    }
    if (npu->system->state.communicators)
        communicators_start_chunks(npu);
    else
        multi_program_start_chunks(npu);
    npu_update_after_chunks(npu);
}

void scheduler_add_collective(Npu *npu, CollInstance *coll)
{
    if (npu->system->state.communicators) {
        communicators_post_collective(npu, coll);
    } else {
        g_ptr_array_add(npu->pending, coll);
        if (npu->system->state.multi_program)
            multi_program_issue_collective(npu, coll);
    }
    scheduler_start_chunks(npu);
}
