/* algorithm_choice.c - finds the first row that fits; the table of `auto` */
#include "models/collectives/algorithm_choice.h"

#include "network/transport/network.h"

/* ---- rows from the configuration ---------------------------------------- */

const char *const coll_choice_kinds[] = { "any", COLL_KIND_WORDS, NULL };

G_STATIC_ASSERT(G_N_ELEMENTS(coll_choice_kinds) == COLL_N_KINDS + 2);

const ConfigField coll_level_item = {
    .key = "level",
    .help = "what a dimension takes",
    .type = CONFIG_ENUM,
    .names = coll_algorithm_names,
};

/* A struct with a CollChoice member, as the macro COLL_CHOICE_FIELDS() needs
 * one. */
typedef struct {
    CollChoice row;
} ChoiceRow;

static const ConfigField choice_fields[] = {
    COLL_CHOICE_FIELDS(ChoiceRow, row),
    CONFIG_END,
};

const ConfigField coll_choice_item = {
    .key = "choice",
    .help = "one row",
    .type = CONFIG_SECTION,
    .fields = choice_fields,
    .node_offset = offsetof(CollChoice, node),
};

static gboolean is_between_limits(uint64_t n, uint64_t least, uint64_t most)
{
    return n >= least && n <= most;
}

gboolean coll_choice_row_applies(const CollChoice *row,
                                 const CollRequest *request)
{
    return (row->collective == 0 ||
            row->collective == (int)request->kind + 1) &&
           is_between_limits(request->members->n_ranks, row->least_ranks,
                             row->most_ranks) &&
           is_between_limits(request->payload_bytes, row->least_bytes,
                             row->most_bytes);
}

const CollChoice *coll_choice_find_row(const CollChoices *choices,
                                       const CollRequest *request)
{
    const CollChoice *rows = choices->rows ? choices->rows->items : NULL;

    if (!rows || request->kind == COLL_SEND || request->is_star)
        return NULL;
    for (guint i = 0; i < choices->rows->n; i++)
        if (coll_choice_row_applies(&rows[i], request))
            return &rows[i];
    return NULL;
}

/* ---- rows of `auto` --------------------------------------------------- */

/* Returns the lowest bandwidth of the ports of an NPU along @dim. */
static uint64_t dim_bytes_per_s(const Topology *topology, uint32_t dim)
{
    uint64_t least_bytes_per_s = UINT64_MAX;

    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_get_port(topology, p);

        if (port->dim == dim)
            least_bytes_per_s = MIN(least_bytes_per_s,
                                    port->n_links * port->payload_bytes_per_s);
    }
    return least_bytes_per_s;
}

/* Returns whether an all-reduce in the switch is faster.  It moves one payload
 * up and one down each link; other algorithms move 2 (n-1)/n payloads.  So the
 * switch is chosen unless its adder is slower than the links by more than this
 * factor. For a reduce-scatter or an all-gather alone, the switch moves a
 * payload, others (n-1)/n of one; both together move (n+1)/n up and down. */
static gboolean switch_adder_is_fast(const Topology *topology, uint32_t dim,
                                     uint32_t n)
{
    const TopologySwitchAdder *adder = topology_in_switch_adder(topology, dim);

    return adder && (adder->bytes_per_s == 0 ||
                     (SimWide)adder->bytes_per_s * 2 * (n - 1) >=
                         (SimWide)dim_bytes_per_s(topology, dim) * n);
}

static gboolean all_reduce_is_faster_in_switch(const CollCase *coll_case,
                                               const Topology *topology)
{
    return coll_case->n_levels == 1 &&
           coll_case->group.kind == COLL_ALL_REDUCE &&
           switch_adder_is_fast(topology, coll_case->dim,
                                coll_case->group.n_ranks);
}

static gboolean request_is_all_to_all(const CollCase *coll_case,
                                      const Topology *topology)
{
    (void)topology;
    return coll_is_any_all_to_all(coll_case->group.kind);
}

static gboolean request_is_shift(const CollCase *coll_case,
                                 const Topology *topology)
{
    (void)topology;
    return coll_case->asked == COLL_SHIFT;
}

static gboolean request_is_barrier(const CollCase *coll_case,
                                   const Topology *topology)
{
    (void)topology;
    return coll_case->asked == COLL_BARRIER;
}

/* Returns whether each rank needs its own part of the root's data. */
static gboolean collective_has_part_per_rank(const CollCase *coll_case,
                                             const Topology *topology)
{
    (void)topology;
    return coll_case->asked == COLL_GATHER || coll_case->asked == COLL_SCATTER;
}

static gboolean collective_has_root(const CollCase *coll_case,
                                    const Topology *topology)
{
    (void)topology;
    return coll_contract(coll_case->asked)->collective_has_root;
}

static gboolean dims_are_rings(const CollCase *coll_case,
                               const Topology *topology)
{
    return coll_case->on_rings || topology_is_torus(topology);
}

gboolean coll_supports_dim_phases(const CollCase *coll_case)
{
    return coll_case->n_levels > 0 &&
           coll_kind_has_halves(coll_case->group.kind);
}

static gboolean rooted_collective_is_on_rings(const CollCase *coll_case,
                                              const Topology *topology)
{
    return collective_has_root(coll_case, topology) &&
           dims_are_rings(coll_case, topology);
}

static gboolean should_use_hierarchical_algorithm(const CollCase *coll_case,
                                                  const Topology *topology)
{
    (void)topology;
    return coll_case->n_levels > 1 && coll_supports_dim_phases(coll_case);
}

static gboolean every_npu_pair_has_link(const CollCase *coll_case,
                                        const Topology *topology)
{
    (void)coll_case;
    return topology_has_link_per_npu_pair(topology);
}

static gboolean n_ranks_is_power_of_two(const CollCase *coll_case,
                                        const Topology *topology)
{
    (void)topology;
    return coll_halving_doubling.supports(&coll_case->group);
}

static gboolean choice_row_always_applies(const CollCase *coll_case,
                                          const Topology *topology)
{
    (void)coll_case;
    (void)topology;
    return TRUE;
}

static const struct {
    gboolean (*fits)(const CollCase *what, const Topology *topology);
    const CollAlgorithm *algorithm;
} auto_rows[] = {
    { all_reduce_is_faster_in_switch, &coll_in_switch },
    { request_is_all_to_all, &coll_direct },
    { request_is_shift, &coll_shift },
    { request_is_barrier, &coll_bruck },
    { collective_has_part_per_rank, &coll_linear },
    { rooted_collective_is_on_rings, &coll_chain },
    { collective_has_root, &coll_double_binary_tree },
    { dims_are_rings, &coll_ring },
    { should_use_hierarchical_algorithm, &coll_hierarchical },
    { every_npu_pair_has_link, &coll_direct },
    { n_ranks_is_power_of_two, &coll_halving_doubling },
    { choice_row_always_applies, &coll_ring },
};

const CollAlgorithm *coll_auto_algorithm(const CollCase *coll_case,
                                         const Topology *topology)
{
    guint i = 0;

    while (!auto_rows[i].fits(coll_case, topology))
        i++;
    return auto_rows[i].algorithm;
}

/* ---- levels ----------------------------------------------------------- */

const CollAlgorithm *
coll_auto_algorithm_of_dimension_part(const CollGroup *group,
                                      const Topology *topology,
                                      const CollDimPart *part, gboolean is_last)
{
    uint32_t n = group->n_ranks;
    gboolean is_shorter = is_last || n + 1 < 2 * (n - 1);

    if (group->kind == COLL_ALL_REDUCE && is_shorter &&
        coll_dim_part_is_whole_dim(part, topology) &&
        switch_adder_is_fast(topology, part->dim, n))
        return &coll_in_switch;
    switch (topology_dimension(topology, part->dim)->shape) {
    case TOPOLOGY_FULL:
        return &coll_direct;
    case TOPOLOGY_SWITCH:
        return coll_halving_doubling.supports(group) ? &coll_halving_doubling
                                                     : &coll_ring;
    default:
        return &coll_ring;
    }
}
