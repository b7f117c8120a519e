#include "models/run/run.h"

#include "models/endpoints/endpoint_impl.h"
#include "models/observe/watch_impl.h"

static void begin(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Npu *npu = self;

    (void)arg;
    (void)now_ps;
    TRACE(npu->system, begins, npu->id);
    TRACE(npu->system, level, npu->id, TRACE_LEVEL_SMS, npu_claim(npu).n_sms);
    training_begin(npu->training);
}

static gboolean check_done(const System *system, GError **error)
{
    if (sim_engine_is_past_range(system->engine)) {
        g_autoptr(GString) why = g_string_new(NULL);

        system_explain_length(system, why);
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LONG,
                    "the run takes longer than the 53 days that can be "
                    "simulated: %s",
                    why->str);
        return FALSE;
    }
    for (uint32_t i = 0; i < system->n_sim; i++) {
        g_autoptr(GString) text = NULL;

        if (training_is_done(system->npus[i].training))
            continue;
        text = g_string_new(NULL);
        training_explain(system->npus[i].training, text);
        g_string_truncate(text, text->len - 1);
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED,
                    "the run stalled at %" G_GUINT64_FORMAT
                    " ps: nothing can go on\n%s",
                    sim_engine_now(system->engine), text->str);
        return FALSE;
    }
    return TRUE;
}

static void assert_conservation(const System *system)
{
    uint64_t sent_bytes = 0, received_bytes = 0;

    for (uint32_t i = 0; i < system->n_sim; i++) {
        const Npu *npu = &system->npus[i];

        sent_bytes += npu->sent_bytes;
        received_bytes += npu->received_bytes;
        g_assert(npu->n_in_flight == 0 && npu->pending->len == 0);
        g_assert(npu->n_collectives == 0 && npu->n_inbox == 0);
    }
    g_assert(sent_bytes == received_bytes);
    g_assert(network_is_empty(system->network));
    g_assert(system->n_chunks_live == 0 && system->n_instances_live == 0);
}

gboolean system_run_telling(System *system, SystemTellFn tell, gpointer self,
                            GError **error)
{
    uint64_t n_max = tell ? SYSTEM_SLICE_EVENTS : UINT64_MAX;
    uint64_t n_run;

    for (uint32_t i = 0; i < system->n_sim; i++)
        sim_engine_at(system->engine, 0, SIM_PHASE_ACT, begin, &system->npus[i],
                      0);
    do {
        n_run = system->verify ? watch_run(system, n_max)
                               : sim_engine_run_events(system->engine, n_max);
        system->n_events += n_run;
        if (tell && !tell(self, system, system->n_events, error))
            return FALSE;
    } while (n_run == n_max);
    if (!watch_check(system, error) || !check_done(system, error))
        return FALSE;
    assert_conservation(system);
    return TRUE;
}

gboolean system_run(System *system, GError **error)
{
    return system_run_telling(system, NULL, NULL, error);
}

SimTime system_now_ps(const System *system)
{
    return sim_engine_now(system->engine);
}
