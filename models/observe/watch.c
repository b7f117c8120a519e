/* watch.c - a run told to who listens, and to who checks its data */
#include "models/observe/watch_impl.h"

void watch_send(const Npu *npu, VerifyStep at, uint32_t message)
{
    TRACE(npu->system, message_handed, npu->id, message);
    VERIFY(npu->system, send, &at, message,
           network_message(npu->system->network, message)->bytes);
}

void watch_arrive(const Npu *npu, VerifyStep at, uint32_t message)
{
    TRACE(npu->system, message_arrives, npu->id, message);
    VERIFY(npu->system, arrive, &at, message,
           network_message(npu->system->network, message)->bytes);
}

void watch_receive(const Npu *npu, VerifyStep at, uint32_t message)
{
    TRACE(npu->system, message_handed, npu->id, message);
    VERIFY(npu->system, receive, &at);
}

void watch_handle(const Npu *npu, VerifyStep at, gboolean added)
{
    VERIFY(npu->system, handle, &at, added);
}

gboolean system_verify(System *system, GError **error)
{
    g_assert(fold_is_full(system->fold) && !system->verify);
    if (system->n_sim > SYSTEM_MAX_VERIFIED) {
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                    "data can be carried along for %d NPUs at most, not %u",
                    SYSTEM_MAX_VERIFIED, system->n_sim);
        return FALSE;
    }
    if (!system_check_verified_size(system, error))
        return FALSE;
    system->verify = verify_new(system->graph, system->n_sim);
    system->is_watched = TRUE;
    return TRUE;
}

uint64_t system_n_verified(const System *system)
{
    return system->verify ? verify_n_chunks(system->verify) : 0;
}

/* Event by event, so that it ends at the first thing wrong, before anything
 * built on it can assert, wait or go round for ever. */
uint64_t watch_run(System *system, uint64_t n_max)
{
    uint64_t n_run = 0;

    while (n_run < n_max && !verify_error(system->verify) &&
           sim_engine_run_events(system->engine, 1) == 1)
        n_run++;
    return n_run;
}

/* What is missing shows at the end.  A run that stalls may do so for want of
 * some resource; but not where something went out and never came. */
static void close_verify(const System *system)
{
    uint64_t sent_bytes = 0, received_bytes = 0;
    gboolean is_done = TRUE, may_wait = FALSE; /* in a switch, for others */

    for (uint32_t i = 0; i < system->n_sim; i++) {
        sent_bytes += system->npus[i].sent_bytes;
        received_bytes += system->npus[i].received_bytes;
        is_done = is_done && training_is_done(system->npus[i].training);
    }
    for (int k = 0; k < COLL_N_KINDS; k++)
        may_wait = may_wait || system->plans[k].via_switch;
    if (is_done)
        verify_close(system->verify, system->config->training.n_iterations);
    else
        verify_stall(system->verify, !may_wait && sent_bytes != received_bytes);
}

gboolean watch_check(const System *system, GError **error)
{
    if (!system->verify)
        return TRUE;
    if (!verify_error(system->verify) &&
        !sim_engine_is_past_range(system->engine))
        close_verify(system);
    if (!verify_error(system->verify))
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_WRONG_DATA,
                "data went wrong, which is a bug in acesim: %s",
                verify_error(system->verify));
    return FALSE;
}
