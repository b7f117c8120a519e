/* run.c - runs a system from its first event to its last */
#include "models/run/run.h"

#include "models/run/prepare/size_estimate.h"
#include "models/run/quiescent/quiescent_collectives.h"
#include "models/run/regions/regions.h"
#include "models/run/report/stall_report.h"
#include "models/run/steady/steady.h"
#include "workloads/jobs/jobs.h"

static void begin_npu_program(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Npu *npu = self;

    (void)arg;
    (void)now_ps;
    TRACE(npu->host.watch, begins, npu->host.id);
    TRACE(npu->host.watch, level, npu->host.id, TRACE_LEVEL_SMS,
          npu_endpoint_claim(npu).n_sms);
    training_begin(npu->training);
}

static gboolean check_run_is_complete(const System *system, GError **error)
{
    if (sim_engine_exceeded_time_range(system->state.engine)) {
        g_autoptr(GString) why = g_string_new(NULL);

        system_explain_run_length(system, why);
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LONG,
                    "the run takes longer than the 53 days that can be "
                    "simulated: %s",
                    why->str);
        return FALSE;
    }
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        g_autoptr(GString) text = NULL;

        if (training_is_done(system->state.npus[i].training))
            continue;
        text = g_string_new(NULL);
        system_explain_stalls(system->state.npus[i].training, text);
        g_string_truncate(text, text->len - 1);
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED,
                    "the run stalled at %" G_GUINT64_FORMAT
                    " ps: nothing can go on\n%s",
                    sim_engine_now_ps(system->state.engine), text->str);
        return FALSE;
    }
    return TRUE;
}

static void assert_conservation(const System *system)
{
    uint64_t sent_bytes = 0, received_bytes = 0;

    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        const Npu *npu = &system->state.npus[i];

        sent_bytes += npu->sent_bytes;
        received_bytes += npu->received_bytes;
        g_assert(npu->n_in_flight == 0 && npu->pending->len == 0);
        g_assert(npu->n_collectives == 0 && npu->inbox == INBOX_EMPTY);
    }
    g_assert(sent_bytes == received_bytes);
    g_assert(network_is_empty(system->state.network));
    g_assert(system->state.n_chunks_live == 0 &&
             system->state.n_instances_live == 0);
}

/* Runs up to @n_max events, one by one if a listener can stop the run. */
static uint64_t run_events(const System *system, uint64_t n_max)
{
    uint64_t n_run = 0;

    if (!trace_watch_may_stop_run(&system->state.watch))
        return sim_engine_run_events(system->state.engine, n_max);
    while (n_run < n_max &&
           !trace_watch_listener_stops_run(&system->state.watch) &&
           sim_engine_run_events(system->state.engine, 1) == 1)
        n_run++;
    return n_run;
}

static gboolean orders_use_switch(const CollOrders *orders)
{
    gboolean may = FALSE;

    for (uint32_t o = 0; o < orders->n; o++)
        may |= orders->plans[o].via_switch;
    return may;
}

/* Returns how the run ended.  A run that stalls may lack a resource, but not if
 * a sent message never arrived. */
static TraceEnd run_end_state(const System *system)
{
    TraceEnd end = { .is_done = TRUE,
                     .n_iterations = system->plan.config->training.n_iterations,
                     .is_past_range =
                         sim_engine_exceeded_time_range(system->state.engine) };
    uint64_t sent_bytes = 0, received_bytes = 0;
    /* Some bytes may still wait in a switch for other messages. */
    gboolean may_wait = FALSE;

    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        const Npu *npu = &system->state.npus[i];

        sent_bytes += npu->sent_bytes;
        received_bytes += npu->received_bytes;
        end.is_done = end.is_done && training_is_done(npu->training);
    }
    for (guint i = 0; i < system->plan.collective_classes.classes->len; i++)
        may_wait |= orders_use_switch(
            &collective_classes_at(&system->plan.collective_classes, i)
                 ->planned->orders);
    end.is_lost = !may_wait && sent_bytes != received_bytes;
    return end;
}

static void schedule_npu_programs(System *system)
{
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        sim_engine_schedule(
            system->state.npus[i].system->state.engine,
            op_graph_start_ps(system->plan.graph, system->state.npus[i].role),
            SIM_PHASE_ACT, begin_npu_program, &system->state.npus[i], 0);
}

static gboolean run_simulated_system(System *system, uint64_t n_max,
                                     SystemProgressFn tell, gpointer self,
                                     GError **error)
{
    uint64_t n_run;
    TraceEnd end;

    schedule_npu_programs(system);
    do {
        n_run = run_events(system, n_max);
        system->counters.n_events += n_run;
        if (tell && !tell(self, system, system->counters.n_events, error))
            return FALSE;
    } while (n_run == n_max);
    end = run_end_state(system);
    if (!trace_watch_report_run_end(&system->state.watch, &end, error) ||
        !check_run_is_complete(system, error))
        return FALSE;
    assert_conservation(system);
    return TRUE;
}

static gboolean run_all_regions(System *system, uint64_t n_max,
                                SystemProgressFn tell, gpointer self,
                                GError **error)
{
    schedule_npu_programs(system);
    if (!regions_run_threads(system, n_max, tell, self, error))
        return FALSE;
    assert_conservation(system);
    return TRUE;
}

gboolean system_run_slices(System *system, uint64_t n_max,
                           SystemProgressFn tell, gpointer self, GError **error)
{
    gboolean ok;

    if (system->regions)
        return run_all_regions(system, n_max, tell, self, error);
    if (!system_check_listener_memory(system, error))
        return FALSE;
    system->state.steady = steady_new(system);
    system->state.quiescent = quiescent_collectives_new(system);
    ok = run_simulated_system(system, n_max, tell, self, error);
    g_clear_pointer(&system->state.quiescent, quiescent_collectives_free);
    /* The steady-state detection borrows listeners, which may be freed before
     * the system. */
    g_clear_pointer(&system->state.steady, steady_free);
    return ok;
}

gboolean system_run_with_progress(System *system, SystemProgressFn tell,
                                  gpointer self, GError **error)
{
    return system_run_slices(system, tell ? SYSTEM_SLICE_EVENTS : UINT64_MAX,
                             tell, self, error);
}

gboolean system_run(System *system, GError **error)
{
    return system_run_with_progress(system, NULL, NULL, error);
}

SkipMode system_skip_mode(const System *system)
{
    return system->plan.skip;
}

SimTime system_now_ps(const System *system)
{
    return sim_engine_now_ps(system->state.engine);
}

uint64_t system_n_iterations(const System *system)
{
    return system->plan.config->training.n_iterations;
}

uint64_t system_n_iterations_done(const System *system)
{
    return training_n_iterations_done(system->state.npus[0].training);
}
