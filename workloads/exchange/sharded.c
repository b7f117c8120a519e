/*
 * sharded.c - one step behind all gradients, on parts of the weights
 *
 * The shardings of language models (sharding/sharding.h), whose data-parallel
 * ranks are all NPUs here.  With P weights, gradients of g and weights of w
 * bytes, n NPUs and m micro-batches, an iteration communicates
 *
 *     replicated   an all-reduce of P g bytes
 *     zero-1       a reduce-scatter of P g and an all-gather of P w bytes
 *     zero-2       m reduce-scatters of P g and an all-gather of P w bytes
 *     fsdp         m reduce-scatters of P g bytes, and an all-gather of the
 *                  weights of a layer before each of its passes
 *     hsdp         the same within groups of N NPUs, and m all-reduces of
 *                  P g / N bytes across them
 *
 * No weights are gathered behind a pass of the same layer, or for a pass whose
 * kernels do not read them, as that of the gradients of weights alone.
 *
 * The step is one kernel (LAMB: two) on P weights if states are not divided,
 * else on P / n or P / N.  Without an optimiser it is an empty kernel.
 */
#include "workloads/exchange/exchange_impl.h"

typedef struct {
    ExchangeCommon common;
    ConfigVariant shard;
} ShardedParams;

static const ConfigField sharded_fields[] = {
    { .key = "shard",
      .help = "how gradients, optimiser's states and weights lie on the NPUs",
      .source = "assumed: as language models",
      .type = CONFIG_KIND,
      .offset = offsetof(ShardedParams, shard),
      .registry = &sharding_registry,
      .fallback = "{kind: zero-1}" },
    CONFIG_END,
};

static const ConfigVariant *shard_of_exchange(const ConfigVariant *exchange)
{
    const ShardedParams *params = exchange->params;

    return &params->shard;
}

/* Adds the update.  The tensors of a layer follow each other, from the last
 * layer to the first; a layer is a group of the sharding. */
static gboolean exchange_add_sharded_update(const ConfigVariant *exchange,
                                            const ExchangeRequest *request,
                                            GError **error)
{
    g_autofree uint32_t *ready = g_new(uint32_t, request->n_tensors);
    g_autofree uint32_t *needed = g_new(uint32_t, request->n_tensors);
    guint n = 0;

    (void)exchange;
    (void)error;
    for (guint i = request->n_tensors; i-- > 0;) {
        const ExchangeTensor *tensor = &request->tensors[i];

        if (i + 1 == request->n_tensors || tensor->layer != tensor[1].layer)
            n++;
        ready[n - 1] = tensor->ready;
        needed[n - 1] = tensor->needed;
    }
    graph_shards_add_update(request->shards,
                            &(GraphShardsIteration){ .first = request->first,
                                                     .ready = ready,
                                                     .needed = needed,
                                                     .n_groups = n });
    return TRUE;
}

const ExchangeOps exchange_sharded = {
    .base = { .name = "sharded",
              .summary = "one step behind all gradients, on parts of the "
                         "weights (ZeRO, FSDP)",
              .fields = sharded_fields,
              .size = sizeof(ShardedParams) },
    .shard = shard_of_exchange,
    .add = exchange_add_sharded_update,
};
