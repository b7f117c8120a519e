/* multi_program_scheduler.c - the order in which NPUs with several programs
 * take in chunks; see multi_program_scheduler.h */
#include "models/run/admit/multi_program_scheduler.h"

#include "models/run/admit/collective_precedence.h"
#include "models/run/chunk_progress_impl.h"

struct MultiProgram {
    System *system; /* borrowed */
    /* Collectives (CollInstance) that some set has issued completely. */
    GPtrArray *ready;
    /* Collectives without an age, which a set has issued completely since the
     * last decision; the elements are CollInstance. */
    GPtrArray *without_age;
    /* The event on_admission_decision() is scheduled for this instant. */
    gboolean is_scheduled;
    /* The state changed since on_admission_decision() was scheduled, so it must
     * decide again. */
    gboolean is_requested;
};

MultiProgram *multi_program_new(System *system)
{
    MultiProgram *scheduler = g_new0(MultiProgram, 1);

    scheduler->system = system;
    scheduler->ready = g_ptr_array_new();
    scheduler->without_age = g_ptr_array_new();
    return scheduler;
}

void multi_program_free(MultiProgram *scheduler)
{
    if (!scheduler)
        return;
    g_ptr_array_unref(scheduler->ready);
    g_ptr_array_unref(scheduler->without_age);
    g_free(scheduler);
}

static uint32_t npu_set_of_program(const CollInstance *coll, uint32_t npu)
{
    return coll->coll_class->set_of[npu];
}

static gboolean set_has_undecided_chunk(const CollInstance *coll, uint32_t set)
{
    const CollSet *s = &coll->sets[set];

    return s->n_issued == coll->coll_class->set_sizes[set] &&
           s->n_chunks_decided < coll->n_chunks;
}

static gboolean npu_can_start_chunk(const Npu *npu, const CollInstance *coll,
                                    uint64_t bytes)
{
    return npu->n_in_flight < npu->system->plan.window &&
           npu_endpoint_has_room(npu, coll, bytes);
}

/* ---- intake --------------------------------------------------------- */

static void start_decided_chunks(Npu *npu)
{
    const Watch *watch = npu->host.watch;
    CollInstance *coll;

    while ((coll = g_queue_peek_head(&npu->decisions))) {
        if (npu->n_in_flight >= npu->system->plan.window) {
            TRACE(watch, intake_waits, npu->host.id, RESOURCE_WINDOW);
            return;
        }
        if (!npu_endpoint_has_room(
                npu, coll, collective_instance_next_bytes(coll, npu->index))) {
            TRACE(watch, intake_waits, npu->host.id,
                  npu_intake_resource(npu, coll));
            return;
        }
        (void)g_queue_pop_head(&npu->decisions);
        if (coll->parts[npu->index].next_chunk + 1 == coll->n_chunks)
            g_ptr_array_remove(npu->pending, coll);
        chunk_begin(npu, coll);
    }
}

/* ---- decision ------------------------------------------------------- */

/* Whether the NPUs of a set can start the next chunk of a collective. */
typedef struct {
    /* At least one NPU has room and no earlier decision to follow first. */
    gboolean can_take;
    /* At least one NPU has to finish another collective first. */
    gboolean is_blocked;
} SetIntake;

static void check_npu_readiness(const CollInstance *coll, uint32_t i, Npu *npu,
                                SetIntake *intakes)
{
    uint32_t set = npu_set_of_program(coll, i);
    uint64_t bytes;

    if (set == COLLECTIVE_CLASS_NO_SET || !set_has_undecided_chunk(coll, set))
        return;
    bytes = MIN(coll->cut->chunk_bytes,
                coll->payload_bytes -
                    coll->sets[set].n_chunks_decided * coll->cut->chunk_bytes);
    intakes[set].is_blocked |= npu->favoured && npu->favoured != coll;
    intakes[set].can_take |= g_queue_is_empty(&npu->decisions) &&
                             npu_can_start_chunk(npu, coll, bytes);
}

static void queue_chunk_decision(CollInstance *coll, Npu *npu)
{
    const CollectiveConfig *config = &npu->system->plan.config->collectives;
    const CollSet *set = &coll->sets[npu_set_of_program(coll, npu->index)];

    g_queue_push_tail(&npu->decisions, coll);
    npu->favoured = config->preempt || set->n_chunks_decided == coll->n_chunks
                        ? NULL
                        : coll;
}

/* Decides the next chunk of @coll in each set that has room for it.  Returns
 * FALSE if there is no such set. */
static gboolean decide_next_chunk(MultiProgram *scheduler, CollInstance *coll)
{
    System *system = scheduler->system;
    uint32_t n_sets = coll->coll_class->n_sets;
    g_autofree SetIntake *intakes = g_new0(SetIntake, n_sets);
    gboolean is_left = FALSE, any = FALSE;

    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        check_npu_readiness(coll, i, &system->state.npus[i], intakes);
    for (uint32_t s = 0; s < n_sets; s++) {
        intakes[s].can_take = intakes[s].can_take && !intakes[s].is_blocked;
        if (intakes[s].can_take)
            coll->sets[s].n_chunks_decided++;
        any |= intakes[s].can_take;
        is_left |= set_has_undecided_chunk(coll, s);
    }
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        if (npu_set_of_program(coll, i) != COLLECTIVE_CLASS_NO_SET &&
            intakes[npu_set_of_program(coll, i)].can_take)
            queue_chunk_decision(coll, &system->state.npus[i]);
    if (!is_left)
        g_ptr_array_remove(scheduler->ready, coll);
    return any;
}

/* Orders collectives by precedence, for g_ptr_array_sort_with_data(). */
static gint compare_collectives_by_precedence(gconstpointer a, gconstpointer b,
                                              gpointer self)
{
    const MultiProgram *scheduler = self;
    const CollInstance *x = *(CollInstance *const *)a;
    const CollInstance *y = *(CollInstance *const *)b;
    SchedulerKind kind = scheduler->system->plan.scheduler;

    return collective_has_precedence(x, y, kind)   ? -1
           : collective_has_precedence(y, x, kind) ? 1
                                                   : 0;
}

static gboolean decide_best_collective(MultiProgram *scheduler)
{
    GPtrArray *ready = scheduler->ready;
    guint i = 0;

    g_ptr_array_sort_with_data(ready, compare_collectives_by_precedence,
                               scheduler);
    while (i < ready->len) {
        CollInstance *coll = g_ptr_array_index(ready, i);

        if (decide_next_chunk(scheduler, coll))
            return TRUE;
        if (i < ready->len && g_ptr_array_index(ready, i) == coll)
            i++;
    }
    return FALSE;
}

static gint compare_collectives_by_graph_order(gconstpointer a, gconstpointer b)
{
    const CollInstance *x = *(CollInstance *const *)a;
    const CollInstance *y = *(CollInstance *const *)b;

    if (x->iteration != y->iteration)
        return x->iteration < y->iteration ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* Gives new collectives their ages.  Collectives that were issued at one
 * instant get ages in the order of the graph. */
static void assign_collective_ages(MultiProgram *scheduler)
{
    g_ptr_array_sort(scheduler->without_age,
                     compare_collectives_by_graph_order);
    for (guint i = 0; i < scheduler->without_age->len; i++) {
        CollInstance *coll = g_ptr_array_index(scheduler->without_age, i);

        coll->seq = scheduler->system->state.n_instances_made++;
    }
    g_ptr_array_set_size(scheduler->without_age, 0);
}

static void on_admission_decision(gpointer self, uint32_t arg, uint64_t now_ps)
{
    MultiProgram *scheduler = self;
    System *system = scheduler->system;

    /* The event repeats until nothing more happens at this instant. */
    if (scheduler->is_requested) {
        scheduler->is_requested = FALSE;
        sim_engine_schedule(system->state.engine, now_ps, SIM_PHASE_ACT,
                            on_admission_decision, scheduler, arg);
        return;
    }
    scheduler->is_scheduled = FALSE;
    assign_collective_ages(scheduler);
    while (decide_best_collective(scheduler))
        for (uint32_t i = 0; i < system->plan.n_sim; i++)
            start_decided_chunks(&system->state.npus[i]);
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        npu_update_after_chunks(&system->state.npus[i]);
}

static void request_admission_decision(MultiProgram *scheduler)
{
    SimEngine *engine = scheduler->system->state.engine;

    scheduler->is_requested = TRUE;
    if (scheduler->is_scheduled)
        return;
    scheduler->is_scheduled = TRUE;
    sim_engine_schedule(engine, sim_engine_now_ps(engine), SIM_PHASE_ACT,
                        on_admission_decision, scheduler, 0);
}

/* ---- calls of NPUs -------------------------------------------------- */

void multi_program_issue_collective(Npu *npu, CollInstance *coll)
{
    MultiProgram *scheduler = npu->system->state.multi_program;
    uint32_t set = npu_set_of_program(coll, npu->index);

    coll->sets[set].n_issued++;
    if (!set_has_undecided_chunk(coll, set))
        return;
    if (!coll->is_numbered)
        g_ptr_array_add(scheduler->without_age, coll);
    coll->is_numbered = TRUE;
    if (!g_ptr_array_find(scheduler->ready, coll, NULL))
        g_ptr_array_add(scheduler->ready, coll);
    request_admission_decision(scheduler);
}

void multi_program_start_chunks(Npu *npu)
{
    start_decided_chunks(npu);
    if (npu->pending->len > 0 && npu->n_in_flight < npu->system->plan.window &&
        g_queue_is_empty(&npu->decisions))
        request_admission_decision(npu->system->state.multi_program);
}

const Npu *multi_program_find_npu_without_chunk(const Npu *npu,
                                                const CollInstance *coll)
{
    const System *system = npu->system;
    uint32_t set = npu_set_of_program(coll, npu->index);

    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        if (npu_set_of_program(coll, i) == set && !coll->parts[i].issued)
            return &system->state.npus[i];
    return NULL;
}
