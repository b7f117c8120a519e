/* stream_times.c - the time of an iteration by main streams */
#include "models/run/stream_times.h"

#include <string.h>

#include "models/run/training_impl.h"

/* Returns the times of NPU @index in a run that took @total_ps. */
static StreamTimes stream_times_of_npu(const System *system, uint32_t index,
                                       SimTime total_ps)
{
    const Npu *npu = &system->state.npus[index];
    const Training *training = npu->training;
    SimTime sum_ps = 0;
    StreamTimes ret = { .compute_ps = compute_stream_busy_ps(
                            npu->streams[OP_STREAM_MAIN]) };

    g_assert(training->waits);
    memcpy(ret.wait_ps, training->waits->times.all_ps, sizeof ret.wait_ps);
    wait_state_add_last(training->waits, training->compute_end_ps, total_ps,
                        ret.wait_ps);
    /* The rest of the kernels' time is without an SM or without bandwidth. */
    ret.wait_ps[WAIT_OTHER] += training->waits->kernels_ps - ret.compute_ps;
    for (guint i = 0; i < WAIT_N_CAUSES; i++)
        sum_ps += ret.wait_ps[i];
    g_assert(ret.compute_ps + sum_ps == total_ps);
    return ret;
}

StreamTimes system_stream_times_of_npu(const System *system, uint32_t index)
{
    return stream_times_of_npu(system, index, system_result(system).total_ps);
}

StreamTimes system_stream_times(const System *system)
{
    SystemResult r = system_result(system);
    SimWide compute_ps = 0, wait_ps[WAIT_N_CAUSES] = { 0 };
    SimWide n = (SimWide)r.n_iterations * system->plan.n_sim;
    StreamTimes ret;
    SimTime left_ps;

    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        StreamTimes one = stream_times_of_npu(system, i, r.total_ps);

        compute_ps += one.compute_ps;
        for (guint k = 0; k < WAIT_N_CAUSES; k++)
            wait_ps[k] += one.wait_ps[k];
    }
    ret.compute_ps = (SimTime)(compute_ps / n);
    left_ps = r.iteration_ps - ret.compute_ps;
    for (guint k = 0; k < WAIT_N_CAUSES; k++) {
        ret.wait_ps[k] = (SimTime)(wait_ps[k] / n);
        left_ps -= ret.wait_ps[k];
    }
    g_assert(left_ps <= WAIT_N_CAUSES + 1);
    ret.wait_ps[WAIT_OTHER] += left_ps;
    return ret;
}
