/* beside.c - runs the kernels that communication does not depend on */
#include "models/run/steady/beside.h"

#include <string.h>

#include "models/run/steady/loop.h"
#include "models/run/training_impl.h"

/* The state of one NPU, saved so that it can be restored. */
typedef struct {
    gpointer streams[OP_N_STREAMS], hbm; /* owned */
    uint32_t kernels[OP_N_STREAMS];
    SimTime beside_ps;
    Training training; /* owned: the times and .n_done */
} Noted;

struct Beside {
    System *system;     /* borrowed */
    GHashTable *owners; /* owned: of Npu, by address of its streams and of its
                         * program */
    Noted *noted;       /* owned: one an NPU; NULL: nothing is saved */
    GArray *more;       /* owned: of SimEvent, that the last event scheduled */
};

Beside *beside_new(System *system)
{
    Beside *beside = g_new0(Beside, 1);

    beside->system = system;
    beside->owners = g_hash_table_new(NULL, NULL);
    beside->more = g_array_new(FALSE, FALSE, sizeof(SimEvent));
    for (uint32_t i = 0; i < system->n_sim; i++) {
        Npu *npu = &system->npus[i];

        g_hash_table_insert(beside->owners, npu->training, npu);
        for (OpStream s = 0; s < OP_N_STREAMS; s++)
            g_hash_table_insert(beside->owners, npu->streams[s], npu);
    }
    return beside;
}

/* ---- saving and restoring ---------------------------------------------- */

static gsize n_times(const System *system)
{
    return (gsize)system->graph->layers->len * OP_N_PASSES;
}

static void note(const System *system, const Npu *npu, Noted *noted)
{
    const Training *t = npu->training;
    gsize n_ops = system->graph->ops->len;

    for (OpStream s = 0; s < OP_N_STREAMS; s++) {
        noted->streams[s] = compute_stream_copy(npu->streams[s]);
        noted->kernels[s] = npu->kernels[s];
    }
    noted->hbm = hbm_copy(npu->hbm);
    noted->beside_ps = npu->beside_ps;
    noted->training = *t;
    noted->training.n_done = g_memdup2(t->n_done, n_ops * sizeof *t->n_done);
    if (!t->busy_ps)
        return;
    noted->training.busy_ps =
        g_memdup2(t->busy_ps, n_times(system) * sizeof *t->busy_ps);
    noted->training.wait_ps =
        g_memdup2(t->wait_ps, n_times(system) * sizeof *t->wait_ps);
}

static void go_back(const System *system, Npu *npu, const Noted *noted)
{
    Training *t = npu->training;
    Training now = *t;

    for (OpStream s = 0; s < OP_N_STREAMS; s++) {
        compute_stream_go_back(npu->streams[s], noted->streams[s]);
        npu->kernels[s] = noted->kernels[s];
    }
    hbm_go_back(npu->hbm, noted->hbm);
    npu->beside_ps = noted->beside_ps;
    memcpy(now.n_done, noted->training.n_done,
           system->graph->ops->len * sizeof *now.n_done);
    if (now.busy_ps) {
        memcpy(now.busy_ps, noted->training.busy_ps,
               n_times(system) * sizeof *now.busy_ps);
        memcpy(now.wait_ps, noted->training.wait_ps,
               n_times(system) * sizeof *now.wait_ps);
    }
    *t = noted->training;
    t->n_done = now.n_done;
    t->busy_ps = now.busy_ps;
    t->wait_ps = now.wait_ps;
}

static void forget(Beside *beside)
{
    for (uint32_t i = 0; beside->noted && i < beside->system->n_sim; i++) {
        Noted *noted = &beside->noted[i];

        for (OpStream s = 0; s < OP_N_STREAMS; s++)
            g_free(noted->streams[s]);
        g_free(noted->hbm);
        g_free(noted->training.n_done);
        g_free(noted->training.busy_ps);
        g_free(noted->training.wait_ps);
    }
    g_clear_pointer(&beside->noted, g_free);
}

void beside_note(Beside *beside)
{
    const System *system = beside->system;

    forget(beside);
    beside->noted = g_new0(Noted, system->n_sim);
    for (uint32_t i = 0; i < system->n_sim; i++)
        note(system, &system->npus[i], &beside->noted[i]);
}

void beside_go_back(Beside *beside)
{
    for (uint32_t i = 0; i < beside->system->n_sim; i++)
        go_back(beside->system, &beside->system->npus[i], &beside->noted[i]);
}

void beside_free(Beside *beside)
{
    if (!beside)
        return;
    forget(beside);
    g_hash_table_unref(beside->owners);
    g_array_unref(beside->more);
    g_free(beside);
}

/* ---- running ------------------------------------------------------------ */

static gboolean is_seen(const Beside *beside, const SimEvent *event)
{
    const System *system = beside->system;
    const Npu *npu = g_hash_table_lookup(beside->owners, event->self);

    if (!npu || system->config->platform.npu.hbm.policy != HBM_PARTITIONED)
        return TRUE;
    for (OpStream s = 0; s < OP_N_STREAMS; s++)
        if (event->self == npu->streams[s])
            return npu->kernels[s] != NPU_IDLE &&
                   loop_lets_communicate(system, npu->kernels[s]);
    return FALSE; /* a kernel begins */
}

/* Moves the events that the last event scheduled from the engine into @events,
 * each behind all events of the same time. */
static void add_more(Beside *beside, GArray *events)
{
    g_array_set_size(beside->more, 0);
    sim_engine_take_all(beside->system->engine, beside->more);
    for (guint m = 0; m < beside->more->len; m++) {
        SimEvent event = g_array_index(beside->more, SimEvent, m);
        guint at = events->len;

        while (at > 0 &&
               g_array_index(events, SimEvent, at - 1).key > event.key)
            at--;
        g_array_insert_val(events, at, event);
    }
}

/* Returns a number that changes when a wait of the main stream of NPU 0 begins
 * or ends, or an iteration ends.  A listener assumes that neither happens while
 * periods are skipped. */
static uint64_t stretch(const System *system)
{
    const Npu *npu = &system->npus[0];

    return 2 * npu->training->streams[OP_STREAM_MAIN].iteration +
           (npu->kernels[OP_STREAM_MAIN] != NPU_IDLE);
}

static SimTime run(Beside *beside, GArray *events, SimTime until_ps)
{
    const System *system = beside->system;
    gboolean is_heard = system->watch.listeners != NULL;
    uint64_t began = stretch(system);

    while (events->len > 0) {
        SimEvent event = g_array_index(events, SimEvent, 0);
        SimTime at_ps = sim_engine_event_ps(&event);

        if (at_ps > until_ps)
            break;
        if (is_seen(beside, &event))
            return at_ps;
        g_array_remove_index(events, 0);
        sim_engine_set_now(system->engine, at_ps);
        event.fn(event.self, event.arg, at_ps);
        add_more(beside, events);
        if (is_heard && stretch(system) != began)
            return at_ps;
    }
    return SIM_TIME_MAX;
}

SimTime beside_run(Beside *beside, GArray *events, SimTime until_ps,
                   gboolean tells)
{
    Watch *watch = &beside->system->watch;
    const TraceOps heard = watch->heard;
    SimTime seen_ps;

    if (!tells)
        watch->heard = (TraceOps){ 0 };
    seen_ps = run(beside, events, until_ps);
    watch->heard = heard;
    return seen_ps;
}
