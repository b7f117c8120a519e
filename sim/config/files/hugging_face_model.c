/*
 * hugging_face_model.c - reads the config.json of a Hugging Face model; see
 * hugging_face_model.h
 */
#include "sim/config/files/hugging_face_model.h"

#include <string.h>

#include "sim/config/config_message_impl.h"

#define TYPE_KEY  HUGGING_FACE_TYPE_KEY
#define MOST_SIZE UINT64_C(1000000)
/* Vocabularies, and positions, which are ignored where they are rotary. */
#define MOST_WORDS UINT64_C(10000000)
#define MOST_FIXED 9

/* ---- known architectures ------------------------------------------------- */

typedef struct {
    const char *theirs, *ours;
    uint64_t max;
} SizeKey;

static const SizeKey usual_sizes[] = {
    { "num_hidden_layers", "layers", MOST_SIZE },
    { "hidden_size", "hidden", MOST_SIZE },
    { "num_attention_heads", "heads", MOST_SIZE },
    { "intermediate_size", "ffn", MOST_SIZE },
    { "vocab_size", "vocabulary", MOST_WORDS },
    { NULL, NULL, 0 },
};

/* `n_inner`, which may be absent, is handled apart. */
static const SizeKey gpt2_sizes[] = {
    { "n_layer", "layers", MOST_SIZE },
    { "n_embd", "hidden", MOST_SIZE },
    { "n_head", "heads", MOST_SIZE },
    { "vocab_size", "vocabulary", MOST_WORDS },
    { "n_positions", "positions", MOST_SIZE },
    { NULL, NULL, 0 },
};

static const SizeKey bert_sizes[] = {
    { "num_hidden_layers", "layers", MOST_SIZE },
    { "hidden_size", "hidden", MOST_SIZE },
    { "num_attention_heads", "heads", MOST_SIZE },
    { "intermediate_size", "ffn", MOST_SIZE },
    { "vocab_size", "vocabulary", MOST_WORDS },
    { "max_position_embeddings", "positions", MOST_SIZE },
    { "type_vocab_size", "token_types", MOST_SIZE },
    { NULL, NULL, 0 },
};

/* Properties of an architecture, as bits. */
enum {
    NEEDS_KV_HEADS = 1 << 0,  /* its default is not the number of heads */
    NEEDS_HEAD_SIZE = 1 << 1, /* its default is not hidden / heads */
    IS_TIED = 1 << 2,         /* if `tie_word_embeddings` is absent */
    HAS_GROUPS = 1 << 3,      /* fewer heads of keys and values */
    HAS_WINDOW = 1 << 4,
    /* The window counts only if `use_sliding_window` is true, and then in the
     * layers from `max_window_layers` on. */
    HAS_WINDOW_SWITCH = 1 << 5,
    HAS_OTHER_WINDOWS = 1 << 6,   /* every second layer has no window, unless
                                     `layer_types` says otherwise */
    HAS_LATENT = 1 << 7,          /* compressed keys and values (MLA) */
    HAS_ATTENTION_BIAS = 1 << 8,  /* `attention_bias` and `mlp_bias` count */
    IS_PARALLEL = 1 << 9,         /* attention beside the feed-forward part */
    IS_DENSE_BY_DEFAULT = 1 << 10 /* the number of experts may be absent */
};

typedef struct {
    const char *name; /* its `model_type` */
    const SizeKey *sizes;
    guint features;
    const char *count;   /* the key of the number of experts; NULL: dense */
    const char *ffn;     /* the key of values inside an expert */
    const char *dropout; /* the key of the probability; NULL: none */
    /* Keys of the model that the architecture fixes, each with its value. */
    const char *fixed[MOST_FIXED * 2];
} Architecture;

#define NOT_GATED_WITH_BIASES                                                  \
    "gated", "false", "norm_bias", "true", "bias", "all"
#define ENCODER                                                                \
    NOT_GATED_WITH_BIASES, "causal", "false", "embedding_norm", "true",        \
        "head_transform", "true"

static const Architecture architectures[] = {
    { .name = "bert",
      .sizes = bert_sizes,
      .features = IS_TIED,
      .dropout = "hidden_dropout_prob",
      .fixed = { ENCODER } },
    { .name = "deepseek_v2",
      .sizes = usual_sizes,
      .features = HAS_LATENT | IS_DENSE_BY_DEFAULT,
      .count = "n_routed_experts",
      .ffn = "moe_intermediate_size" },
    { .name = "deepseek_v3",
      .sizes = usual_sizes,
      .features = HAS_LATENT,
      .count = "n_routed_experts",
      .ffn = "moe_intermediate_size",
      .fixed = { "router_bias", "true" } },
    { .name = "gemma",
      .sizes = usual_sizes,
      .features = NEEDS_KV_HEADS | NEEDS_HEAD_SIZE | IS_TIED | HAS_GROUPS |
                  HAS_ATTENTION_BIAS },
    { .name = "gpt2",
      .sizes = gpt2_sizes,
      .features = IS_TIED,
      .dropout = "resid_pdrop",
      .fixed = { NOT_GATED_WITH_BIASES } },
    { .name = "gpt_neox",
      .sizes = usual_sizes,
      .features = IS_PARALLEL,
      .dropout = "hidden_dropout",
      .fixed = { NOT_GATED_WITH_BIASES } },
    { .name = "gpt_oss",
      .sizes = usual_sizes,
      .features = NEEDS_KV_HEADS | NEEDS_HEAD_SIZE | HAS_GROUPS | HAS_WINDOW |
                  HAS_OTHER_WINDOWS,
      .count = "num_local_experts",
      .ffn = "intermediate_size",
      .fixed = { "bias", "attention", "sinks", "true", "router_bias",
                 "true" } },
    { .name = "kimi_k2",
      .sizes = usual_sizes,
      .features = HAS_LATENT,
      .count = "n_routed_experts",
      .ffn = "moe_intermediate_size",
      .fixed = { "router_bias", "true" } },
    { .name = "llama",
      .sizes = usual_sizes,
      .features = HAS_GROUPS | HAS_ATTENTION_BIAS },
    { .name = "mistral",
      .sizes = usual_sizes,
      .features = NEEDS_KV_HEADS | HAS_GROUPS | HAS_WINDOW },
    { .name = "mixtral",
      .sizes = usual_sizes,
      .features = NEEDS_KV_HEADS | HAS_GROUPS | HAS_WINDOW,
      .count = "num_local_experts",
      .ffn = "intermediate_size" },
    { .name = "phi3",
      .sizes = usual_sizes,
      .features = HAS_GROUPS | HAS_WINDOW },
    { .name = "qwen2",
      .sizes = usual_sizes,
      .features = NEEDS_KV_HEADS | HAS_GROUPS | HAS_WINDOW | HAS_WINDOW_SWITCH,
      .fixed = { "bias", "qkv" } },
    { .name = "qwen3",
      .sizes = usual_sizes,
      .features = NEEDS_KV_HEADS | NEEDS_HEAD_SIZE | HAS_GROUPS | HAS_WINDOW |
                  HAS_WINDOW_SWITCH | HAS_ATTENTION_BIAS,
      .fixed = { "query_norm", "true" } },
    { .name = "qwen3_moe",
      .sizes = usual_sizes,
      .features = NEEDS_KV_HEADS | HAS_GROUPS | HAS_WINDOW | HAS_WINDOW_SWITCH,
      .count = "num_experts",
      .ffn = "moe_intermediate_size",
      .fixed = { "query_norm", "true" } },
    { .name = "roberta",
      .sizes = bert_sizes,
      .features = IS_TIED,
      .dropout = "hidden_dropout_prob",
      .fixed = { ENCODER } },
};

/* Keys that make another architecture unless they have this value, are null, or
 * are absent. */
static const struct {
    const char *key, *plain;
} plain_values[] = {
    { "add_cross_attention", "false" }, { "decoder_sparse_step", "1" },
    { "is_decoder", "false" },          { "is_encoder_decoder", "false" },
    { "mlp_only_layers", "[]" },        { "moe_layer_freq", "1" },
};

/* ---- the translation ----------------------------------------------------- */

typedef struct {
    ConfigDoc *doc;
    ConfigSource *source;
    const ConfigNode *theirs; /* the map of the file */
    ConfigNode *ours;
    const Architecture *architecture;
} ModelTranslation;

static const ConfigNode *find_json_value(const ModelTranslation *translation,
                                         const char *key)
{
    guint i;
    const ConfigNode *value;

    if (!key || !config_node_find_key(translation->theirs, key, &i))
        return NULL;
    value = config_node_value(translation->theirs, i);
    if (value->kind == CONFIG_NODE_SCALAR && !value->quoted &&
        g_str_equal(value->text, "null"))
        return NULL;
    return value;
}

/* Returns whether @key is there, even if it is null. */
static gboolean has_json_key(const ModelTranslation *translation,
                             const char *key)
{
    guint i;

    return config_node_find_key(translation->theirs, key, &i);
}

static void add_translation_problem(const ModelTranslation *translation,
                                    const ConfigNode *node,
                                    ConfigErrorCode code, char *text)
{
    config_problem_at(translation->source->problems, node, code, "%s", text);
    g_free(text);
}

static void add_translation_note(const ModelTranslation *translation,
                                 const ConfigNode *node, char *text)
{
    g_ptr_array_add(translation->source->notes,
                    g_strdup_printf("%s:%u:%u: note: %s",
                                    translation->source->name, node->line,
                                    node->column, text));
    g_free(text);
}

static const ConfigNode *new_scalar_node(const ModelTranslation *translation,
                                         const ConfigNode *position_node,
                                         const char *text)
{
    ConfigNode *node = config_node_new(translation->doc, CONFIG_NODE_SCALAR,
                                       translation->source, position_node->line,
                                       position_node->column);

    config_node_set_text(translation->doc, node, text);
    return node;
}

/* Sets @key of @map to @text, with the position of @node. */
static void set_key_to_text(const ModelTranslation *translation,
                            ConfigNode *map, const char *key, const char *text,
                            const ConfigNode *node)
{
    config_node_add_pair(map, new_scalar_node(translation, node, key),
                         new_scalar_node(translation, node, text));
}

static void set_key_to_number(const ModelTranslation *translation,
                              ConfigNode *map, const char *key, uint64_t n,
                              const ConfigNode *node)
{
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, n);

    set_key_to_text(translation, map, key, text, node);
}

static ConfigNode *add_model_section(const ModelTranslation *translation,
                                     const char *key, const ConfigNode *node)
{
    ConfigNode *map =
        config_node_new(translation->doc, CONFIG_NODE_MAP, translation->source,
                        node->line, node->column);

    config_node_add_pair(translation->ours,
                         new_scalar_node(translation, node, key), map);
    return map;
}

/* Adds the problem that @value of @key is not what was @expected. */
static void add_type_problem(const ModelTranslation *translation,
                             const ConfigNode *value, const char *key,
                             const char *expected)
{
    g_autofree char *got = config_describe_node(value);

    add_translation_problem(
        translation, value, CONFIG_ERROR_TYPE,
        g_strdup_printf("%s: expected %s, got %s%s", key, expected,
                        value->quoted ? "the text " : "", got));
}

/* Sets *@ret to the whole number at @key.  Returns FALSE if it is absent, or
 * wrong, which adds a problem. */
static gboolean read_json_number(const ModelTranslation *translation,
                                 const char *key, uint64_t min, uint64_t max,
                                 uint64_t *ret)
{
    const ConfigNode *value = find_json_value(translation, key);
    g_autofree char *expected = NULL;
    guint64 n;

    if (!value)
        return FALSE;
    if (value->kind == CONFIG_NODE_SCALAR && !value->quoted &&
        g_ascii_string_to_unsigned(value->text, 10, min, max, &n, NULL)) {
        *ret = n;
        return TRUE;
    }
    expected = g_strdup_printf("a whole number of %" G_GUINT64_FORMAT
                               " to %" G_GUINT64_FORMAT,
                               min, max);
    add_type_problem(translation, value, key, expected);
    return FALSE;
}

/* Returns whether @key is true; @fallback if it is absent or null. */
static gboolean read_json_flag(const ModelTranslation *translation,
                               const char *key, gboolean fallback)
{
    const ConfigNode *value = find_json_value(translation, key);

    if (!value)
        return fallback;
    if (value->kind == CONFIG_NODE_SCALAR && !value->quoted &&
        (g_str_equal(value->text, "true") || g_str_equal(value->text, "false")))
        return g_str_equal(value->text, "true");
    add_type_problem(translation, value, key, "true or false");
    return fallback;
}

static void add_missing_key_problem(const ModelTranslation *translation,
                                    const char *key)
{
    if (!find_json_value(translation, key))
        add_translation_problem(
            translation, translation->theirs, CONFIG_ERROR_MISSING_KEY,
            g_strdup_printf("missing key '%s', which a model of type "
                            "'%s' needs",
                            key, translation->architecture->name));
}

/* Copies the number at @key to @map.  Returns the number, or 0 if it is absent
 * or wrong. */
static uint64_t copy_number_to_key(const ModelTranslation *translation,
                                   ConfigNode *map, const SizeKey *key,
                                   uint64_t min, gboolean is_needed)
{
    uint64_t n;

    if (is_needed)
        add_missing_key_problem(translation, key->theirs);
    if (!read_json_number(translation, key->theirs, min, key->max, &n))
        return 0;
    set_key_to_number(translation, map, key->ours, n,
                      find_json_value(translation, key->theirs));
    return n;
}

/* ---- parts of a model ---------------------------------------------------- */

static void translate_layer_sizes(const ModelTranslation *translation)
{
    const SizeKey inner = { "n_inner", "ffn", MOST_SIZE };
    uint64_t hidden = 0;

    for (const SizeKey *size = translation->architecture->sizes; size->theirs;
         size++) {
        uint64_t n =
            copy_number_to_key(translation, translation->ours, size, 1, TRUE);

        hidden = g_str_equal(size->ours, "hidden") ? n : hidden;
    }
    if (translation->architecture->sizes == gpt2_sizes &&
        copy_number_to_key(translation, translation->ours, &inner, 1, FALSE) ==
            0 &&
        hidden > 0)
        set_key_to_number(translation, translation->ours, inner.ours,
                          4 * hidden, find_json_value(translation, "n_embd"));
}

static void translate_attention_heads(const ModelTranslation *translation)
{
    const SizeKey kv_heads = { "num_key_value_heads", "kv_heads", MOST_SIZE };
    const SizeKey head_size = { "head_dim", "head_size", MOST_SIZE };

    if (translation->architecture->features & HAS_GROUPS) {
        copy_number_to_key(translation, translation->ours, &kv_heads, 1,
                           translation->architecture->features &
                               NEEDS_KV_HEADS);
        copy_number_to_key(translation, translation->ours, &head_size, 1,
                           translation->architecture->features &
                               NEEDS_HEAD_SIZE);
    }
}

static void translate_latent_attention(const ModelTranslation *translation)
{
    static const SizeKey keys[] = {
        { "kv_lora_rank", "key_value_rank", MOST_SIZE },
        { "qk_rope_head_dim", "rotary", MOST_SIZE },
        { "qk_nope_head_dim", "other", MOST_SIZE },
        { "v_head_dim", "value", MOST_SIZE },
    };
    const SizeKey query_rank = { "q_lora_rank", "query_rank", MOST_SIZE };
    const ConfigNode *node = find_json_value(translation, "kv_lora_rank");
    uint64_t sizes[G_N_ELEMENTS(keys)];
    ConfigNode *map;

    if (!(translation->architecture->features & HAS_LATENT))
        return;
    map = add_model_section(translation, "latent",
                            node ? node : translation->theirs);
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        sizes[i] = copy_number_to_key(translation, map, &keys[i], 1, TRUE);
    copy_number_to_key(translation, map, &query_rank, 1, FALSE);
    if (sizes[1] > 0 && sizes[2] > 0)
        set_key_to_number(translation, translation->ours, "head_size",
                          sizes[1] + sizes[2],
                          find_json_value(translation, keys[2].theirs));
}

static gboolean is_windowed_layer_type(const ConfigNode *type)
{
    return type->kind == CONFIG_NODE_SCALAR &&
           g_str_equal(type->text, "sliding_attention");
}

static gboolean is_full_attention_layer_type(const ConfigNode *type)
{
    return type->kind == CONFIG_NODE_SCALAR &&
           g_str_equal(type->text, "full_attention");
}

/* Returns the first of @types that does not fit a window in all layers but each
 * @period-th, or NULL.  If @period is 0, no layer has one. */
static const ConfigNode *find_different_layer_type(const ConfigNode *types,
                                                   guint period)
{
    for (guint i = 0; i < types->n_children; i++) {
        const ConfigNode *type = types->children[i];
        gboolean is_last = period > 0 && i % period == period - 1;

        if (period == 0 || (is_last && period > 1)
                ? !is_full_attention_layer_type(type)
                : !is_windowed_layer_type(type))
            return type;
    }
    return NULL;
}

/* Returns the period of @types for find_different_layer_type(), by the first
 * layer of full attention. */
static guint period_of_layer_types(const ConfigNode *types)
{
    for (guint i = 0; i < types->n_children; i++)
        if (is_full_attention_layer_type(types->children[i]))
            return i > 0 ? i + 1 : 0;
    return 1;
}

/* Adds problems if @types, of layer_types, are no pattern that is modelled.
 * Sets *@ret to the period. */
static void check_layer_types(const ModelTranslation *translation,
                              const ConfigNode *types, guint *ret)
{
    const ConfigNode *other;
    uint64_t n_layers;

    if (types->kind != CONFIG_NODE_LIST) {
        add_type_problem(translation, types, "layer_types", "a list");
        return;
    }
    if (read_json_number(translation, "num_hidden_layers", 1, MOST_SIZE,
                         &n_layers) &&
        types->n_children != n_layers)
        add_translation_problem(
            translation, types, CONFIG_ERROR_CONFLICT,
            g_strdup_printf("layer_types: it has %u layers, and "
                            "num_hidden_layers is %" G_GUINT64_FORMAT,
                            types->n_children, n_layers));
    *ret = translation->architecture->features & HAS_WINDOW
               ? period_of_layer_types(types)
               : 0;
    other = find_different_layer_type(types, *ret);
    if (other)
        add_translation_problem(
            translation, other, CONFIG_ERROR_CONFLICT,
            g_strdup_printf("layer_types: %s is modelled for a model of type "
                            "'%s'; write the shape that comes nearest as a "
                            "file like those of configs/models",
                            translation->architecture->features & HAS_WINDOW
                                ? "only a window in all layers, or in all but "
                                  "each n-th,"
                                : "only full_attention",
                            translation->architecture->name));
}

static void translate_attention_window(const ModelTranslation *translation)
{
    const SizeKey window = { "sliding_window", "window", MOST_WORDS };
    const ConfigNode *types = find_json_value(translation, "layer_types");
    guint period =
        translation->architecture->features & HAS_OTHER_WINDOWS ? 2 : 1;
    uint64_t first;

    if (types)
        check_layer_types(translation, types, &period);
    if (!(translation->architecture->features & HAS_WINDOW) || period == 0 ||
        ((translation->architecture->features & HAS_WINDOW_SWITCH) &&
         !read_json_flag(translation, "use_sliding_window", FALSE)) ||
        copy_number_to_key(translation, translation->ours, &window, 1, FALSE) ==
            0)
        return;
    if ((translation->architecture->features & HAS_WINDOW_SWITCH) && !types &&
        read_json_number(translation, "max_window_layers", 0, MOST_SIZE,
                         &first) &&
        first > 0)
        add_translation_note(
            translation, find_json_value(translation, "max_window_layers"),
            g_strdup("max_window_layers: the window counts in all "
                     "layers, so that attention takes too little time "
                     "in the first ones"));
    if (period > 1)
        set_key_to_number(translation, translation->ours, "window_period",
                          period,
                          find_json_value(translation, "sliding_window"));
}

static void translate_bias_flags(const ModelTranslation *translation)
{
    gboolean in_attention, in_ffn;

    if (!(translation->architecture->features & HAS_ATTENTION_BIAS))
        return;
    in_attention = read_json_flag(translation, "attention_bias", FALSE);
    in_ffn = read_json_flag(translation, "mlp_bias", FALSE);
    if (in_attention)
        set_key_to_text(translation, translation->ours, "bias",
                        in_ffn ? "all" : "attention",
                        find_json_value(translation, "attention_bias"));
    else if (in_ffn)
        add_translation_problem(
            translation, find_json_value(translation, "mlp_bias"),
            CONFIG_ERROR_CONFLICT,
            g_strdup("mlp_bias: a bias of the feed-forward part "
                     "without one of attention is not modelled"));
}

/* Returns the map of the experts, or NULL if the model is dense. */
static ConfigNode *translate_experts(const ModelTranslation *translation)
{
    const SizeKey count = { translation->architecture->count, "count",
                            MOST_SIZE };
    const SizeKey chosen = { "num_experts_per_tok", "per_token", MOST_SIZE };
    const SizeKey ffn = { translation->architecture->ffn, "ffn", MOST_SIZE };
    const SizeKey shared = { "n_shared_experts", "shared", MOST_SIZE };
    const SizeKey dense = { "first_k_dense_replace", "dense_layers",
                            MOST_SIZE };
    const ConfigNode *node =
        find_json_value(translation, translation->architecture->count);
    ConfigNode *map;

    if (!translation->architecture->count ||
        (!node && (translation->architecture->features & IS_DENSE_BY_DEFAULT)))
        return NULL;
    map = add_model_section(translation, "experts",
                            node ? node : translation->theirs);
    copy_number_to_key(translation, map, &count, 1, TRUE);
    copy_number_to_key(translation, map, &chosen, 1, TRUE);
    copy_number_to_key(translation, map, &ffn, 1, TRUE);
    if (translation->architecture->features & HAS_LATENT) {
        copy_number_to_key(translation, map, &shared, 0,
                           !has_json_key(translation, shared.theirs));
        copy_number_to_key(translation, map, &dense, 0,
                           !has_json_key(translation, dense.theirs));
    }
    return map;
}

static void translate_dropout(const ModelTranslation *translation)
{
    const ConfigNode *value =
        find_json_value(translation, translation->architecture->dropout);
    double p;
    char *end;

    if (!value)
        return;
    if (value->kind == CONFIG_NODE_SCALAR && !value->quoted) {
        p = g_ascii_strtod(value->text, &end);
        if (end != value->text && *end == '\0' && p >= 0 && p < 1) {
            if (p > 0)
                set_key_to_text(translation, translation->ours, "dropout",
                                "true", value);
            return;
        }
    }
    add_type_problem(translation, value, translation->architecture->dropout,
                     "a number of 0 to below 1");
}

/* Sets what the architecture implies. */
static void add_fixed_values(const ModelTranslation *translation,
                             ConfigNode *experts)
{
    const ConfigNode *type = find_json_value(translation, TYPE_KEY);
    const ConfigNode *tie = find_json_value(translation, "tie_word_embeddings");

    for (const char *const *fixed = translation->architecture->fixed; fixed[0];
         fixed += 2) {
        gboolean is_router = g_str_equal(fixed[0], "router_bias");

        if (!is_router || experts)
            set_key_to_text(translation,
                            is_router ? experts : translation->ours, fixed[0],
                            fixed[1], type);
    }
    set_key_to_text(
        translation, translation->ours, "tied",
        read_json_flag(translation, "tie_word_embeddings",
                       (translation->architecture->features & IS_TIED) != 0)
            ? "true"
            : "false",
        tie ? tie : type);
}

/* ---- what is not modelled ------------------------------------------------ */

static gboolean has_only_plain_value(const ConfigNode *value, const char *plain)
{
    return value->kind == CONFIG_NODE_SCALAR
               ? g_str_equal(value->text, plain)
               : value->kind == CONFIG_NODE_LIST && value->n_children == 0 &&
                     g_str_equal(plain, "[]");
}

static void refuse_unsupported_model_shapes(const ModelTranslation *translation)
{
    const ConfigNode *bias = find_json_value(translation, "attention_bias");

    for (guint i = 0; i < G_N_ELEMENTS(plain_values); i++) {
        const ConfigNode *value =
            find_json_value(translation, plain_values[i].key);

        if (value && !has_only_plain_value(value, plain_values[i].plain))
            add_translation_problem(
                translation, value, CONFIG_ERROR_CONFLICT,
                g_strdup_printf("%s: only %s is modelled; write the "
                                "shape that comes nearest as a file "
                                "like those of configs/models",
                                plain_values[i].key, plain_values[i].plain));
    }
    /* gpt_neox has biases unless it says otherwise, and gpt_oss always. */
    if (bias && !(translation->architecture->features & HAS_ATTENTION_BIAS) &&
        read_json_flag(translation, "attention_bias", FALSE) !=
            (g_str_equal(translation->architecture->name, "gpt_neox") ||
             g_str_equal(translation->architecture->name, "gpt_oss")))
        add_translation_problem(
            translation, bias, CONFIG_ERROR_CONFLICT,
            g_strdup_printf("attention_bias: it is not modelled for a "
                            "model of type '%s'",
                            translation->architecture->name));
}

static void note_untranslated_parts(const ModelTranslation *translation)
{
    uint64_t n;

    if (read_json_number(translation, "num_nextn_predict_layers", 0, MOST_SIZE,
                         &n) &&
        n > 0)
        add_translation_note(
            translation,
            find_json_value(translation, "num_nextn_predict_layers"),
            g_strdup_printf("num_nextn_predict_layers: %" G_GUINT64_FORMAT
                            " layers of multi-token prediction are left "
                            "out; model.mtp_depth counts them",
                            n));
    if ((translation->architecture->features & IS_PARALLEL) &&
        read_json_flag(translation, "use_parallel_residual", TRUE))
        add_translation_note(
            translation, find_json_value(translation, TYPE_KEY),
            g_strdup("use_parallel_residual: attention and the "
                     "feed-forward part follow each other here, and "
                     "tensor parallelism sums the results of each"));
}

/* ---- the whole ----------------------------------------------------------- */

/* Returns the name of the file without its end, of its folder if the file is
 * called config.json, or of the architecture if neither is a plain word. */
static char *name_of_model(const ModelTranslation *translation)
{
    g_autofree char *folder = g_path_get_dirname(translation->source->name);
    g_autofree char *file = g_path_get_basename(translation->source->name);
    g_autofree char *name = g_str_equal(file, "config.json")
                                ? g_path_get_basename(folder)
                                : g_strdup(file);
    gsize n;

    if (g_str_has_suffix(name, ".json"))
        name[strlen(name) - strlen(".json")] = '\0';
    n = strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_.");
    if (name[n] != '\0' || !g_ascii_isalnum(name[0]))
        return g_strdup(translation->architecture->name);
    return g_steal_pointer(&name);
}

static const Architecture *find_architecture(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(architectures); i++)
        if (g_str_equal(architectures[i].name, name))
            return &architectures[i];
    return NULL;
}

/* No similar type is proposed: gemma2 has other weights than gemma. */
static void refuse_unknown_architecture(const ModelTranslation *translation,
                                        const ConfigNode *type)
{
    g_autoptr(GString) names = g_string_new(NULL);
    g_autofree char *got = config_describe_node(type);

    for (guint i = 0; i < G_N_ELEMENTS(architectures); i++)
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "",
                               architectures[i].name);
    add_translation_problem(
        translation, type, CONFIG_ERROR_UNKNOWN_KEY,
        g_strdup_printf(TYPE_KEY ": unknown type %s; its weights may differ "
                                 "from those of every known type (%s), so "
                                 "write the shape as a file like those of "
                                 "configs/models",
                        got, names->str));
}

static void translate_model(ModelTranslation *translation)
{
    g_autofree char *name = name_of_model(translation);
    guint n_before = translation->source->problems->len;
    ConfigNode *experts;

    translation->ours =
        config_node_new(translation->doc, CONFIG_NODE_MAP, translation->source,
                        translation->theirs->line, translation->theirs->column);
    set_key_to_text(translation, translation->ours, "name", name,
                    find_json_value(translation, TYPE_KEY));
    translate_layer_sizes(translation);
    translate_attention_heads(translation);
    translate_latent_attention(translation);
    translate_attention_window(translation);
    translate_bias_flags(translation);
    experts = translate_experts(translation);
    translate_dropout(translation);
    add_fixed_values(translation, experts);
    refuse_unsupported_model_shapes(translation);
    note_untranslated_parts(translation);
    config_node_shrink_children(translation->ours);
    translation->source->root = translation->source->problems->len > n_before
                                    ? NULL
                                    : translation->ours;
}

void hugging_face_translate(ConfigDoc *doc, ConfigSource *source)
{
    ModelTranslation t = { .doc = doc,
                           .source = source,
                           .theirs = source->root };
    const ConfigNode *type;
    guint i;

    if (!t.theirs || t.theirs->kind != CONFIG_NODE_MAP ||
        !config_node_find_key(t.theirs, TYPE_KEY, &i))
        return;
    source->is_translated = TRUE;
    type = config_node_value(t.theirs, i);
    t.architecture =
        type->kind == CONFIG_NODE_SCALAR ? find_architecture(type->text) : NULL;
    if (t.architecture) {
        translate_model(&t);
        return;
    }
    refuse_unknown_architecture(&t, type);
    source->root = NULL;
}
