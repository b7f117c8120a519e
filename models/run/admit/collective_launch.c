/* collective_launch.c - the delay between the issue of a collective and its
 * first chunk; see collective_launch.h */
#include "models/run/admit/collective_launch.h"

#include "models/run/admit/chunk_scheduler.h"
#include "models/run/stack_costs.h"

static void on_empty_collective(gpointer self, uint32_t index, uint64_t now_ps)
{
    CollInstance *coll = self;
    Npu *npu = &coll->system->state.npus[index];

    (void)now_ps;
    npu->callbacks->collective(npu, coll);
}

static void finish_collective_launch(Npu *npu, CollInstance *coll)
{
    coll->parts[npu->index].issued = TRUE;
    scheduler_add_collective(npu, coll);
}

static void on_launch_done(gpointer self, uint32_t index, uint64_t now_ps)
{
    CollInstance *coll = self;
    Npu *npu = &coll->system->state.npus[index];

    (void)now_ps;
    TRACE(npu->host.watch, collective_launched, npu->host.id, coll->op,
          coll->iteration);
    finish_collective_launch(npu, coll);
}

void launch_collective(Npu *npu, CollInstance *coll)
{
    SimEngine *engine = npu->system->state.engine;
    SimTime now_ps = sim_engine_now_ps(engine);
    SimTime launch_ps = system_launch_ps(npu->system, npu->host.id, coll->op);

    if (coll->n_chunks == 0)
        sim_engine_schedule(engine, now_ps, SIM_PHASE_ACT, on_empty_collective,
                            coll, npu->index);
    else if (launch_ps == 0)
        finish_collective_launch(npu, coll);
    else
        sim_engine_schedule(engine, sim_time_add(now_ps, launch_ps),
                            SIM_PHASE_ACT, on_launch_done, coll, npu->index);
}
