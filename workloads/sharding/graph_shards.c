/* graph_shards.c - shardings in a graph; see graph_shards.h */
#include "workloads/sharding/graph_shards.h"

#include "workloads/layer.h"

/* The weights of a layer. */
typedef struct {
    uint32_t layer, priority;
    uint64_t n_weights;
    uint32_t reduction; /* of the micro-batch before, or SHARD_NO_OP */
} Group;

struct GraphShards {
    ShardBuilder base;
    Sharding sharding;
    ShardRanks ranks;
    uint32_t group, copy_group; /* groups of the graph that have these ranks */
    OpGraph *graph;             /* borrowed */
    OptimiserStep step;
    int optimiser;
    OpPass pass;          /* of the operations that are added */
    GArray *groups;       /* owned: of Group */
    GArray *ends;         /* owned: of uint32_t: the last kernels of passes */
    GArray *first;        /* owned: of uint32_t: gathers behind the step */
    GArray *waits;        /* owned: of uint32_t: the next kernel waits for it */
    GHashTable *layers;   /* owned: 1 + number of added layers, by name */
    uint32_t last_kernel; /* that was added */
    guint whole;          /* the group whose weights are whole, or G_MAXUINT */
};

/* ---- operations ---------------------------------------------------------- */

static Group *shard_group(const GraphShards *shards, guint i)
{
    return &g_array_index(shards->groups, Group, i);
}

static const char *name_of_group(const GraphShards *shards, guint i)
{
    return g_ptr_array_index(shards->graph->layers,
                             shard_group(shards, i)->layer);
}

/* Returns the layer of the graph called @name, which is added once.  Takes
 * ownership of @name. */
static uint32_t layer_called(const GraphShards *shards, char *name)
{
    uint32_t found =
        GPOINTER_TO_UINT(g_hash_table_lookup(shards->layers, name));

    if (found > 0) {
        g_free(name);
        return found - 1;
    }
    found = op_graph_add_layer(shards->graph, name);
    g_hash_table_insert(shards->layers, name, GUINT_TO_POINTER(found + 1));
    return found;
}

/* Returns the layer of a message: that of its group, or one which is named
 * after its first and its last group. */
static uint32_t layer_of_message(const GraphShards *shards,
                                 const ShardMessage *message)
{
    if (message->first_group == message->last_group)
        return shard_group(shards, message->first_group)->layer;
    return layer_called(
        shards,
        g_strdup_printf("%s..%s", name_of_group(shards, message->first_group),
                        name_of_group(shards, message->last_group)));
}

static uint32_t add_collective_to_graph(const ShardBuilder *self,
                                        const ShardMessage *message)
{
    const GraphShards *shards = (const GraphShards *)self;
    OpPass pass =
        coll_contract(message->kind)->adds ? OP_WEIGHT_GRADIENT : shards->pass;
    uint32_t op = op_graph_add_collective(
        shards->graph, layer_of_message(shards, message), pass, message->kind,
        message->bytes, shard_group(shards, message->first_group)->priority);

    op_graph_set_group(shards->graph, op,
                       message->axes == shards->ranks.axes
                           ? shards->group
                           : shards->copy_group);
    return op;
}

static uint32_t add_kernel_to_graph(const ShardBuilder *self, const char *name,
                                    const OpWork *work)
{
    const GraphShards *shards = (const GraphShards *)self;
    OpGraph *graph = shards->graph;

    graph->optimiser_bytes =
        layer_add_saturating(graph->optimiser_bytes, work->bytes);
    return op_graph_add_compute(graph, layer_called(shards, g_strdup(name)),
                                OP_UPDATE, OP_STREAM_MAIN, work);
}

static void add_dependency_in_graph(const ShardBuilder *self, uint32_t op,
                                    uint32_t on)
{
    op_graph_add_dep(((const GraphShards *)self)->graph, op, on, 0);
}

static void add_dependency_on_last_micro_batch(const ShardBuilder *self,
                                               uint32_t op, guint pass,
                                               uint32_t on)
{
    (void)pass; /* there is one */
    add_dependency_in_graph(self, op, on);
}

/* ---- ranks --------------------------------------------------------------- */

/* Sets *@ret to the group of the ranks of @axes, which is that of all NPUs if
 * @axes has all @n_ranks. */
static gboolean find_ranks(const Mesh *mesh, OpGraph *graph, const char *axes,
                           uint32_t n_ranks, const ConfigNode *node,
                           uint32_t *ret, GError **error)
{
    uint32_t digits;

    *ret = OP_GROUP_ALL;
    return n_ranks == mesh->n_ranks ||
           (mesh_find_axes(mesh, axes, node, &digits, error) &&
            mesh_add_group(mesh, graph, axes, digits, node, ret, error));
}

static gboolean set_ranks(GraphShards *shards, const ConfigVariant *shard,
                          const WorkloadSite *site, GError **error)
{
    MeshConfig config = { .tp = 1,
                          .cp = 1,
                          .dp = CONFIG_AUTO,
                          .pp = 1,
                          .etp = 1,
                          .ep = 1,
                          .ep_local = 1,
                          .node = shard->node };
    ShardRanks *ranks = &shards->ranks;
    Mesh mesh;

    if (!mesh_init(&mesh, &config, machine_n_npus(site), error))
        return FALSE;
    *ranks = (ShardRanks){ "dp", mesh.sizes[MESH_DP], NULL, 1 };
    if (!shards->sharding.has_groups || !site)
        return TRUE;
    if (!sharding_divide_mesh(shard, &config, &mesh, error))
        return FALSE;
    *ranks = (ShardRanks){ "dp_within", mesh.sizes[MESH_DP_WITHIN], "dp_across",
                           mesh.sizes[MESH_DP_ACROSS] };
    return find_ranks(&mesh, shards->graph, ranks->axes, ranks->n_ranks,
                      shard->node, &shards->group, error) &&
           find_ranks(&mesh, shards->graph, ranks->copy_axes, ranks->n_copies,
                      shard->node, &shards->copy_group, error);
}

/* ---- passes -------------------------------------------------------------- */

GraphShards *graph_shards_new(const ConfigVariant *shard, OpGraph *graph,
                              const WorkloadSite *site,
                              const OptimiserStep *step, int optimiser,
                              GError **error)
{
    GraphShards *shards = g_new(GraphShards, 1);

    *shards = (GraphShards){
        .base = { .add_collective = add_collective_to_graph,
                  .add_kernel = add_kernel_to_graph,
                  .add_dependency = add_dependency_in_graph,
                  .add_backward_dependency =
                      add_dependency_on_last_micro_batch },
        .sharding = sharding_of_variant(shard),
        .graph = graph,
        .step = *step,
        .optimiser = optimiser,
        .groups = g_array_new(FALSE, FALSE, sizeof(Group)),
        .ends = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .first = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .waits = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .layers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .whole = G_MAXUINT,
    };
    if (!set_ranks(shards, shard, site, error))
        g_clear_pointer(&shards, graph_shards_free);
    return shards;
}

void graph_shards_free(GraphShards *shards)
{
    if (!shards)
        return;
    g_array_unref(shards->groups);
    g_array_unref(shards->ends);
    g_array_unref(shards->first);
    g_array_unref(shards->waits);
    g_hash_table_unref(shards->layers);
    g_free(shards);
}

guint graph_shards_add_group(GraphShards *shards, uint32_t layer,
                             uint64_t n_weights, uint32_t priority)
{
    const Group group = { .layer = layer,
                          .priority = priority,
                          .n_weights = n_weights,
                          .reduction = SHARD_NO_OP };

    g_array_append_val(shards->groups, group);
    return shards->groups->len - 1;
}

void graph_shards_begin_group(GraphShards *shards, guint group, OpPass pass,
                              gboolean reads_weights)
{
    uint32_t gather;

    if (!shards->sharding.weights || !reads_weights || shards->whole == group)
        return;
    shards->pass = pass;
    shards->whole = group;
    gather = sharding_add_group_gather(
        &shards->sharding, &shards->base, &shards->ranks, group,
        layer_multiply_saturating(shard_group(shards, group)->n_weights,
                                  shards->step.weight_bytes),
        shards->ends);
    if (gather == SHARD_NO_OP)
        return;
    g_array_append_val(shards->waits, gather);
    if (op_graph_op(shards->graph, gather)->n_deps == 0)
        g_array_append_val(shards->first, gather);
}

void graph_shards_begin_kernel(GraphShards *shards, uint32_t op)
{
    for (guint i = 0; i < shards->waits->len; i++)
        op_graph_add_dep(shards->graph, op,
                         g_array_index(shards->waits, uint32_t, i), 0);
    g_array_set_size(shards->waits, 0);
    shards->last_kernel = op;
}

void graph_shards_reduce_gradients(GraphShards *shards, guint group)
{
    Group *g = shard_group(shards, group);
    uint32_t first = shards->graph->ops->len, last;

    if (!shards->sharding.gradients)
        return;
    last = sharding_add_group_reduction(
        &shards->base, &shards->ranks, group, g->n_weights,
        shards->step.gradient_bytes, shards->last_kernel);
    if (shards->graph->ops->len == first)
        return;
    if (g->reduction != SHARD_NO_OP)
        op_graph_add_dep(shards->graph, first, g->reduction, 0);
    g->reduction = last;
    if (!shards->sharding.overlaps)
        g_array_append_val(shards->waits, last);
}

void graph_shards_end_group(GraphShards *shards)
{
    g_array_append_val(shards->ends, shards->last_kernel);
}

/* ---- the update ---------------------------------------------------------- */

/* Makes the next iteration wait for @update and for @gathers. */
static void make_next_iteration_wait(const GraphShards *shards,
                                     const GraphShardsIteration *iteration,
                                     ShardedUpdate update,
                                     const GArray *gathers)
{
    OpGraph *graph = shards->graph;

    for (guint i = 0; i < shards->first->len; i++)
        op_graph_add_dep(graph, g_array_index(shards->first, uint32_t, i),
                         update.step, 1);
    for (guint i = 0; i < gathers->len; i++) {
        const ShardedGather *gather = &g_array_index(gathers, ShardedGather, i);

        op_graph_add_dep(graph, iteration->needed[gather->group], gather->op,
                         1);
    }
    /* The step is of the main stream, and so before the next iteration. */
    if (update.end != update.step)
        op_graph_add_dep(graph, iteration->first, update.end, 1);
}

static void set_memory_of_rank(const GraphShards *shards, uint64_t n_weights)
{
    const OptimiserStep *step = &shards->step;
    const WeightBytes of_weight = {
        .weight_bytes = step->weight_bytes,
        .gradient_bytes = step->gradient_bytes,
        .state_bytes = optimiser_state_bytes(
            shards->optimiser, step->weight_bytes, step->master_copies),
    };
    g_autofree uint64_t *n = g_new(uint64_t, shards->groups->len);
    RankMemory *memory = &shards->graph->sharded_memory;

    for (guint i = 0; i < shards->groups->len; i++)
        n[i] = shard_group(shards, i)->n_weights;
    sharding_add_memory(&shards->sharding, &of_weight, n_weights,
                        shards->ranks.n_ranks, memory);
    memory->bytes[MEMORY_BUFFERS] = sharding_whole_group_bytes(
        &shards->sharding, &of_weight, n, shards->groups->len);
}

void graph_shards_add_update(GraphShards *shards,
                             const GraphShardsIteration *iteration)
{
    guint n = shards->groups->len;
    g_autofree ShardedGroup *groups = g_new0(ShardedGroup, n);
    g_autoptr(GArray) gathers =
        g_array_new(FALSE, FALSE, sizeof(ShardedGather));
    const ShardedWeights weights = { .ranks = shards->ranks,
                                     .groups = groups,
                                     .n_groups = n,
                                     .n_backward = 1,
                                     .backward_exit = { shards->last_kernel },
                                     .step = shards->step,
                                     .optimiser = shards->optimiser };
    uint64_t n_weights = 0;

    g_assert(iteration->n_groups == n);
    for (guint i = 0; i < n; i++) {
        groups[i].n_weights = shard_group(shards, i)->n_weights;
        groups[i].ready[0] = iteration->ready[i];
        n_weights = layer_add_saturating(n_weights, groups[i].n_weights);
    }
    if (shards->optimiser > OPTIMISER_NONE)
        shards->graph->optimiser = optimiser_names[shards->optimiser];
    shards->pass = OP_UPDATE;
    make_next_iteration_wait(shards, iteration,
                             sharding_add_update(&shards->sharding,
                                                 &shards->base, &weights,
                                                 gathers),
                             gathers);
    set_memory_of_rank(shards, n_weights);
}
