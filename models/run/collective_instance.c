/* collective_instance.c - collectives in flight: one operation in one
 * iteration, on all NPUs; see collective_instance_impl.h */
#include "models/run/collective_instance_impl.h"

#include "models/run/regions/region_locks.h"

static CollInstance *collective_instance_new(System *system, uint32_t op,
                                             uint64_t iteration,
                                             uint64_t payload_bytes)
{
    const Op *o = op_graph_op(system->plan.graph, op);
    const Cut *cut = &system->plan.cuts[op];
    CollInstance *coll = g_new0(CollInstance, 1);

    coll->system = system;
    coll->op = op;
    coll->iteration = coll->age = iteration;
    coll->seq = system->whole->state.n_instances_made++;
    coll->has_age = system->plan.may_run_ahead;
    coll->coll_class = system->plan.collective_classes.class_of_op[op];
    coll->plan = &coll->coll_class->planned->plan;
    coll->priority = o->priority;
    coll->payload_bytes = payload_bytes;
    coll->cut = cut;
    if (coll->plan->n_phases > 0)
        coll->n_chunks = (uint32_t)((payload_bytes - 1) / cut->chunk_bytes + 1);
    coll->chunks = g_new0(Chunk *, coll->n_chunks);
    coll->parts = g_new0(CollPart, system->plan.n_sim);
    coll->sets = g_new0(CollSet, coll->coll_class->n_sets);
    coll->next = system->state.instances[op];
    system->state.instances[op] = coll;
    system->whole->state.n_instances_live++;
    return coll;
}

CollInstance *collective_instance_find(const System *system, uint32_t op,
                                       uint64_t iteration)
{
    CollInstance *coll = system->state.instances[op];

    while (coll && coll->iteration != iteration)
        coll = coll->next;
    return coll;
}

static CollInstance *find_instance_locked(System *system, uint32_t op,
                                          uint64_t iteration)
{
    CollInstance *coll;

    regions_lock(system);
    coll = collective_instance_find(system, op, iteration);
    regions_unlock(system);
    return coll;
}

/* Returns the instance of @op in @iteration.  Instances are numbered in the
 * order in which they are created. */
CollInstance *collective_instance_find_or_create(System *system, uint32_t op,
                                                 uint64_t iteration)
{
    CollInstance *coll = find_instance_locked(system, op, iteration);

    if (coll)
        return coll;
    regions_wait_for_earlier_regions(system);
    regions_lock(system);
    coll = collective_instance_find(system, op, iteration);
    if (!coll)
        coll = collective_instance_new(
            system, op, iteration,
            op_graph_op(system->plan.graph, op)->payload_bytes);
    regions_unlock(system);
    return coll;
}

/* Creates the instance of @load. It has the age of the oldest and the priority
 * of the most urgent member of the load of collectives. */
CollInstance *collective_instance_new_for_load(System *system,
                                               const TraceLoad *load)
{
    CollInstance *coll =
        collective_instance_new(system, load->op, load->iteration, load->bytes);

    coll->age = load->members[0].iteration;
    coll->priority = 0;
    for (uint32_t i = 0; i < load->n_members; i++) {
        const TraceMember *member = &load->members[i];
        const Op *op = op_graph_op(system->plan.graph, member->op);

        coll->age = MIN(coll->age, member->iteration);
        coll->priority = MAX(coll->priority, op->priority);
    }
    return coll;
}

static void collective_instance_free(CollInstance *coll)
{
    g_free(coll->chunks);
    g_free(coll->parts);
    g_free(coll->sets);
    g_free(coll);
}

static void unlink_instance(const System *system, const CollInstance *coll)
{
    CollInstance **link = &system->state.instances[coll->op];

    while (*link != coll)
        link = &(*link)->next;
    *link = coll->next;
}

void collective_instance_count_npu_done(System *system, CollInstance *coll)
{
    regions_lock(system);
    coll->n_parts_done++;
    if (coll->n_parts_done == coll->coll_class->n_parts) {
        unlink_instance(system, coll);
        system->whole->state.n_instances_live--;
        collective_instance_free(coll);
    }
    regions_unlock(system);
}

uint64_t collective_instance_next_bytes(const CollInstance *coll, uint32_t npu)
{
    uint64_t chunk_bytes = coll->cut->chunk_bytes;

    return MIN(chunk_bytes,
               coll->payload_bytes - coll->parts[npu].next_chunk * chunk_bytes);
}

void collective_instances_free(CollInstance *coll)
{
    while (coll) {
        CollInstance *next = coll->next;

        collective_instance_free(coll);
        coll = next;
    }
}
