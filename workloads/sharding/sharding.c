/* sharding.c - the kinds of sharding, and the update of weights; see
 * sharding.h */
#include "workloads/sharding/sharding_impl.h"

#include "workloads/layer.h"

/* ---- kinds --------------------------------------------------------------- */

/* The kinds, from the one that divides least to the one that divides most.  To
 * add a kind, add a file, and a line with its ShardingKind here. */
/* clang-format off */
#define SHARDINGS(Add)        \
    Add(sharding_replicated)  \
    Add(sharding_zero_1)      \
    Add(sharding_zero_2)      \
    Add(sharding_hsdp)        \
    Add(sharding_fsdp)
/* clang-format on */

#define DECLARE(Kind) extern const ShardingKind Kind;
#define KIND(Kind)    &Kind.base,

SHARDINGS(DECLARE)

static const ConfigKind *const kinds[] = { SHARDINGS(KIND) NULL };

const ConfigField sharding_plain_fields[] = {
    SHARDING_OVERLAP_FIELD("false",
                           "as Megatron-LM without --overlap-grad-reduce and "
                           "--overlap-param-gather"),
    SHARDING_BUCKET_FIELD,
    CONFIG_END,
};

static const ConfigForeignName other_names[] = {
    { "none", "replicated" },    { "ddp", "replicated" },
    { "distributed", "zero-1" }, { "zero-3", "fsdp" },
    { "hybrid", "hsdp" },        { NULL, NULL },
};

const ConfigRegistry sharding_registry = { .what = "sharding",
                                           .kinds = kinds,
                                           .others = other_names };

Sharding sharding_divided_by(const ConfigKind *kind)
{
    const ShardingKind *k = (const ShardingKind *)kind;

    g_assert(!k->has_groups || (k->states && k->gradients && k->weights));
    return (Sharding){ .states = k->states,
                       .gradients = k->gradients,
                       .weights = k->weights,
                       .has_groups = k->has_groups };
}

Sharding sharding_of_variant(const ConfigVariant *shard)
{
    const ShardingParams *params = shard->params;
    Sharding ret = sharding_divided_by(shard->kind);

    ret.overlaps = params->overlaps;
    ret.bucket_weights = params->bucket_weights;
    ret.n_prefetched = params->overlaps ? params->n_prefetched : 0;
    return ret;
}

static gboolean set_sharding_error(const ConfigVariant *shard, GError **error,
                                   char *text)
{
    config_set_error(error, shard->node, CONFIG_ERROR_CONFLICT, "shard: %s",
                     text);
    g_free(text);
    return FALSE;
}

gboolean sharding_divide_mesh(const ConfigVariant *shard, MeshConfig *config,
                              Mesh *mesh, GError **error)
{
    const ShardingParams *params = shard->params;
    uint32_t n_dp = mesh->sizes[MESH_DP];
    const char *name = shard->kind->name;

    config->dp_within = 1;
    if (!((const ShardingKind *)shard->kind)->has_groups)
        return TRUE;
    if (n_dp % params->n_within != 0)
        return set_sharding_error(
            shard, error,
            g_strdup_printf("%s: within %" G_GUINT64_FORMAT
                            " does not divide dp %u; use a divisor, "
                            "such as the data-parallel ranks of a node",
                            name, params->n_within, n_dp));
    if (params->n_within == n_dp)
        return set_sharding_error(
            shard, error,
            g_strdup_printf("%s: within %u is all of dp, so there are "
                            "no copies; take fsdp",
                            name, n_dp));
    if (params->n_within == 1 && mesh->sizes[MESH_CP] == 1)
        return set_sharding_error(
            shard, error,
            g_strdup_printf("%s: within 1 divides nothing; take "
                            "replicated",
                            name));
    config->dp_within = params->n_within;
    return mesh_init(mesh, config, mesh->n_ranks, error);
}

char *sharding_summary_text(const ConfigVariant *shard, gboolean overlaps)
{
    const ShardingParams *params = shard->params;
    const char *overlap = overlaps ? "true" : "false";

    return sharding_has_defaults(shard->kind)
               ? g_strdup_printf("{kind: %s, overlap: %s}", shard->kind->name,
                                 overlap)
               : g_strdup_printf("{kind: %s, within: %" G_GUINT64_FORMAT
                                 ", overlap: %s}",
                                 shard->kind->name, params->n_within, overlap);
}

gboolean sharding_has_defaults(const ConfigKind *kind)
{
    return !((const ShardingKind *)kind)->has_groups;
}

ConfigVariant sharding_of_kind(const ConfigKind *kind, gboolean overlaps,
                               const ConfigNode *node)
{
    static const ShardingParams plain = { .overlaps = FALSE,
                                          .bucket_weights = CONFIG_AUTO,
                                          .n_prefetched = 1 };
    static const ShardingParams overlapped = { .overlaps = TRUE,
                                               .bucket_weights = CONFIG_AUTO,
                                               .n_prefetched = 1 };

    g_assert(sharding_has_defaults(kind));
    return (ConfigVariant){ .kind = kind,
                            .params = overlaps ? &overlapped : &plain,
                            .node = node };
}

ConfigVariant sharding_divide_more(const ConfigVariant *shard)
{
    guint i = 0;

    while (kinds[i] != shard->kind)
        i++;
    do
        i++;
    while (kinds[i] && !sharding_has_defaults(kinds[i]));
    if (!kinds[i])
        return (ConfigVariant){ .node = shard->node };
    return sharding_of_kind(
        kinds[i], ((const ShardingKind *)kinds[i])->gradients, shard->node);
}

#define LEAST_BUCKET          UINT64_C(40000000)
#define LEAST_BUCKET_PER_RANK UINT64_C(1000000)

/* Returns the least number of weights of a bucket on @n_ranks ranks. */
static uint64_t min_weights_of_bucket(const Sharding *sharding,
                                      uint32_t n_ranks)
{
    return sharding->bucket_weights != CONFIG_AUTO
               ? sharding->bucket_weights
               : MAX(LEAST_BUCKET, n_ranks * LEAST_BUCKET_PER_RANK);
}

/* ---- the update ---------------------------------------------------------- */

typedef struct {
    const Sharding *sharding;
    SegmentBuilder *b;
    const ShardedWeights *weights;
    uint64_t n_weights; /* of all groups */
    GArray *reductions; /* of uint32_t: operations that the step waits for */
} Update;

/* Makes @op wait for operation @on[i] of each backward segment i. */
static void wait_for_backward_segments(const Update *u, uint32_t op,
                                       const uint32_t *on)
{
    for (guint i = 0; i < u->weights->n_backward; i++)
        segment_add_dep(u->b->segment, op,
                        &(SegmentDep){ .kind = SEGMENT_DEP_LAST,
                                       .segment = u->weights->backward[i],
                                       .op = on[i] });
}

/* Adds the reduction of the gradients of @n_weights, which are complete behind
 * operations @ready of the backward segments. */
static void add_gradient_reduction(Update *u, uint64_t n_weights,
                                   const uint32_t *ready)
{
    uint64_t bytes = n_weights * u->weights->step.gradient_bytes;
    uint32_t op;

    if (u->weights->n_ranks == 1 || bytes == 0)
        return;
    op = segment_builder_add_collective(
        u->b, u->weights->part, "gradients",
        u->sharding->states ? COLL_REDUCE_SCATTER : COLL_ALL_REDUCE,
        u->weights->axes, bytes);
    wait_for_backward_segments(u, op, ready);
    g_array_append_val(u->reductions, op);
}

/* Adds the reductions of buckets, from the last groups on, as the backward pass
 * completes them. */
static void add_reductions_of_buckets(Update *u)
{
    uint64_t least = min_weights_of_bucket(u->sharding, u->weights->n_ranks);
    uint64_t n = 0;

    if (u->sharding->gradients)
        return; /* the backward passes have them */
    if (!u->sharding->overlaps) {
        add_gradient_reduction(u, u->n_weights, u->weights->backward_exit);
        return;
    }
    for (guint g = u->weights->n_groups; g-- > 0;) {
        n += u->weights->groups[g].n_weights;
        if (n < least && g > 0)
            continue;
        add_gradient_reduction(u, n, u->weights->groups[g].ready);
        n = 0;
    }
}

/* Makes @op wait for all gradients. */
static void wait_for_all_gradients(const Update *u, uint32_t op)
{
    for (guint i = 0; i < u->reductions->len; i++)
        segment_builder_add_dependency(
            u->b, op, g_array_index(u->reductions, uint32_t, i));
    for (guint g = 0; u->sharding->gradients && g < u->weights->n_groups; g++)
        if (u->weights->groups[g].n_weights > 0)
            wait_for_backward_segments(u, op, u->weights->groups[g].ready);
    if (u->reductions->len == 0)
        wait_for_backward_segments(u, op, u->weights->backward_exit);
}

/* Adds the optimiser's step and returns its last operation. */
static uint32_t add_optimiser_step(const Update *u)
{
    OptimiserStep step = u->weights->step;
    OpWork works[OPTIMISER_MAX_WORKS] = { 0 };
    uint32_t op = SEGMENT_NONE, n_ranks = u->weights->n_ranks;

    step.n_weights = u->sharding->states
                         ? (u->n_weights + n_ranks - 1) / n_ranks
                         : u->n_weights;
    step.n_weights = MAX(step.n_weights, 1);
    if (u->weights->optimiser > OPTIMISER_NONE)
        optimiser_list_kernels(u->weights->optimiser, &step, works);
    else
        works[0].flop = 1; /* the end of an iteration without a step */
    for (guint i = 0; i < OPTIMISER_MAX_WORKS; i++) {
        uint32_t before = op;

        if (works[i].flop == 0 && works[i].bytes == 0)
            continue;
        op = segment_builder_add_kernel(
            u->b, u->weights->part, "step", KERNEL_CLASS_OTHER, works[i].flop,
            works[i].bytes - works[i].written_bytes, works[i].written_bytes);
        if (before != SEGMENT_NONE)
            segment_builder_add_dependency(u->b, op, before);
        else
            wait_for_all_gradients(u, op);
    }
    return op;
}

static uint32_t add_weight_gather(const Update *u, uint64_t n_weights,
                                  uint32_t step)
{
    uint32_t op = segment_builder_add_collective(
        u->b, u->weights->part, "weights", COLL_ALL_GATHER, u->weights->axes,
        n_weights * u->weights->step.weight_bytes);

    segment_builder_add_dependency(u->b, op, step);
    return op;
}

/* Adds the gathers of buckets, in the order in which the forward pass needs
 * them. */
static void add_weight_gathers_of_buckets(const Update *u, uint32_t step,
                                          GArray *ret)
{
    uint64_t least = min_weights_of_bucket(u->sharding, u->weights->n_ranks);
    ShardedGather gather = { 0 };
    uint64_t n = 0;

    for (guint g = 0; g < u->weights->n_groups; g++) {
        if (n == 0)
            gather.group = g;
        n += u->weights->groups[g].n_weights;
        if (n == 0 || (n < least && g + 1 < u->weights->n_groups))
            continue;
        gather.op = add_weight_gather(u, n, step);
        g_array_append_val(ret, gather);
        n = 0;
    }
}

void sharding_add_update(const Sharding *sharding, SegmentBuilder *update,
                         const ShardedWeights *weights, GArray *ret_gathers)
{
    g_autoptr(GArray) reductions = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Update u = { .sharding = sharding,
                 .b = update,
                 .weights = weights,
                 .reductions = reductions };
    uint32_t step;

    for (guint g = 0; g < weights->n_groups; g++)
        u.n_weights =
            layer_add_saturating(u.n_weights, weights->groups[g].n_weights);
    add_reductions_of_buckets(&u);
    step = add_optimiser_step(&u);
    if (weights->n_ranks == 1 || u.n_weights == 0 || !sharding->states ||
        sharding->weights)
        return;
    if (!sharding->overlaps) {
        add_weight_gather(&u, u.n_weights, step);
        return;
    }
    add_weight_gathers_of_buckets(&u, step, ret_gathers);
    update->segment->exit = step;
}
