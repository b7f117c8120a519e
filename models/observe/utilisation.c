/* utilisation.c - adds the use of an NPU's resources to buckets of time */
#include "models/observe/utilisation.h"

struct Utilisation {
    const System *system;        /* borrowed */
    UtilisationSet *private_set; /* owned; NULL: it is in the caller's set */
    uint32_t npu;
    TimeBuckets *buckets; /* owned: the integrals over time */
    uint64_t levels[TRACE_N_LEVELS];
    SimTime level_ps[TRACE_N_LEVELS]; /* time of the last change of a level */
    SimTime last_ps;                  /* time of the last report of a level */
};

struct UtilisationSet {
    uint32_t n_places;
    const System *system; /* borrowed */
    /* Owned: by index of the simulated NPU; NULL: it is not in the set. */
    Utilisation **by_place;
    gboolean owns; /* the set owns its utilisations */
};

/* Returns the utilisation of @npu, or NULL if it is not in the set. */
static Utilisation *find_utilisation_of_npu(const UtilisationSet *set,
                                            uint32_t npu)
{
    Utilisation *utilisation =
        set->by_place[system_representative_npu(set->system, npu)];

    return utilisation && utilisation->npu == npu ? utilisation : NULL;
}

static void on_kernel_ran(gpointer self, uint32_t npu, const TracePiece *piece,
                          SimTime now_ps)
{
    const Utilisation *utilisation = find_utilisation_of_npu(self, npu);
    const Op *op;
    SimWide rate;

    if (!utilisation || piece->total_ps == 0)
        return;
    op = op_graph_op(system_graph(utilisation->system), piece->op);
    rate = (SimWide)op->work->bytes * SIM_PS_PER_SEC / piece->total_ps;
    time_buckets_add(utilisation->buckets, UTILISATION_HBM_COMPUTE,
                     (uint64_t)MIN(rate, (SimWide)piece->bytes_per_s),
                     piece->from_ps, now_ps);
    time_buckets_add(utilisation->buckets, UTILISATION_SMS_COMPUTE,
                     piece->n_sms, piece->from_ps, now_ps);
}

static void on_resource_served(gpointer self, uint32_t npu,
                               TraceResource resource, SimTime from_ps,
                               SimTime now_ps)
{
    const Utilisation *utilisation = find_utilisation_of_npu(self, npu);

    g_assert(resource >= RESOURCE_OWN && resource < RESOURCE_MAX);
    if (utilisation)
        time_buckets_add(utilisation->buckets,
                         UTILISATION_RESOURCES + resource - RESOURCE_OWN, 1,
                         from_ps, now_ps);
}

/* Event: a link is busy.  All NPUs of a unit share its links; @npu is the first
 * of them.  If one part of the unit is simulated for several, its links count
 * for theirs. */
static void on_link_busy(gpointer self, uint32_t npu, uint32_t port,
                         SimTime from_ps, SimTime until_ps, SimTime now_ps)
{
    const UtilisationSet *set = self;
    const Topology *topology = system_topology(set->system);
    uint32_t end = MIN(npu + topology_get_symmetry(topology)->unit_ends,
                       topology_n_npus(topology));
    uint32_t n_simulated = 0;

    (void)now_ps;
    for (uint32_t i = npu; i < end; i++)
        n_simulated += system_simulates_npu(set->system, i) ? 1 : 0;
    for (uint32_t i = npu; i < end; i++) {
        const Utilisation *utilisation = find_utilisation_of_npu(set, i);

        if (utilisation)
            time_buckets_add(
                utilisation->buckets,
                UTILISATION_LINKS + topology_get_port(topology, port)->dim,
                100 * (end - npu) / n_simulated, from_ps, until_ps);
    }
}

/* Returns the quantity of the buckets to which @level belongs. */
static guint quantity_of_trace_level(TraceLevel level)
{
    static const UtilisationQuantity shared[TRACE_LEVEL_OWN] = {
        [TRACE_LEVEL_SMS] = UTILISATION_SMS_COMM,
        [TRACE_LEVEL_HBM_READ] = UTILISATION_HBM_READ,
        [TRACE_LEVEL_HBM_WRITE] = UTILISATION_HBM_WRITE,
    };

    return level < TRACE_LEVEL_OWN
               ? (guint)shared[level]
               : (guint)UTILISATION_RESOURCES + level - TRACE_LEVEL_OWN;
}

static void add_level_since_last_change(Utilisation *utilisation,
                                        TraceLevel level, uint64_t value,
                                        SimTime now_ps)
{
    time_buckets_add(utilisation->buckets, quantity_of_trace_level(level),
                     utilisation->levels[level], utilisation->level_ps[level],
                     now_ps);
    utilisation->levels[level] = value;
    utilisation->level_ps[level] = now_ps;
}

static void on_endpoint_level_change(gpointer self, uint32_t npu,
                                     TraceLevel level, uint64_t value,
                                     SimTime now_ps)
{
    Utilisation *utilisation = find_utilisation_of_npu(self, npu);

    if (!utilisation)
        return;
    utilisation->last_ps = now_ps;
    add_level_since_last_change(utilisation, level, value, now_ps);
}

static const TraceOps ops = {
    .kernel_ran = on_kernel_ran,
    .served = on_resource_served,
    .link_busy = on_link_busy,
    .level = on_endpoint_level_change,
};

UtilisationSet *utilisation_set_new(System *system)
{
    UtilisationSet *set = g_new0(UtilisationSet, 1);

    set->system = system;
    set->n_places = system_n_simulated_npus(system);
    set->by_place = g_new0(Utilisation *, set->n_places);
    set->owns = TRUE;
    system_add_listener(system, &ops, set);
    return set;
}

void utilisation_set_free(UtilisationSet *set)
{
    if (!set)
        return;
    for (uint32_t i = 0; set->owns && i < set->n_places; i++)
        utilisation_free(set->by_place[i]);
    g_free(set->by_place);
    g_free(set);
}

Utilisation *utilisation_set_add(UtilisationSet *set, uint32_t npu)
{
    Utilisation **at =
        &set->by_place[system_representative_npu(set->system, npu)];

    g_assert(system_simulates_npu(set->system, npu) && !*at);
    *at = g_new0(Utilisation, 1);
    (*at)->system = set->system;
    (*at)->npu = npu;
    (*at)->buckets = time_buckets_new(UTILISATION_N);
    return *at;
}

Utilisation *utilisation_new(System *system, uint32_t npu)
{
    UtilisationSet *set = utilisation_set_new(system);
    Utilisation *utilisation = utilisation_set_add(set, npu);

    set->owns = FALSE;
    utilisation->private_set = set;
    return utilisation;
}

void utilisation_free(Utilisation *utilisation)
{
    if (!utilisation)
        return;
    utilisation_set_free(utilisation->private_set);
    time_buckets_free(utilisation->buckets);
    g_free(utilisation);
}

SimTime utilisation_finish(Utilisation *utilisation)
{
    SimTime end_ps =
        MAX(system_result(utilisation->system).total_ps, utilisation->last_ps);

    for (TraceLevel level = 0; level < TRACE_N_LEVELS; level++)
        add_level_since_last_change(utilisation, level,
                                    utilisation->levels[level], end_ps);
    return end_ps;
}

const TimeBuckets *utilisation_buckets(const Utilisation *utilisation)
{
    return utilisation->buckets;
}

uint64_t utilisation_n_links(const Topology *topology, uint32_t dim)
{
    uint64_t n_links = 0;

    for (uint32_t p = 0; p < topology_n_ports(topology); p++)
        if (topology_get_port(topology, p)->dim == dim)
            n_links += topology_get_port(topology, p)->n_links;
    return n_links;
}
