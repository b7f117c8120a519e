/* kernels_during_skips.c - runs the kernels that communication does not depend
 * on */
#include "models/run/steady/kernels_during_skips.h"

#include <string.h>

#include "models/run/steady/kernel_loop.h"
#include "models/run/training_impl.h"

/* The state of one NPU, saved so that it can be restored. */
typedef struct {
    gpointer streams[OP_N_STREAMS], hbm; /* owned */
    uint32_t kernels[OP_N_STREAMS];
    SimTime beside_ps;
    Training training; /* owned: the times and .n_done */
} SavedNpu;

struct KernelsDuringSkips {
    System *system;     /* borrowed */
    GHashTable *owners; /* owned: of Npu, by address of its streams and of its
                         * program */
    SavedNpu *saved;    /* owned: one an NPU; NULL: nothing is saved */
    GArray *scheduled;  /* owned: of SimEvent, that the last event scheduled */
};

KernelsDuringSkips *kernels_during_skips_new(System *system)
{
    KernelsDuringSkips *independent = g_new0(KernelsDuringSkips, 1);

    independent->system = system;
    independent->owners = g_hash_table_new(NULL, NULL);
    independent->scheduled = g_array_new(FALSE, FALSE, sizeof(SimEvent));
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        Npu *npu = &system->state.npus[i];

        g_hash_table_insert(independent->owners, npu->training, npu);
        for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
            g_hash_table_insert(independent->owners, npu->streams[stream], npu);
    }
    return independent;
}

/* ---- saving and restoring ----------------------------------------------- */

static gsize count_saved_times(const System *system)
{
    return (gsize)system->plan.graph->layers->len * OP_N_PASSES;
}

static void save_npu_state(const System *system, const Npu *npu,
                           SavedNpu *saved)
{
    const Training *training = npu->training;

    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++) {
        saved->streams[stream] =
            compute_stream_copy_state(npu->streams[stream]);
        saved->kernels[stream] = npu->kernels[stream];
    }
    saved->hbm = hbm_copy_state(npu->hbm);
    saved->beside_ps = npu->beside_ps;
    saved->training = *training;
    saved->training.n_done =
        g_memdup2(training->n_done,
                  (gsize)training_n_slots(training) * sizeof *training->n_done);
    if (!training->busy_ps)
        return;
    saved->training.busy_ps =
        g_memdup2(training->busy_ps,
                  count_saved_times(system) * sizeof *training->busy_ps);
    saved->training.wait_ps =
        g_memdup2(training->wait_ps,
                  count_saved_times(system) * sizeof *training->wait_ps);
}

static void restore_npu_state(const System *system, Npu *npu,
                              const SavedNpu *saved)
{
    Training *training = npu->training;
    Training now = *training;

    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++) {
        compute_stream_restore_state(npu->streams[stream],
                                     saved->streams[stream]);
        npu->kernels[stream] = saved->kernels[stream];
    }
    hbm_restore_state(npu->hbm, saved->hbm);
    npu->beside_ps = saved->beside_ps;
    memcpy(now.n_done, saved->training.n_done,
           (gsize)training_n_slots(training) * sizeof *now.n_done);
    if (now.busy_ps) {
        memcpy(now.busy_ps, saved->training.busy_ps,
               count_saved_times(system) * sizeof *now.busy_ps);
        memcpy(now.wait_ps, saved->training.wait_ps,
               count_saved_times(system) * sizeof *now.wait_ps);
    }
    *training = saved->training;
    training->n_done = now.n_done;
    training->busy_ps = now.busy_ps;
    training->wait_ps = now.wait_ps;
}

static void free_saved_npu_states(KernelsDuringSkips *independent)
{
    for (uint32_t i = 0;
         independent->saved && i < independent->system->plan.n_sim; i++) {
        SavedNpu *saved = &independent->saved[i];

        for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
            g_free(saved->streams[stream]);
        g_free(saved->hbm);
        g_free(saved->training.n_done);
        g_free(saved->training.busy_ps);
        g_free(saved->training.wait_ps);
    }
    g_clear_pointer(&independent->saved, g_free);
}

void kernels_during_skips_save(KernelsDuringSkips *independent)
{
    const System *system = independent->system;

    free_saved_npu_states(independent);
    independent->saved = g_new0(SavedNpu, system->plan.n_sim);
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        save_npu_state(system, &system->state.npus[i], &independent->saved[i]);
}

void kernels_during_skips_restore(KernelsDuringSkips *independent)
{
    for (uint32_t i = 0; i < independent->system->plan.n_sim; i++)
        restore_npu_state(independent->system,
                          &independent->system->state.npus[i],
                          &independent->saved[i]);
}

void kernels_during_skips_free(KernelsDuringSkips *independent)
{
    if (!independent)
        return;
    free_saved_npu_states(independent);
    g_hash_table_unref(independent->owners);
    g_array_unref(independent->scheduled);
    g_free(independent);
}

/* ---- running ------------------------------------------------------------ */

/* Returns whether communication could notice @event. */
static gboolean
event_affects_communication(const KernelsDuringSkips *independent,
                            const SimEvent *event)
{
    const System *system = independent->system;
    const Npu *npu = g_hash_table_lookup(independent->owners, event->self);

    if (!npu || system->plan.config->platform.npu.hbm.policy != HBM_PARTITIONED)
        return TRUE;
    for (OpStream stream = 0; stream < OP_N_STREAMS; stream++)
        if (event->self == npu->streams[stream])
            return npu->kernels[stream] != NPU_IDLE &&
                   kernel_loop_enables_collective(system, npu->kernels[stream]);
    return FALSE; /* the event only begins a kernel */
}

/* Moves the events that the last event scheduled from the engine into @events,
 * each behind all events of the same time. */
static void insert_newly_scheduled_events(KernelsDuringSkips *independent,
                                          GArray *events)
{
    g_array_set_size(independent->scheduled, 0);
    sim_engine_remove_all_events(independent->system->state.engine,
                                 independent->scheduled);
    for (guint m = 0; m < independent->scheduled->len; m++) {
        SimEvent event = g_array_index(independent->scheduled, SimEvent, m);
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
static uint64_t wait_and_iteration_count(const System *system)
{
    const Npu *npu = &system->state.npus[0];

    return 2 * npu->training->streams[OP_STREAM_MAIN].iteration +
           (npu->kernels[OP_STREAM_MAIN] != NPU_IDLE);
}

static SimTime run_kernel_events_until(KernelsDuringSkips *independent,
                                       GArray *events, SimTime until_ps)
{
    const System *system = independent->system;
    gboolean has_listeners = system->state.watch.listeners != NULL;
    uint64_t began = wait_and_iteration_count(system);

    while (events->len > 0) {
        SimEvent event = g_array_index(events, SimEvent, 0);
        SimTime at_ps = sim_engine_event_time_ps(&event);

        if (at_ps > until_ps)
            break;
        if (event_affects_communication(independent, &event))
            return at_ps;
        g_array_remove_index(events, 0);
        sim_engine_set_now_ps(system->state.engine, at_ps);
        event.fn(event.self, event.arg, at_ps);
        insert_newly_scheduled_events(independent, events);
        if (has_listeners && wait_and_iteration_count(system) != began)
            return at_ps;
    }
    return SIM_TIME_MAX;
}

SimTime kernels_during_skips_run(KernelsDuringSkips *independent,
                                 GArray *events, SimTime until_ps,
                                 gboolean calls_listeners)
{
    Watch *watch = &independent->system->state.watch;
    const TraceOps heard = watch->heard;
    SimTime noticed_ps;

    if (!calls_listeners)
        watch->heard = (TraceOps){ 0 };
    noticed_ps = run_kernel_events_until(independent, events, until_ps);
    watch->heard = heard;
    return noticed_ps;
}
