/*
 * language_model.c - configuration fields and checks of a language model; see
 * language_model.h
 */
#include "workloads/transformer/language_model.h"

#include "workloads/transformer/modules/module_table.h"

#define MODEL_MAX_SIZE  UINT64_C(1000000)
#define MODEL_MAX_WORDS UINT64_C(10000000)
/* Published models have 1 to 4. */
#define MODEL_MAX_MTP_DEPTH 64
/* 2^50: products of weights, bytes and tokens stay below 2^64. */
#define MODEL_MAX_WEIGHTS 1125899906842624.0

static const char *const bias_names[] = { "none", "qkv", "attention", "all",
                                          NULL };

#define NAME(Ops, Name) Name,

const char *const language_model_module_names[] = { LAYER_MODULES(NAME) NULL };

static const ConfigField module_item = {
    .key = "module",
    .help = "one of them",
    .type = CONFIG_ENUM,
    .names = language_model_module_names,
};

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
    { .key = "mtp_depth",
      .help = "modules of multi-token prediction, each with a block like a "
              "layer; 0: none",
      .type = CONFIG_COUNT,
      .offset = offsetof(LanguageModel, mtp_depth),
      .max = MODEL_MAX_MTP_DEPTH,
      .fallback = "0",
      .source = "the model predicts one token" },
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
    { .key = "modules",
      .help = "modules of a layer in order; a layer with experts leaves out "
              "mlp, and one without leaves out experts",
      .type = CONFIG_LIST,
      .offset = offsetof(LanguageModel, modules),
      .min = 1,
      .max = LANGUAGE_MODEL_MAX_MODULES,
      .item = &module_item,
      .item_size = sizeof(int),
      .fallback = "[attention, mlp, experts]",
      .source = "as most models" },
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

static gboolean set_language_model_error(const LanguageModel *model,
                                         GError **error, char *text)
{
    config_set_error(error, model->node, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

/* Returns an upper bound of the number of all weights.  It cannot overflow, as
 * the exact number of absurd sizes would. */
static double upper_bound_of_weights(const LanguageModel *m)
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

    return words + (double)m->mtp_depth * (2 * h * h + 6 * h) +
           (double)language_model_n_blocks(m) * (attention + experts + 8 * h);
}

gboolean language_model_complete(LanguageModel *model, GError **error)
{
    const ModelExperts *experts = &model->experts;

    model->latent.is_used = model->latent.key_value_rank > 0;
    if (model->n_key_value_heads == CONFIG_AUTO)
        model->n_key_value_heads = model->n_heads;
    if (model->head_size == CONFIG_AUTO && model->hidden % model->n_heads != 0)
        return set_language_model_error(
            model, error,
            g_strdup_printf(
                "heads: %" G_GUINT64_FORMAT
                " hidden values are no multiple of %" G_GUINT64_FORMAT
                " heads; give 'head_size'",
                model->hidden, model->n_heads));
    if (model->head_size == CONFIG_AUTO)
        model->head_size = model->hidden / model->n_heads;
    if (model->n_heads % model->n_key_value_heads != 0)
        return set_language_model_error(
            model, error,
            g_strdup_printf("kv_heads: %" G_GUINT64_FORMAT
                            " do not divide %" G_GUINT64_FORMAT
                            " heads; use a number that does",
                            model->n_key_value_heads, model->n_heads));
    if (model->latent.is_used &&
        (model->latent.rotary == 0 || model->latent.other == 0 ||
         model->latent.value == 0))
        return set_language_model_error(
            model, error,
            g_strdup("latent: give 'rotary', 'other' and 'value', too"));
    if (experts->n_experts > 0 &&
        (experts->n_chosen == 0 || experts->n_chosen > experts->n_experts ||
         experts->ffn == 0))
        return set_language_model_error(
            model, error,
            g_strdup("experts: give 'per_token', at most 'count', and "
                     "'ffn'"));
    if (experts->n_dense_layers > model->n_layers)
        return set_language_model_error(
            model, error,
            g_strdup("experts: 'dense_layers' are more than 'layers'"));
    if (upper_bound_of_weights(model) > MODEL_MAX_WEIGHTS)
        return set_language_model_error(
            model, error,
            g_strdup_printf("model: the sizes make more than %.2g "
                            "weights; is one of them wrong?",
                            MODEL_MAX_WEIGHTS));
    return TRUE;
}

uint64_t language_model_norm_weights(const LanguageModel *model)
{
    return model->hidden * (model->norms_have_bias ? 2 : 1);
}
