/* grid.c - grids with one shape per dimension; see grid.h */
#include "network/topologies/grid.h"

#include "sim/config/config_node.h"

/* One dimension of a grid. */
typedef struct {
    uint32_t size;
    uint32_t stride; /* difference of the ids of neighbours */
    /* The first port of an NPU in this dimension: "+", "up" or "to+1". */
    uint32_t first_port;
    uint32_t first_switch; /* the first switch node of this dimension */
    TopologyShape shape;
    gboolean both_ways;
} Dim;

typedef struct {
    uint32_t n_dims;
    Dim dims[TOPOLOGY_MAX_DIMS];
} Grid;

/* ---- construction ----------------------------------------------------- */

static uint32_t n_ports_per_npu_in_dimension(const GridDim *dim)
{
    if (dim->size == 1 && dim->shape != TOPOLOGY_SWITCH)
        return 0;
    if (dim->shape == TOPOLOGY_FULL)
        return (uint32_t)dim->size - 1;
    return dim->shape == TOPOLOGY_RING && dim->one_way ? 1 : 2;
}

/* Returns whether both directions of a dimension share the configured links. */
static gboolean directions_share_links(const GridDim *dim)
{
    return dim->size > 1 && ((dim->shape == TOPOLOGY_RING && !dim->one_way) ||
                             dim->shape == TOPOLOGY_LINE);
}

static gboolean check_grid_dimension(const GridDim *dim,
                                     const ConfigNode *where, GError **error)
{
    if (dim->one_way && dim->shape != TOPOLOGY_RING) {
        config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                         "direction: only a ring can be driven one way");
        return FALSE;
    }
    if (dim->adder.reduces && dim->shape != TOPOLOGY_SWITCH) {
        config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                         "reduces: only a switch adds");
        return FALSE;
    }
    if (dim->shape == TOPOLOGY_FULL && dim->size > GRID_MAX_FULL) {
        config_set_error(error, where, CONFIG_ERROR_RANGE,
                         "size: no more than %d NPUs can be joined each with "
                         "each",
                         GRID_MAX_FULL);
        return FALSE;
    }
    if (!directions_share_links(dim) || dim->link.n_links % 2 == 0)
        return TRUE;
    config_set_error(error, where, CONFIG_ERROR_CONFLICT,
                     "links: %" G_GUINT64_FORMAT
                     " cannot be shared between two directions; give "
                     "'links: %" G_GUINT64_FORMAT "'%s",
                     dim->link.n_links, dim->link.n_links + 1,
                     dim->shape == TOPOLOGY_RING ? " or 'direction: one'" : "");
    return FALSE;
}

static gboolean check_grid_dimensions(const GridDim *dims, uint32_t n_dims,
                                      const ConfigNode *where, GError **error)
{
    uint64_t n_npus = 1, n_ports = 0;

    for (uint32_t d = 0; d < n_dims; d++) {
        n_npus *= dims[d].size;
        n_ports += n_ports_per_npu_in_dimension(&dims[d]);
        if (n_npus > TOPOLOGY_MAX_NPUS) {
            config_set_error(error, where, CONFIG_ERROR_RANGE,
                             "dims: more than %u NPUs", TOPOLOGY_MAX_NPUS);
            return FALSE;
        }
        if (!check_grid_dimension(&dims[d], config_node_value(where, d), error))
            return FALSE;
    }
    if (n_npus * n_ports <= TOPOLOGY_MAX_LINKS)
        return TRUE;
    config_set_error(error, where, CONFIG_ERROR_RANGE,
                     "dims: more than %u links", TOPOLOGY_MAX_LINKS);
    return FALSE;
}

static void add_grid_port(Topology *topology, uint32_t d, const char *names,
                          const char *name, const GridDim *dim)
{
    uint32_t n_links =
        (uint32_t)dim->link.n_links / (directions_share_links(dim) ? 2 : 1);
    g_autofree char *full_name =
        names ? g_strdup_printf("%s%u%s", names, d, name) : g_strdup(name);

    topology_set_port(&topology->ports[topology->n_ports++], full_name, d,
                      n_links, &dim->link);
}

static void add_grid_ports_of_dimension(Topology *topology, uint32_t d,
                                        const char *names, const GridDim *dim)
{
    uint32_t n = n_ports_per_npu_in_dimension(dim);

    for (uint32_t p = 0; p < n; p++) {
        g_autofree char *to = g_strdup_printf("to+%u", p + 1);

        if (dim->shape == TOPOLOGY_FULL)
            add_grid_port(topology, d, names, to, dim);
        else if (dim->shape == TOPOLOGY_SWITCH)
            add_grid_port(topology, d, names, p == 0 ? "up" : "down", dim);
        else
            add_grid_port(topology, d, names, p == 0 ? "+" : "-", dim);
    }
}

static void add_grid_dimension(Topology *topology, Grid *grid, uint32_t d,
                               const char *names, const GridDim *dim)
{
    grid->dims[d] = (Dim){
        .size = (uint32_t)dim->size,
        .stride = topology->n_npus,
        .first_port = topology->n_ports,
        .shape = dim->shape,
        .both_ways = !dim->one_way,
    };
    topology->dims[d] = (TopologyDim){ .size = (uint32_t)dim->size,
                                       .both_ways = !dim->one_way,
                                       .shape = dim->shape };
    topology->is_torus = topology->is_torus && dim->shape == TOPOLOGY_RING;
    topology->adds |= (dim->adder.reduces ? 1U : 0) << d;
    topology->adders[d] =
        (TopologySwitchAdder){ dim->adder.bytes_per_s, dim->adder.latency_ps };
    topology->n_npus *= (uint32_t)dim->size;
    topology->symmetry.dims[d].size = (uint32_t)dim->size;
    topology->symmetry.dims[d].translates =
        dim->shape != TOPOLOGY_LINE || dim->size == 1;
    add_grid_ports_of_dimension(topology, d, names, dim);
}

gboolean grid_topology_init(Topology *topology, const GridDim *dims,
                            uint32_t n_dims, const char *names,
                            const ConfigNode *where, GError **error)
{
    Grid *grid;
    uint32_t n_ports = 0;

    if (!check_grid_dimensions(dims, n_dims, where, error))
        return FALSE;
    for (uint32_t d = 0; d < n_dims; d++)
        n_ports += n_ports_per_npu_in_dimension(&dims[d]);
    topology->kind = grid = g_new0(Grid, 1);
    topology->ports = g_new0(TopologyPort, n_ports);
    topology->n_dims = grid->n_dims = topology->symmetry.n_dims = n_dims;
    topology->symmetry.unit_ends = topology->n_npus = 1;
    topology->is_torus = TRUE;
    for (uint32_t d = 0; d < n_dims; d++)
        add_grid_dimension(topology, grid, d, names, &dims[d]);
    topology->n_units = topology->n_nodes = topology->n_npus;
    for (uint32_t d = 0; d < n_dims; d++) {
        grid->dims[d].first_switch = topology->n_nodes;
        if (dims[d].shape == TOPOLOGY_SWITCH)
            topology->n_nodes += topology->n_npus / grid->dims[d].size;
    }
    topology->symmetry.any_order =
        n_dims == 1 && dims[0].shape == TOPOLOGY_SWITCH;
    topology->is_pairwise = n_dims == 1 && dims[0].shape == TOPOLOGY_FULL;
    return TRUE;
}

void grid_topology_free(Topology *topology)
{
    g_free(topology->kind);
}

/* ---- paths ------------------------------------------------------------ */

static uint32_t npu_coordinate_in_dimension(const Dim *dim, uint32_t npu)
{
    return npu / dim->stride % dim->size;
}

/* Returns the node id of the switch that connects the row of @npu. */
static uint32_t switch_of_npu_row(const Dim *dim, uint32_t npu)
{
    return dim->first_switch + npu / (dim->stride * dim->size) * dim->stride +
           npu % dim->stride;
}

/* Returns the NPU at coordinate @x of the row of switch @node. */
static uint32_t npu_of_switch_at_coordinate(const Dim *dim, uint32_t node,
                                            uint32_t x)
{
    uint32_t row = node - dim->first_switch;

    return (row / dim->stride * dim->size + x) * dim->stride +
           row % dim->stride;
}

/* Returns the port from coordinate @from towards coordinate @to of one row. */
static uint32_t port_towards_coordinate(const Dim *dim, uint32_t from,
                                        uint32_t to, uint32_t path_id)
{
    uint32_t distance = to >= from ? to - from : to + dim->size - from;
    gboolean minus = FALSE;

    switch (dim->shape) {
    case TOPOLOGY_RING:
        minus =
            dim->both_ways && (2 * distance > dim->size ||
                               (2 * distance == dim->size && (path_id & 1)));
        break;
    case TOPOLOGY_LINE:
        minus = to < from;
        break;
    case TOPOLOGY_FULL:
        return dim->first_port + distance - 1;
    default:
        break;
    }
    return dim->first_port + (minus ? 1 : 0);
}

/* Returns the link from switch @at down towards @dst. */
static uint32_t next_link_down_from_switch(const Topology *topology,
                                           uint32_t node, uint32_t dst)
{
    const Grid *grid = topology->kind;
    const Dim *dim = &grid->dims[grid->n_dims - 1];

    while (dim->shape != TOPOLOGY_SWITCH || node < dim->first_switch)
        dim--;
    return npu_of_switch_at_coordinate(dim, node,
                                       npu_coordinate_in_dimension(dim, dst)) *
               topology->n_ports +
           dim->first_port + 1;
}

uint32_t grid_next_link(const Topology *topology, uint32_t node, uint32_t dst,
                        uint32_t path_id)
{
    const Grid *grid = topology->kind;

    if (node >= topology->n_npus)
        return next_link_down_from_switch(topology, node, dst);
    for (uint32_t d = 0; d < grid->n_dims; d++) {
        const Dim *dim = &grid->dims[d];
        uint32_t from = npu_coordinate_in_dimension(dim, node),
                 to = npu_coordinate_in_dimension(dim, dst);

        if (from != to)
            return node * topology->n_ports +
                   port_towards_coordinate(dim, from, to, path_id);
    }
    g_assert(TOPOLOGY_PATH_IS_UP(path_id) &&
             topology->adds >> TOPOLOGY_PATH_DIM(path_id) & 1);
    return node * topology->n_ports +
           grid->dims[TOPOLOGY_PATH_DIM(path_id)].first_port;
}

gboolean grid_node_can_reduce(const Topology *topology, uint32_t node,
                              uint32_t dim)
{
    const Grid *grid = topology->kind;
    const Dim *d = &grid->dims[dim];

    return topology->adds >> dim & 1 && node >= d->first_switch &&
           node - d->first_switch < topology->n_npus / d->size;
}

gboolean grid_get_link_nodes(const Topology *topology, uint32_t unit,
                             uint32_t port, uint32_t *ret_from,
                             uint32_t *ret_to)
{
    const Grid *grid = topology->kind;
    const Dim *dim = &grid->dims[topology->ports[port].dim];
    uint32_t x = npu_coordinate_in_dimension(dim, unit),
             distance = port - dim->first_port + 1;

    *ret_from = *ret_to = unit;
    if (dim->shape == TOPOLOGY_SWITCH) {
        *(distance == 1 ? ret_to : ret_from) = switch_of_npu_row(dim, unit);
        return TRUE;
    }
    if (dim->shape != TOPOLOGY_FULL && distance == 2)
        distance = dim->size - 1;
    if (dim->shape == TOPOLOGY_LINE &&
        x == (port == dim->first_port ? dim->size - 1 : 0))
        return FALSE;
    *ret_to = unit - x * dim->stride + (x + distance) % dim->size * dim->stride;
    return TRUE;
}

/* Returns whether a link is a dateline, that is, the wrap-around link of a
 * ring.  A ring of two NPUs needs no dateline, as no path takes two of its
 * links. */
gboolean grid_link_is_dateline(const Topology *topology, uint32_t unit,
                               uint32_t port)
{
    const Grid *grid = topology->kind;
    const Dim *dim = &grid->dims[topology->ports[port].dim];

    return dim->shape == TOPOLOGY_RING && dim->size > 2 &&
           npu_coordinate_in_dimension(dim, unit) ==
               (port == dim->first_port ? dim->size - 1 : 0);
}

/* ---- table of functions ---------------------------------------------- */

const char *const grid_direction_names[] = { "both", "one", NULL };

gboolean grid_topology_init_from_list(Topology *topology,
                                      const ConfigVariant *config,
                                      TopologyShape shape, GError **error)
{
    const GridParams *params = config->params;
    const GridDimParams *given = params->dims.items;
    GridDim dims[TOPOLOGY_MAX_DIMS];

    for (guint d = 0; d < params->dims.n; d++)
        dims[d] = (GridDim){
            .shape =
                shape == TOPOLOGY_OTHER ? (TopologyShape)given[d].shape : shape,
            .size = given[d].size,
            .one_way = given[d].direction == GRID_ONE_WAY,
            .link = given[d].link,
            .adder = given[d].adder,
        };
    return grid_topology_init(topology, dims, params->dims.n, "dim",
                              params->dims.node, error);
}

static const ConfigField dim_fields[] = {
    { .key = "shape",
      .help = "how the NPUs of a row are joined",
      .type = CONFIG_ENUM,
      .offset = offsetof(GridDimParams, shape),
      .names = topology_shape_names },
    GRID_SIZE_FIELD,
    GRID_DIRECTION_FIELD("of a ring: "),
    TOPOLOGY_LINK_FIELDS(GridDimParams,
                         "out of an NPU: of a ring or line both directions "
                         "share them; to the switch; to each other NPU"),
    GRID_ADDER_FIELDS(GridDimParams, "of a switch: "),
    CONFIG_END,
};

static const ConfigField dim_item = GRID_DIM_ITEM(dim_fields);

static const ConfigField grid_fields[] = {
    GRID_DIMS_FIELD(dim_item),
    CONFIG_END,
};

static gboolean grid_init_from_config(Topology *topology,
                                      const ConfigVariant *config,
                                      GError **error)
{
    return grid_topology_init_from_list(topology, config, TOPOLOGY_OTHER,
                                        error);
}

const TopologyOps topology_grid = {
    .base = { .name = "grid",
              .summary = "a ring, line, switch or full connection in each of "
                         "1 to 5 dimensions",
              .fields = grid_fields,
              .size = sizeof(GridParams) },
    .init = grid_init_from_config,
    GRID_OPS,
};
