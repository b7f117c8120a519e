/* turns.c - what is taken in next is decided for all NPUs of a group at once */
#include "models/run/admit/turns.h"

#include "models/run/admit/order.h"
#include "models/run/pipeline_impl.h"

struct Turns {
    System *system;    /* borrowed */
    GPtrArray *ready;  /* of CollInstance: some set has all issued it */
    GPtrArray *fresh;  /* likewise, the first since the last look */
    gboolean is_due;   /* on_decide() will come at this instant, */
    gboolean is_asked; /* and was asked for since it last looked */
};

Turns *turns_new(System *system)
{
    Turns *turns = g_new0(Turns, 1);

    turns->system = system;
    turns->ready = g_ptr_array_new();
    turns->fresh = g_ptr_array_new();
    return turns;
}

void turns_free(Turns *turns)
{
    if (!turns)
        return;
    g_ptr_array_unref(turns->ready);
    g_ptr_array_unref(turns->fresh);
    g_free(turns);
}

static uint32_t set_of(const CollInstance *coll, uint32_t npu)
{
    return coll->scheme->set_of[npu];
}

static gboolean is_ready(const CollInstance *coll, uint32_t set)
{
    const CollSet *s = &coll->sets[set];

    return s->n_issued == coll->scheme->set_sizes[set] &&
           s->n_decided < coll->n_chunks;
}

static gboolean may_take(const Npu *npu, uint64_t bytes)
{
    return npu->n_in_flight < npu->system->window &&
           npu->endpoint->ops->may_start(npu->endpoint, bytes);
}

/* ---- taking in --------------------------------------------------------- */

static void take_in(Npu *npu)
{
    const Watch *watch = npu->host.watch;
    CollInstance *coll;

    while ((coll = g_queue_peek_head(&npu->turns))) {
        if (npu->n_in_flight >= npu->system->window) {
            TRACE(watch, intake_waits, npu->host.id, RESOURCE_WINDOW);
            return;
        }
        if (!npu->endpoint->ops->may_start(
                npu->endpoint, instance_next_bytes(coll, npu->index))) {
            TRACE(watch, intake_waits, npu->host.id,
                  RESOURCE_OWN + npu->endpoint->ops->intake);
            return;
        }
        (void)g_queue_pop_head(&npu->turns);
        if (coll->parts[npu->index].next_chunk + 1 == coll->n_chunks)
            g_ptr_array_remove(npu->pending, coll);
        chunk_begin(npu, coll);
    }
}

/* ---- deciding ---------------------------------------------------------- */

/* What a set's NPUs can do about the next chunk of a collective. */
typedef struct {
    gboolean wants;   /* some has room, with nothing else before it */
    gboolean is_kept; /* some has to finish another collective first */
} Wish;

static void ask_set(const CollInstance *coll, uint32_t i, Npu *npu,
                    Wish *wishes)
{
    uint32_t set = set_of(coll, i);
    uint64_t bytes;

    if (set == SCHEME_NO_SET || !is_ready(coll, set))
        return;
    bytes = MIN(coll->cut->chunk_bytes,
                coll->payload_bytes -
                    coll->sets[set].n_decided * coll->cut->chunk_bytes);
    wishes[set].is_kept |= npu->favoured && npu->favoured != coll;
    wishes[set].wants |= g_queue_is_empty(&npu->turns) && may_take(npu, bytes);
}

static void give_turn(CollInstance *coll, Npu *npu)
{
    const CollectiveConfig *config = &npu->system->config->collectives;
    const CollSet *set = &coll->sets[set_of(coll, npu->index)];

    g_queue_push_tail(&npu->turns, coll);
    npu->favoured =
        config->preempt || set->n_decided == coll->n_chunks ? NULL : coll;
}

/* The next chunk of @coll, in each set that has room for it.  FALSE: none. */
static gboolean decide(Turns *turns, CollInstance *coll)
{
    System *system = turns->system;
    uint32_t n_sets = coll->scheme->n_sets;
    g_autofree Wish *wishes = g_new0(Wish, n_sets);
    gboolean is_left = FALSE, any = FALSE;

    for (uint32_t i = 0; i < system->n_sim; i++)
        ask_set(coll, i, &system->npus[i], wishes);
    for (uint32_t s = 0; s < n_sets; s++) {
        wishes[s].wants = wishes[s].wants && !wishes[s].is_kept;
        if (wishes[s].wants)
            coll->sets[s].n_decided++;
        any |= wishes[s].wants;
        is_left |= is_ready(coll, s);
    }
    for (uint32_t i = 0; i < system->n_sim; i++)
        if (set_of(coll, i) != SCHEME_NO_SET && wishes[set_of(coll, i)].wants)
            give_turn(coll, &system->npus[i]);
    if (!is_left)
        g_ptr_array_remove(turns->ready, coll);
    return any;
}

/* By what was best before the last decision. */
static gint compare(gconstpointer a, gconstpointer b, gpointer self)
{
    const Turns *turns = self;
    const CollInstance *x = *(CollInstance *const *)a;
    const CollInstance *y = *(CollInstance *const *)b;
    SchedulerKind kind = turns->system->scheduler;

    return order_before(x, y, kind) ? -1 : order_before(y, x, kind) ? 1 : 0;
}

static gboolean decide_best(Turns *turns)
{
    GPtrArray *ready = turns->ready;
    guint i = 0;

    g_ptr_array_sort_with_data(ready, compare, turns);
    while (i < ready->len) {
        CollInstance *coll = g_ptr_array_index(ready, i);

        if (decide(turns, coll))
            return TRUE;
        if (i < ready->len && g_ptr_array_index(ready, i) == coll)
            i++;
    }
    return FALSE;
}

static gint compare_fresh(gconstpointer a, gconstpointer b)
{
    const CollInstance *x = *(CollInstance *const *)a;
    const CollInstance *y = *(CollInstance *const *)b;

    if (x->iteration != y->iteration)
        return x->iteration < y->iteration ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* Those of one instant are as old as they stand in the graph. */
static void count_age(Turns *turns)
{
    g_ptr_array_sort(turns->fresh, compare_fresh);
    for (guint i = 0; i < turns->fresh->len; i++) {
        CollInstance *coll = g_ptr_array_index(turns->fresh, i);

        coll->seq = turns->system->n_instances_made++;
    }
    g_ptr_array_set_size(turns->fresh, 0);
}

static void on_decide(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Turns *turns = self;
    System *system = turns->system;

    if (turns->is_asked) { /* wait until nothing happens any more */
        turns->is_asked = FALSE;
        sim_engine_at(system->engine, now_ps, SIM_PHASE_ACT, on_decide, turns,
                      arg);
        return;
    }
    turns->is_due = FALSE;
    count_age(turns);
    while (decide_best(turns))
        for (uint32_t i = 0; i < system->n_sim; i++)
            take_in(&system->npus[i]);
    for (uint32_t i = 0; i < system->n_sim; i++)
        npu_after_intake(&system->npus[i]);
}

static void ask(Turns *turns)
{
    SimEngine *engine = turns->system->engine;

    turns->is_asked = TRUE;
    if (turns->is_due)
        return;
    turns->is_due = TRUE;
    sim_engine_at(engine, sim_engine_now(engine), SIM_PHASE_ACT, on_decide,
                  turns, 0);
}

/* ---- what is told ------------------------------------------------------ */

void turns_issue(Npu *npu, CollInstance *coll)
{
    Turns *turns = npu->system->turns;
    uint32_t set = set_of(coll, npu->index);

    coll->sets[set].n_issued++;
    if (!is_ready(coll, set))
        return;
    if (!coll->is_aged)
        g_ptr_array_add(turns->fresh, coll);
    coll->is_aged = TRUE;
    if (!g_ptr_array_find(turns->ready, coll, NULL))
        g_ptr_array_add(turns->ready, coll);
    ask(turns);
}

void turns_pump(Npu *npu)
{
    take_in(npu);
    if (npu->pending->len > 0 && npu->n_in_flight < npu->system->window &&
        g_queue_is_empty(&npu->turns))
        ask(npu->system->turns);
}

const Npu *turns_awaited(const Npu *npu, const CollInstance *coll)
{
    const System *system = npu->system;
    uint32_t set = set_of(coll, npu->index);

    for (uint32_t i = 0; i < system->n_sim; i++)
        if (set_of(coll, i) == set && !coll->parts[i].issued)
            return &system->npus[i];
    return NULL;
}
