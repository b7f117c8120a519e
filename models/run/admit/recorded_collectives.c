/* recorded_collectives.c - collectives and messages that take their recorded
 * time; see recorded_collectives.h */
#include "models/run/admit/recorded_collectives.h"

#define MILLION 1000000

static uint32_t npu_set_of_recorded_collective(const Npu *npu,
                                               const CollInstance *coll)
{
    return coll->coll_class->set_of[npu->index];
}

static Npu *nth_npu_of_collective_set(const CollInstance *coll, uint32_t set,
                                      uint32_t i)
{
    const CollectiveClass *coll_class = coll->coll_class;

    return &coll->system->state
                .npus[coll_class->set_members[coll_class->set_starts[set] + i]];
}

/* Returns the recorded time multiplied by the factor of each rule of
 * `perturb.ops` that matches a member of the set, once per rule. */
static SimTime perturbed_recorded_time_ps(const CollInstance *coll,
                                          uint32_t set)
{
    const System *system = coll->system;
    SimTime ps = op_graph_op(system->plan.graph, coll->op)->duration_ps;
    uint64_t rules = 0;

    for (uint32_t i = 0;
         system->plan.op_rules && i < coll->coll_class->set_sizes[set]; i++)
        rules |= op_rules_matching_op(
            system->plan.op_rules,
            nth_npu_of_collective_set(coll, set, i)->host.id, coll->op);
    return rules == 0 ? ps
                      : sim_time_scaled(ps,
                                        op_rules_product_of_factors_ppm(
                                            system->plan.op_rules, rules),
                                        MILLION);
}

static void on_recorded_end(gpointer self, uint32_t set, uint64_t now_ps)
{
    CollInstance *coll = self;
    uint32_t n = coll->coll_class->set_sizes[set];

    (void)now_ps;
    for (uint32_t i = 0; i < n; i++) {
        Npu *npu = nth_npu_of_collective_set(coll, set, i);

        TRACE(npu->host.watch, recorded_ends, npu->host.id, coll->op,
              coll->iteration);
        /* The call for the last NPU frees @coll. */
        npu->callbacks->collective(npu, coll);
    }
}

static void begin_recorded_time(CollInstance *coll, uint32_t set)
{
    const System *system = coll->system;
    SimEngine *engine = system->state.engine;

    for (uint32_t i = 0;
         system->state.watch.listeners && i < coll->coll_class->set_sizes[set];
         i++)
        TRACE(&system->state.watch, recorded_begins,
              nth_npu_of_collective_set(coll, set, i)->host.id, coll->op,
              coll->iteration);
    sim_engine_schedule(engine,
                        sim_time_add(sim_engine_now_ps(engine),
                                     perturbed_recorded_time_ps(coll, set)),
                        SIM_PHASE_ACT, on_recorded_end, coll, set);
}

void recorded_collective_begin(Npu *npu, CollInstance *coll)
{
    uint32_t set = npu_set_of_recorded_collective(npu, coll);

    g_assert(set != COLLECTIVE_CLASS_NO_SET && !coll->parts[npu->index].issued);
    coll->parts[npu->index].issued = TRUE;
    coll->sets[set].n_issued++;
    if (coll->sets[set].n_issued == coll->coll_class->set_sizes[set])
        begin_recorded_time(coll, set);
}

const Npu *recorded_collective_find_missing_npu(const Npu *npu,
                                                const CollInstance *coll)
{
    uint32_t set = npu_set_of_recorded_collective(npu, coll);

    for (uint32_t i = 0; i < coll->coll_class->set_sizes[set]; i++) {
        const Npu *other = nth_npu_of_collective_set(coll, set, i);

        if (!coll->parts[other->index].issued)
            return other;
    }
    return NULL;
}
