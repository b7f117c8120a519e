/*
 * fat_tree.c - levels of switches, each with several parents
 *
 * A leaf switch connects NPUs.  Of its `radix` ports, `oversubscription` times
 * as many lead down as lead up.  A switch of a middle level has half of its
 * ports in each direction.  All ports of a top switch lead down.  Level 0 are
 * the NPUs:
 *
 *     children of a switch of level l     m_l
 *     parents of a node of level l - 1    w_l; w_1 = 1: an NPU has one parent
 *     M_l = m_1 .. m_l,  W_l = w_1 .. w_l
 *     node (X, Y) of level l: X = any NPU below it / M_l, Y = 0 .. W_l - 1
 *     its parent number y is (X / m_l+1, Y + W_l y)
 *
 * A path leads up to the first switch that is above the target, and then down
 * on the only path.  The parent is chosen by a hash, as in ECMP, or by the
 * number of the target, as in InfiniBand's forwarding tables.  No path leads up
 * again after it has led down, so packets cannot deadlock.
 *
 * Levels above a switch that is above all NPUs carry no message and are left
 * out: a tree of three levels whose NPUs fit below two is one of two levels.
 *
 * The subtrees below the top level are equal and may be permuted.  Each is a
 * unit, together with the links up from all of its nodes.  If the last subtree
 * is not full, the whole tree is one unit.
 */
#include "network/topology_impl.h"
#include "sim/config/config_node.h"
#include "sim/core/integer_math.h"
#include "sim/core/rng.h"

#define MAX_LEVELS 4

typedef enum {
    BY_HASH,
    BY_DESTINATION,
} EqualCost;

typedef struct {
    uint64_t n_npus, n_levels, radix, oversubscription, seed;
    TopologyLink link;
    int equal_cost; /* EqualCost */
} FatTreeParams;

/* The private data of a fat tree.  All arrays are indexed by level. */
typedef struct {
    uint32_t n_levels;
    /* The number of children of a switch, and the number of parents of a node
     * of the level below; both are 1 at level 0. */
    uint32_t m[MAX_LEVELS + 1], w[MAX_LEVELS + 1];
    /* The number of NPUs below a switch: M of the head comment. */
    uint64_t below[MAX_LEVELS + 1];
    /* The number of switches above the same NPUs: W of the head comment. */
    uint32_t multiplicity[MAX_LEVELS + 1];
    uint32_t first[MAX_LEVELS + 2]; /* first node id of each level */
    /* The number of groups of switches above the same NPUs, in a symmetric unit
     * of the tree. */
    uint32_t in_unit[MAX_LEVELS + 1];
    /* The first link of a symmetric unit that leads up to this level. */
    uint32_t first_up[MAX_LEVELS + 1];
    uint32_t unit_ends;
    gboolean hashes;
    RngStream stream;
} FatTree;

static const char *const equal_cost_names[] = { "hash", "destination", NULL };

static const ConfigField fat_tree_fields[] = {
    { .key = "npus",
      .help = "NPUs below the leaves; in the outer topology of nested its NICs",
      .type = CONFIG_COUNT,
      .offset = offsetof(FatTreeParams, n_npus),
      .min = 1,
      .max = TOPOLOGY_MAX_NPUS,
      .may_be_auto = TRUE,
      .fallback = CONFIG_AUTO_WORD,
      .source = "as many as nested has NICs; elsewhere it must be given" },
    { .key = "levels",
      .help = "of switches",
      .type = CONFIG_COUNT,
      .offset = offsetof(FatTreeParams, n_levels),
      .min = 1,
      .max = MAX_LEVELS,
      .fallback = "2",
      .source = "leaves and spines" },
    { .key = "radix",
      .help = "ports of a switch",
      .type = CONFIG_COUNT,
      .offset = offsetof(FatTreeParams, radix),
      .min = 2,
      .max = 4096,
      .fallback = "64",
      .source =
          "data sheets of Quantum-2 and Tomahawk 4: 64 ports of 400 Gb/s" },
    { .key = "oversubscription",
      .help = "ports of a leaf that lead down for each that leads up",
      .type = CONFIG_COUNT,
      .offset = offsetof(FatTreeParams, oversubscription),
      .min = 1,
      .max = 64,
      .fallback = "1",
      .source = "not blocking" },
    TOPOLOGY_LINK_FIELDS(FatTreeParams, "in parallel, each way"),
    { .key = "equal_cost",
      .help =
          "path upwards: by a hash of place, destination and turn, or by the "
          "destination's number",
      .type = CONFIG_ENUM,
      .offset = offsetof(FatTreeParams, equal_cost),
      .names = equal_cost_names,
      .fallback = "hash",
      .source = "assumed: as ECMP does" },
    { .key = "seed",
      .help = "of that hash",
      .type = CONFIG_COUNT,
      .offset = offsetof(FatTreeParams, seed),
      .max = UINT64_MAX,
      .fallback = "1",
      .source = "any" },
    CONFIG_END,
};

/* ---- construction ----------------------------------------------------- */

/* Sets the numbers of children and parents of the nodes of each level, and how
 * many NPUs are below and switches above them. */
static void set_fat_tree_level_widths(FatTree *fat_tree,
                                      const FatTreeParams *params)
{
    uint32_t radix = (uint32_t)params->radix, top = fat_tree->n_levels;
    uint32_t up = MAX(radix / (uint32_t)(params->oversubscription + 1), 1);

    fat_tree->m[0] = fat_tree->w[0] = fat_tree->multiplicity[0] = 1;
    fat_tree->below[0] = 1;
    for (uint32_t l = 1; l <= top; l++) {
        fat_tree->m[l] = l == top ? radix : l == 1 ? radix - up : radix / 2;
        fat_tree->w[l] = l == 1 ? 1 : l == 2 ? up : radix / 2;
        fat_tree->below[l] = fat_tree->below[l - 1] * fat_tree->m[l];
        fat_tree->multiplicity[l] =
            fat_tree->multiplicity[l - 1] * fat_tree->w[l];
    }
}

/* Leaves out the levels above the first switches that are above all @n_npus:
 * no path leads there, and the units are those of the levels in use. */
static void drop_unused_levels(FatTree *fat_tree, uint32_t n_npus)
{
    while (fat_tree->n_levels > 1 &&
           n_npus <= fat_tree->below[fat_tree->n_levels - 1])
        fat_tree->n_levels--;
}

/* Sets the number of nodes and ports, and the first of each per level.  Returns
 * FALSE if there are too many. */
static gboolean count_fat_tree_nodes_and_ports(Topology *topology,
                                               FatTree *fat_tree)
{
    uint64_t unit = fat_tree->below[fat_tree->n_levels - 1], n_nodes = 0,
             n_up = 0;

    topology->n_units =
        topology->n_npus % unit == 0 ? (uint32_t)(topology->n_npus / unit) : 1;
    fat_tree->unit_ends = topology->n_npus / topology->n_units;
    for (uint32_t l = 0; l <= fat_tree->n_levels; l++) {
        fat_tree->in_unit[l] = (uint32_t)divide_rounding_up(fat_tree->unit_ends,
                                                            fat_tree->below[l]);
        fat_tree->first[l] = (uint32_t)n_nodes;
        n_nodes += divide_rounding_up(topology->n_npus, fat_tree->below[l]) *
                   fat_tree->multiplicity[l];
        if (l == fat_tree->n_levels)
            break;
        fat_tree->first_up[l + 1] = (uint32_t)n_up;
        n_up += (uint64_t)fat_tree->in_unit[l] * fat_tree->multiplicity[l] *
                fat_tree->w[l + 1];
        if (n_nodes > UINT32_MAX / 2 || 2 * n_up > TOPOLOGY_MAX_PORTS)
            return FALSE;
    }
    fat_tree->first[fat_tree->n_levels + 1] = (uint32_t)n_nodes;
    topology->n_nodes = (uint32_t)n_nodes;
    topology->n_ports = (uint32_t)(2 * n_up);
    return n_nodes <= UINT32_MAX / 2 &&
           (uint64_t)topology->n_ports * topology->n_units <=
               TOPOLOGY_MAX_LINKS;
}

static void add_fat_tree_ports(Topology *topology, const FatTree *fat_tree,
                               const TopologyLink *link)
{
    uint32_t port = 0;

    topology->ports = g_new0(TopologyPort, MAX(topology->n_ports, 1));
    for (uint32_t l = 1; l <= fat_tree->n_levels; l++) {
        uint32_t n = fat_tree->in_unit[l - 1] * fat_tree->multiplicity[l - 1] *
                     fat_tree->w[l];

        for (uint32_t i = 0; i < 2 * n; i++) {
            g_autofree char *name =
                g_strdup_printf("%s%u.%u.%u", i % 2 == 0 ? "up" : "down", l,
                                i / 2 / fat_tree->w[l], i / 2 % fat_tree->w[l]);

            topology_set_port(&topology->ports[port++], name, 0,
                              (uint32_t)link->n_links, link);
        }
    }
    g_assert(port == topology->n_ports);
}

static gboolean fat_tree_topology_init(Topology *topology,
                                       const ConfigVariant *config,
                                       GError **error)
{
    const FatTreeParams *params = config->params;
    FatTree *fat_tree = topology->kind = g_new0(FatTree, 1);

    if (!topology_resolve_n_npus(topology, params->n_npus, config->node,
                                 &topology->n_npus, error))
        return FALSE;
    fat_tree->n_levels = (uint32_t)params->n_levels;
    fat_tree->hashes = params->equal_cost == BY_HASH;
    fat_tree->stream = rng_new_stream(params->seed, "fat-tree");
    set_fat_tree_level_widths(fat_tree, params);
    if (topology->n_npus > fat_tree->below[fat_tree->n_levels]) {
        config_set_error(error, config->node, CONFIG_ERROR_RANGE,
                         "npus: %u are more than the %" G_GUINT64_FORMAT
                         " below %u levels of switches of %u ports",
                         topology->n_npus, fat_tree->below[fat_tree->n_levels],
                         fat_tree->n_levels, (uint32_t)params->radix);
        return FALSE;
    }
    drop_unused_levels(fat_tree, topology->n_npus);
    if (!count_fat_tree_nodes_and_ports(topology, fat_tree)) {
        config_set_error(error, config->node, CONFIG_ERROR_RANGE,
                         "npus: more than %u links of a part below the top",
                         TOPOLOGY_MAX_PORTS);
        return FALSE;
    }
    add_fat_tree_ports(topology, fat_tree, &params->link);
    topology->n_dims = topology->symmetry.n_dims = 1;
    topology->dims[0] =
        (TopologyDim){ topology->n_npus, TRUE, TOPOLOGY_SWITCH };
    topology->symmetry.dims[0].size = topology->n_units;
    topology->symmetry.dims[0].translates = TRUE;
    topology->symmetry.unit_ends = fat_tree->unit_ends;
    topology->symmetry.any_order = !fat_tree->hashes || fat_tree->n_levels == 1;
    return TRUE;
}

static void fat_tree_topology_free(Topology *topology)
{
    g_free(topology->kind);
}

/* ---- paths ------------------------------------------------------------ */

typedef struct {
    uint32_t level, x, y;
} Position;

/* Returns the level and the coordinates (X, Y) of @node. */
static Position tree_position_of_node(const FatTree *fat_tree, uint32_t node)
{
    uint32_t l = 0, i;

    while (node >= fat_tree->first[l + 1])
        l++;
    i = node - fat_tree->first[l];
    return (Position){ l, i / fat_tree->multiplicity[l],
                       i % fat_tree->multiplicity[l] };
}

static uint32_t node_at_tree_position(const FatTree *fat_tree, Position p)
{
    return fat_tree->first[p.level] + p.x * fat_tree->multiplicity[p.level] +
           p.y;
}

/* Returns the link from @p up to its parent number @y. */
static uint32_t link_to_parent_switch(const Topology *topology, Position p,
                                      uint32_t y)
{
    const FatTree *fat_tree = topology->kind;
    uint32_t unit = p.x / fat_tree->in_unit[p.level];
    uint32_t i =
        (p.x % fat_tree->in_unit[p.level] * fat_tree->multiplicity[p.level] +
         p.y) *
            fat_tree->w[p.level + 1] +
        y;

    return unit * topology->n_ports + 2 * (fat_tree->first_up[p.level + 1] + i);
}

/* Returns the number of the parent of @p on the path to @dst.  The hash depends
 * on the position of @dst in its unit and on the distance in units, so that the
 * choice is the same in all units. */
static uint32_t choose_parent_switch(const Topology *topology, Position p,
                                     uint32_t dst, uint32_t path_id)
{
    const FatTree *fat_tree = topology->kind;
    uint32_t n = fat_tree->w[p.level + 1], local = dst % fat_tree->unit_ends;
    uint32_t here = p.x / fat_tree->in_unit[p.level],
             there = dst / fat_tree->unit_ends;
    uint64_t at =
        (uint64_t)p.level << 32 |
        (p.x % fat_tree->in_unit[p.level] * fat_tree->multiplicity[p.level] +
         p.y);

    if (n == 1)
        return 0;
    if (!fat_tree->hashes)
        return local / fat_tree->multiplicity[p.level] % n;
    return (uint32_t)(rng_value_at_indices(
                          fat_tree->stream, at,
                          (uint64_t)((there + topology->n_units - here) %
                                     topology->n_units)
                                  << 32 |
                              local,
                          path_id & 1) %
                      n);
}

static uint32_t fat_tree_next_link(const Topology *topology, uint32_t node,
                                   uint32_t dst, uint32_t path_id)
{
    const FatTree *fat_tree = topology->kind;
    Position p = tree_position_of_node(fat_tree, node), child;

    g_assert(node != dst);
    if (dst / fat_tree->below[p.level] != p.x)
        return link_to_parent_switch(
            topology, p, choose_parent_switch(topology, p, dst, path_id));
    child =
        (Position){ p.level - 1, (uint32_t)(dst / fat_tree->below[p.level - 1]),
                    p.y % fat_tree->multiplicity[p.level - 1] };
    return link_to_parent_switch(topology, child,
                                 p.y / fat_tree->multiplicity[p.level - 1]) +
           1;
}

static gboolean fat_tree_get_link_nodes(const Topology *topology, uint32_t unit,
                                        uint32_t port, uint32_t *ret_from,
                                        uint32_t *ret_to)
{
    const FatTree *fat_tree = topology->kind;
    uint32_t l = fat_tree->n_levels - 1, i, y, up;
    Position p, parent;

    while (port / 2 < fat_tree->first_up[l + 1])
        l--;
    i = port / 2 - fat_tree->first_up[l + 1];
    y = i % fat_tree->w[l + 1];
    up = i / fat_tree->w[l + 1];
    p = (Position){ l,
                    unit * fat_tree->in_unit[l] +
                        up / fat_tree->multiplicity[l],
                    up % fat_tree->multiplicity[l] };
    parent = (Position){ l + 1, p.x / fat_tree->m[l + 1],
                         p.y + fat_tree->multiplicity[l] * y };
    *ret_from = node_at_tree_position(fat_tree, port % 2 == 0 ? p : parent);
    *ret_to = node_at_tree_position(fat_tree, port % 2 == 0 ? parent : p);
    return TRUE;
}

const TopologyOps topology_fat_tree = {
    .base = { .name = "fat-tree",
              .summary =
                  "levels of switches, several above each; leaves may be "
                  "oversubscribed",
              .fields = fat_tree_fields,
              .size = sizeof(FatTreeParams) },
    .init = fat_tree_topology_init,
    .free = fat_tree_topology_free,
    .next = fat_tree_next_link,
    .next_is_slow = TRUE,
    .get_link_nodes = fat_tree_get_link_nodes,
    .packets_are_proved = TRUE,
};
