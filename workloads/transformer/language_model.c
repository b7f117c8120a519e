/* language_model.c - fields and numbers of weights; see language_model.h */
#include "workloads/transformer/language_model.h"

#define MODEL_MAX_SIZE  UINT64_C(1000000)
#define MODEL_MAX_WORDS UINT64_C(10000000)
/* 2^50: products of weights, bytes and tokens stay below 2^64. */
#define MODEL_MAX_WEIGHTS 1125899906842624.0

static const char *const bias_names[] = { "none", "qkv", "attention", "all",
                                          NULL };

#define SIZE(Key, member, Help)                                                \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_COUNT,                    \
        .offset = offsetof(LanguageModel, member), .min = 1,                   \
        .max = MODEL_MAX_SIZE                                                  \
    }

#define OPTIONAL(Key, member, Help, Source)                                    \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_COUNT,                    \
        .offset = offsetof(LanguageModel, member), .max = MODEL_MAX_SIZE,      \
        .fallback = "0", .source = (Source)                                    \
    }

#define FLAG(Key, member, Help, Fallback, Source)                              \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_BOOL,                     \
        .offset = offsetof(LanguageModel, member), .fallback = (Fallback),     \
        .source = (Source)                                                     \
    }

#define LATENT(Key, member, Help)                                              \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_COUNT,                    \
        .offset = offsetof(LatentAttention, member), .max = MODEL_MAX_SIZE,    \
        .fallback = "0", .source = "no latent attention"                       \
    }

static const ConfigField latent_fields[] = {
    LATENT("query_rank", query_rank, "values of a compressed query; 0: whole"),
    LATENT("key_value_rank", key_value_rank,
           "values of a compressed key and value; 0: no latent attention"),
    LATENT("rotary", rotary, "values of a head with a rotary position"),
    LATENT("other", other, "values of a query or key without a position"),
    LATENT("value", value, "values of a head's value"),
    CONFIG_END,
};

#define EXPERTS(Key, member, Help, Fallback, Source)                           \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_COUNT,                    \
        .offset = offsetof(ModelExperts, member), .max = MODEL_MAX_SIZE,       \
        .fallback = (Fallback), .source = (Source)                             \
    }

static const ConfigField expert_fields[] = {
    EXPERTS("count", n_experts, "experts of a layer; 0: none", "0", "dense"),
    EXPERTS("per_token", n_chosen, "experts that a token uses", "0", "dense"),
    EXPERTS("ffn", ffn, "values inside an expert", "0", "dense"),
    EXPERTS("shared", n_shared, "experts that every token uses", "0", "none"),
    EXPERTS("dense_layers", n_dense_layers, "first layers without experts", "0",
            "none"),
    { .key = "router_bias",
      .help = "whether the router adds a learned value to each expert",
      .type = CONFIG_BOOL,
      .offset = offsetof(ModelExperts, has_router_bias),
      .fallback = "false",
      .source = "as most models" },
    CONFIG_END,
};

const ConfigField language_model_fields[] = {
    { .key = "name",
      .help = "what reports call the model",
      .type = CONFIG_NAME,
      .offset = offsetof(LanguageModel, name) },
    SIZE("layers", n_layers, "of attention and feed-forward part"),
    SIZE("hidden", hidden, "values of a token between layers"),
    SIZE("heads", n_heads, "of attention"),
    { .key = "kv_heads",
      .help = "heads of keys and values; auto: one for each head",
      .type = CONFIG_COUNT,
      .offset = offsetof(LanguageModel, n_key_value_heads),
      .min = 1,
      .max = MODEL_MAX_SIZE,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "one for each head" },
    { .key = "head_size",
      .help = "values of a head; auto: hidden / heads",
      .type = CONFIG_COUNT,
      .offset = offsetof(LanguageModel, head_size),
      .min = 1,
      .max = MODEL_MAX_SIZE,
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "hidden / heads" },
    SIZE("ffn", ffn, "values inside the feed-forward part"),
    { .key = "vocabulary",
      .help = "words of the embedding",
      .type = CONFIG_COUNT,
      .offset = offsetof(LanguageModel, vocabulary),
      .min = 1,
      .max = MODEL_MAX_WORDS },
    OPTIONAL("positions", n_positions, "learned positions", "none"),
    OPTIONAL("token_types", n_token_types, "learned types of a token", "none"),
    OPTIONAL("window", window, "tokens that one token attends to; 0: all",
             "the whole sequence"),
    { .key = "window_period",
      .help = "the last of so many layers has no window; 1: all have one",
      .type = CONFIG_COUNT,
      .offset = offsetof(LanguageModel, window_period),
      .min = 1,
      .max = MODEL_MAX_SIZE,
      .fallback = "1",
      .source = "all layers alike" },
    FLAG("gated", is_gated, "whether the feed-forward part has a gate", "true",
         "as most models since 2022"),
    FLAG("tied", is_tied, "whether the head shares the embedding", "false",
         "as most large models"),
    FLAG("causal", is_causal, "whether a token attends to earlier ones only",
         "true", "as decoders"),
    FLAG("query_norm", norms_queries,
         "whether heads of queries and keys have "
         "a norm",
         "false", "as most models"),
    FLAG("norm_bias", norms_have_bias, "whether norms have a bias", "false",
         "RMSNorm"),
    FLAG("embedding_norm", norms_embedding,
         "whether a norm follows the "
         "embedding",
         "false", "as decoders"),
    FLAG("head_transform", has_head_transform,
         "whether a product, a norm and "
         "a bias of each word belong to the head",
         "false", "as decoders"),
    FLAG("dropout", has_dropout,
         "whether it is trained with dropout, whose masks are kept", "false",
         "as most models since 2022"),
    FLAG("sinks", has_sinks, "whether each head has a learned logit", "false",
         "as most models"),
    { .key = "bias",
      .help = "which products add a bias",
      .type = CONFIG_ENUM,
      .offset = offsetof(LanguageModel, bias),
      .names = bias_names,
      .fallback = "none",
      .source = "as most models since 2022" },
    { .key = "latent",
      .help = "compressed keys and values (MLA)",
      .type = CONFIG_SECTION,
      .offset = offsetof(LanguageModel, latent),
      .fields = latent_fields,
      .fallback = "{}",
      .source = "none" },
    { .key = "experts",
      .help = "feed-forward parts of which a token uses some",
      .type = CONFIG_SECTION,
      .offset = offsetof(LanguageModel, experts),
      .fields = expert_fields,
      .fallback = "{}",
      .source = "none" },
    { .key = "parameters",
      .help = "published number of weights, to compare; 0: not known",
      .type = CONFIG_COUNT,
      .offset = offsetof(LanguageModel, published),
      .max = UINT64_C(1) << 50,
      .fallback = "0",
      .source = "not known" },
    CONFIG_END,
};

static gboolean fail(const LanguageModel *model, GError **error, char *text)
{
    config_set_error(error, model->node, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

/* Returns an upper bound of the number of all weights.  It cannot overflow, as
 * the exact number of absurd sizes would. */
static double bound_weights(const LanguageModel *m)
{
    const LatentAttention *latent = &m->latent;
    double h = (double)m->hidden, a = (double)m->n_heads;
    double latent_values =
        (double)latent->rotary + (double)latent->other + (double)latent->value;
    double attention = 4 * (h + 2) * (a + (double)m->n_key_value_heads) *
                           (double)m->head_size +
                       2 * (h + a * latent_values + 1) *
                           ((double)latent->query_rank +
                            (double)latent->key_value_rank + latent_values + h);
    double ffn = 3 * (h + 2) * ((double)m->ffn + 1);
    double experts =
        ((double)m->experts.n_experts + (double)m->experts.n_shared) *
            (3 * (h + 2) * ((double)m->experts.ffn + 1) + h + 1) +
        ffn;
    double words =
        (h + 1) * (2 * (double)m->vocabulary + (double)m->n_positions +
                   (double)m->n_token_types + h + 8);

    return words + (double)m->n_layers * (attention + experts + 8 * h);
}

gboolean language_model_complete(LanguageModel *model, GError **error)
{
    const ModelExperts *experts = &model->experts;

    model->latent.is_used = model->latent.key_value_rank > 0;
    if (model->n_key_value_heads == CONFIG_AUTO)
        model->n_key_value_heads = model->n_heads;
    if (model->head_size == CONFIG_AUTO && model->hidden % model->n_heads != 0)
        return fail(model, error,
                    g_strdup_printf(
                        "heads: %" G_GUINT64_FORMAT
                        " hidden values are no multiple of %" G_GUINT64_FORMAT
                        " heads; give 'head_size'",
                        model->hidden, model->n_heads));
    if (model->head_size == CONFIG_AUTO)
        model->head_size = model->hidden / model->n_heads;
    if (model->n_heads % model->n_key_value_heads != 0)
        return fail(model, error,
                    g_strdup_printf("kv_heads: %" G_GUINT64_FORMAT
                                    " do not divide %" G_GUINT64_FORMAT
                                    " heads; use a number that does",
                                    model->n_key_value_heads, model->n_heads));
    if (model->latent.is_used &&
        (model->latent.rotary == 0 || model->latent.other == 0 ||
         model->latent.value == 0))
        return fail(
            model, error,
            g_strdup("latent: give 'rotary', 'other' and 'value', too"));
    if (experts->n_experts > 0 &&
        (experts->n_chosen == 0 || experts->n_chosen > experts->n_experts ||
         experts->ffn == 0))
        return fail(model, error,
                    g_strdup("experts: give 'per_token', at most 'count', and "
                             "'ffn'"));
    if (experts->n_dense_layers > model->n_layers)
        return fail(model, error,
                    g_strdup("experts: 'dense_layers' are more than 'layers'"));
    if (bound_weights(model) > MODEL_MAX_WEIGHTS)
        return fail(model, error,
                    g_strdup_printf("model: the sizes make more than %.2g "
                                    "weights; is one of them wrong?",
                                    MODEL_MAX_WEIGHTS));
    return TRUE;
}

/* ---- numbers of weights ------------------------------------------------- */

uint64_t language_model_norm_weights(const LanguageModel *model)
{
    return model->hidden * (model->norms_have_bias ? 2 : 1);
}

uint64_t language_model_attention_weights(const LanguageModel *model)
{
    const LatentAttention *latent = &model->latent;
    uint64_t h = model->hidden, a = model->n_heads, d = model->head_size;
    uint64_t n_key_value = model->n_key_value_heads * d, n = 0;

    if (latent->is_used) {
        uint64_t n_query = a * (latent->other + latent->rotary);

        n = latent->query_rank > 0
                ? h * latent->query_rank + latent->query_rank +
                      latent->query_rank * n_query
                : h * n_query;
        n += h * (latent->key_value_rank + latent->rotary) +
             latent->key_value_rank +
             latent->key_value_rank * a * (latent->other + latent->value);
        return n + a * latent->value * h;
    }
    n = h * (a * d + 2 * n_key_value) + a * d * h;
    if (model->bias >= MODEL_BIAS_QKV)
        n += a * d + 2 * n_key_value;
    if (model->bias >= MODEL_BIAS_ATTENTION)
        n += h;
    if (model->norms_queries)
        n += 2 * d;
    return n + (model->has_sinks ? a : 0);
}

/* Returns the weights of a feed-forward part with @ffn values inside. */
static uint64_t ffn_weights(const LanguageModel *model, uint64_t ffn,
                            gboolean has_bias)
{
    uint64_t n_inside = ffn * (model->is_gated ? 2 : 1);

    return model->hidden * (n_inside + ffn) +
           (has_bias ? n_inside + model->hidden : 0);
}

uint64_t language_model_dense_weights(const LanguageModel *model)
{
    return ffn_weights(model, model->ffn, model->bias == MODEL_BIAS_ALL);
}

uint64_t language_model_expert_weights(const LanguageModel *model)
{
    return ffn_weights(model, model->experts.ffn,
                       model->bias >= MODEL_BIAS_ATTENTION);
}

uint64_t language_model_shared_weights(const LanguageModel *model)
{
    const ModelExperts *experts = &model->experts;

    return model->hidden * experts->n_experts +
           (experts->has_router_bias ? experts->n_experts : 0) +
           experts->n_shared * ffn_weights(model, experts->ffn, FALSE);
}

uint64_t language_model_embedding_weights(const LanguageModel *model)
{
    return model->hidden *
               (model->vocabulary + model->n_positions + model->n_token_types) +
           (model->norms_embedding ? language_model_norm_weights(model) : 0);
}

uint64_t language_model_head_weights(const LanguageModel *model)
{
    uint64_t h = model->hidden;
    uint64_t n = model->is_tied ? 0 : h * model->vocabulary;

    if (model->has_head_transform)
        return n + h * h + h + language_model_norm_weights(model) +
               model->vocabulary;
    return n + language_model_norm_weights(model);
}

/* Returns the weights with @n_experts experts in each layer that has some. */
static uint64_t weights_with(const LanguageModel *model, uint64_t n_experts)
{
    uint64_t n = language_model_embedding_weights(model) +
                 language_model_head_weights(model);

    for (uint64_t layer = 0; layer < model->n_layers; layer++) {
        n += language_model_attention_weights(model) +
             2 * language_model_norm_weights(model);
        n += language_model_has_experts(model, layer)
                 ? n_experts * language_model_expert_weights(model) +
                       language_model_shared_weights(model)
                 : language_model_dense_weights(model);
    }
    return n;
}

uint64_t language_model_all_weights(const LanguageModel *model)
{
    return weights_with(model, model->experts.n_experts);
}

uint64_t language_model_active_weights(const LanguageModel *model)
{
    return weights_with(model, model->experts.n_chosen);
}
