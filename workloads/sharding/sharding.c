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

const ConfigRegistry sharding_registry = { .noun = "sharding",
                                           .kinds = kinds,
                                           .foreign_names = other_names };

Sharding sharding_divided_by(const ConfigKind *kind)
{
    const ShardingKind *sharding_kind = (const ShardingKind *)kind;

    g_assert(!sharding_kind->has_groups ||
             (sharding_kind->states && sharding_kind->gradients &&
              sharding_kind->weights));
    return (Sharding){ .states = sharding_kind->states,
                       .gradients = sharding_kind->gradients,
                       .weights = sharding_kind->weights,
                       .has_groups = sharding_kind->has_groups };
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

/* ---- passes -------------------------------------------------------------- */

/* Adds @message to @n_ranks ranks.  Returns SHARD_NO_OP if there is nothing to
 * communicate. */
static uint32_t add_message(const ShardBuilder *builder, uint32_t n_ranks,
                            const ShardMessage *message)
{
    return n_ranks == 1 || message->bytes == 0
               ? SHARD_NO_OP
               : builder->add_collective(builder, message);
}

uint32_t sharding_add_group_gather(const Sharding *sharding,
                                   const ShardBuilder *builder,
                                   const ShardRanks *ranks, guint group,
                                   uint64_t bytes, const GArray *ends)
{
    uint64_t n_before = ends->len, ahead = sharding->n_prefetched;
    uint32_t op = add_message(builder, ranks->n_ranks,
                              &(ShardMessage){ .name = "weights",
                                               .kind = COLL_ALL_GATHER,
                                               .axes = ranks->axes,
                                               .bytes = bytes,
                                               .first_group = group,
                                               .last_group = group });

    if (op != SHARD_NO_OP && n_before > ahead)
        builder->add_dependency(
            builder, op, g_array_index(ends, uint32_t, n_before - 1 - ahead));
    return op;
}

uint32_t sharding_add_group_reduction(const ShardBuilder *builder,
                                      const ShardRanks *ranks, guint group,
                                      uint64_t n_weights,
                                      uint64_t gradient_bytes, uint32_t after)
{
    uint64_t n_own = (n_weights + ranks->n_ranks - 1) / ranks->n_ranks;
    const uint32_t sums[] = {
        add_message(builder, ranks->n_ranks,
                    &(ShardMessage){ .name = "gradients",
                                     .kind = COLL_REDUCE_SCATTER,
                                     .axes = ranks->axes,
                                     .bytes = layer_multiply_saturating(
                                         n_weights, gradient_bytes),
                                     .first_group = group,
                                     .last_group = group }),
        add_message(builder, ranks->n_copies,
                    &(ShardMessage){ .name = "copies of gradients",
                                     .kind = COLL_ALL_REDUCE,
                                     .axes = ranks->copy_axes,
                                     .bytes = layer_multiply_saturating(
                                         n_own, gradient_bytes),
                                     .first_group = group,
                                     .last_group = group }),
    };

    for (guint i = 0; i < G_N_ELEMENTS(sums); i++)
        if (sums[i] != SHARD_NO_OP) {
            builder->add_dependency(builder, sums[i], after);
            after = sums[i];
        }
    return after;
}

/* ---- the update ---------------------------------------------------------- */

typedef struct {
    const Sharding *sharding;
    const ShardBuilder *builder;
    const ShardedWeights *weights;
    uint64_t n_weights; /* of all groups */
    GArray *reductions; /* of uint32_t: operations that the step waits for */
} Update;

/* Makes @op wait for operation @on[i] of each backward pass i. */
static void wait_for_backward_passes(const Update *update, uint32_t op,
                                     const uint32_t *on)
{
    for (guint i = 0; i < update->weights->n_backward; i++)
        update->builder->add_backward_dependency(update->builder, op, i, on[i]);
}

/* Adds the reduction of the gradients of groups @first to @last, of @n_weights,
 * which are complete behind operations @ready of the backward passes. */
static void add_gradient_reduction(Update *update, guint first, guint last,
                                   uint64_t n_weights, const uint32_t *ready)
{
    uint32_t op = add_message(
        update->builder, update->weights->ranks.n_ranks,
        &(ShardMessage){ .name = "gradients",
                         .kind = update->sharding->states ? COLL_REDUCE_SCATTER
                                                          : COLL_ALL_REDUCE,
                         .axes = update->weights->ranks.axes,
                         .bytes = layer_multiply_saturating(
                             n_weights, update->weights->step.gradient_bytes),
                         .first_group = first,
                         .last_group = last });

    if (op == SHARD_NO_OP)
        return;
    wait_for_backward_passes(update, op, ready);
    g_array_append_val(update->reductions, op);
}

/* Adds the reductions of buckets, from the last groups on, as the backward pass
 * completes them. */
static void add_reductions_of_buckets(Update *update)
{
    uint64_t least =
        min_weights_of_bucket(update->sharding, update->weights->ranks.n_ranks);
    uint64_t n = 0;
    guint last = update->weights->n_groups - 1;

    if (update->sharding->gradients)
        return; /* the backward passes have them */
    if (!update->sharding->overlaps) {
        add_gradient_reduction(update, 0, last, update->n_weights,
                               update->weights->backward_exit);
        return;
    }
    for (guint g = update->weights->n_groups; g-- > 0;) {
        if (n == 0)
            last = g;
        n += update->weights->groups[g].n_weights;
        if (n < least && g > 0)
            continue;
        add_gradient_reduction(update, g, last, n,
                               update->weights->groups[g].ready);
        n = 0;
    }
}

/* Makes @op wait for all gradients. */
static void wait_for_all_gradients(const Update *update, uint32_t op)
{
    for (guint i = 0; i < update->reductions->len; i++)
        update->builder->add_dependency(
            update->builder, op,
            g_array_index(update->reductions, uint32_t, i));
    for (guint g = 0;
         update->sharding->gradients && g < update->weights->n_groups; g++)
        if (update->weights->groups[g].n_weights > 0)
            wait_for_backward_passes(update, op,
                                     update->weights->groups[g].ready);
    if (update->reductions->len == 0)
        wait_for_backward_passes(update, op, update->weights->backward_exit);
}

/* Adds the optimiser's step and returns its last operation. */
static uint32_t add_optimiser_step(const Update *update)
{
    OptimiserStep step = update->weights->step;
    OpWork works[OPTIMISER_MAX_WORKS] = { 0 };
    uint32_t op = SHARD_NO_OP, n_ranks = update->weights->ranks.n_ranks;

    step.n_weights = update->sharding->states
                         ? (update->n_weights + n_ranks - 1) / n_ranks
                         : update->n_weights;
    step.n_weights = MAX(step.n_weights, 1);
    if (update->weights->optimiser > OPTIMISER_NONE)
        optimiser_list_kernels(update->weights->optimiser, &step, works);
    else
        works[0].flop = 1; /* the end of an iteration without a step */
    for (guint i = 0; i < OPTIMISER_MAX_WORKS; i++) {
        uint32_t before = op;

        if (works[i].flop == 0 && works[i].bytes == 0)
            continue;
        op = update->builder->add_kernel(update->builder, "step", &works[i]);
        if (before != SHARD_NO_OP)
            update->builder->add_dependency(update->builder, op, before);
        else
            wait_for_all_gradients(update, op);
    }
    return op;
}

/* Adds the gather of the weights of groups @first to @last, of @n_weights,
 * behind the step. */
static uint32_t add_weight_gather(const Update *update, guint first, guint last,
                                  uint64_t n_weights, uint32_t step)
{
    uint32_t op = update->builder->add_collective(
        update->builder,
        &(ShardMessage){ .name = "weights",
                         .kind = COLL_ALL_GATHER,
                         .axes = update->weights->ranks.axes,
                         .bytes = layer_multiply_saturating(
                             n_weights, update->weights->step.weight_bytes),
                         .first_group = first,
                         .last_group = last });

    update->builder->add_dependency(update->builder, op, step);
    return op;
}

/* Adds the gathers of buckets, in the order in which the forward pass needs
 * them. */
static void add_weight_gathers_of_buckets(const Update *update, uint32_t step,
                                          GArray *ret)
{
    uint64_t least =
        min_weights_of_bucket(update->sharding, update->weights->ranks.n_ranks);
    ShardedGather gather = { 0 };
    uint64_t n = 0;

    for (guint g = 0; g < update->weights->n_groups; g++) {
        if (n == 0)
            gather.group = g;
        n += update->weights->groups[g].n_weights;
        if (n == 0 || (n < least && g + 1 < update->weights->n_groups))
            continue;
        gather.op = add_weight_gather(update, gather.group, g, n, step);
        g_array_append_val(ret, gather);
        n = 0;
    }
}

ShardedUpdate sharding_add_update(const Sharding *sharding,
                                  const ShardBuilder *builder,
                                  const ShardedWeights *weights,
                                  GArray *ret_gathers)
{
    g_autoptr(GArray) reductions = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    Update u = { .sharding = sharding,
                 .builder = builder,
                 .weights = weights,
                 .reductions = reductions };
    ShardedUpdate ret;

    for (guint g = 0; g < weights->n_groups; g++)
        u.n_weights =
            layer_add_saturating(u.n_weights, weights->groups[g].n_weights);
    add_reductions_of_buckets(&u);
    ret.step = ret.end = add_optimiser_step(&u);
    if (weights->ranks.n_ranks == 1 || u.n_weights == 0 || !sharding->states ||
        sharding->weights)
        return ret;
    if (sharding->overlaps)
        add_weight_gathers_of_buckets(&u, ret.step, ret_gathers);
    else
        ret.end = add_weight_gather(&u, 0, weights->n_groups - 1, u.n_weights,
                                    ret.step);
    return ret;
}

/* ---- memory -------------------------------------------------------------- */

void sharding_add_memory(const Sharding *sharding, const WeightBytes *of_weight,
                         uint64_t n_weights, uint32_t n_ranks,
                         RankMemory *memory)
{
    uint64_t n_own = n_weights / n_ranks + (n_weights % n_ranks > 0);
    const uint64_t added[] = {
        [MEMORY_WEIGHTS] = layer_multiply_saturating(
            sharding->weights ? n_own : n_weights, of_weight->weight_bytes),
        [MEMORY_GRADIENTS] = layer_multiply_saturating(
            sharding->gradients ? n_own : n_weights, of_weight->gradient_bytes),
        [MEMORY_OPTIMISER] = layer_multiply_saturating(
            sharding->states ? n_own : n_weights, of_weight->state_bytes),
    };

    for (guint k = 0; k < G_N_ELEMENTS(added); k++)
        memory->bytes[k] = layer_add_saturating(memory->bytes[k], added[k]);
}

/* Returns the most weights of @n consecutive groups. */
static uint64_t most_weights_of_groups(const uint64_t *n_weights,
                                       guint n_groups, uint64_t n)
{
    uint64_t most = 0;

    for (guint first = 0; first < n_groups; first++) {
        uint64_t sum = 0;

        for (guint i = first; i < n_groups && i - first < n; i++)
            sum = layer_add_saturating(sum, n_weights[i]);
        most = MAX(most, sum);
    }
    return most;
}

uint64_t sharding_whole_group_bytes(const Sharding *sharding,
                                    const WeightBytes *of_weight,
                                    const uint64_t *n_weights, guint n_groups)
{
    uint64_t sum = 0;

    if (sharding->weights)
        sum = layer_multiply_saturating(
            most_weights_of_groups(n_weights, n_groups,
                                   sharding->n_prefetched + 1),
            of_weight->weight_bytes);
    if (sharding->gradients)
        sum = layer_add_saturating(
            sum, layer_multiply_saturating(
                     most_weights_of_groups(n_weights, n_groups, 1),
                     of_weight->gradient_bytes));
    return sum;
}
