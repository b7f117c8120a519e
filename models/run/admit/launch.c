/* launch.c - the delay between the issue of a collective and its first chunk;
 * see launch.h */
#include "models/run/admit/launch.h"

#include "models/run/admit/scheduler.h"
#include "models/run/stack_costs.h"

static void on_trivial(gpointer self, uint32_t index, uint64_t now_ps)
{
    CollInstance *coll = self;
    Npu *npu = &coll->system->npus[index];

    (void)now_ps;
    npu->done->collective(npu, coll);
}

static void launched(Npu *npu, CollInstance *coll)
{
    coll->parts[npu->index].issued = TRUE;
    scheduler_add_collective(npu, coll);
}

static void on_launched(gpointer self, uint32_t index, uint64_t now_ps)
{
    CollInstance *coll = self;
    Npu *npu = &coll->system->npus[index];

    (void)now_ps;
    TRACE(npu->host.watch, collective_launched, npu->host.id, coll->op,
          coll->iteration);
    launched(npu, coll);
}

void launch(Npu *npu, CollInstance *coll)
{
    SimEngine *engine = npu->system->engine;
    SimTime now_ps = sim_engine_now(engine);
    SimTime launch_ps = system_launch_ps(npu->system, npu->host.id, coll->op);

    if (coll->n_chunks == 0)
        sim_engine_schedule(engine, now_ps, SIM_PHASE_ACT, on_trivial, coll,
                            npu->index);
    else if (launch_ps == 0)
        launched(npu, coll);
    else
        sim_engine_schedule(engine, sim_time_add(now_ps, launch_ps),
                            SIM_PHASE_ACT, on_launched, coll, npu->index);
}
