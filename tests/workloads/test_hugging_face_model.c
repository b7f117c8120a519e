/*
 * test_hugging_face_model.c - shapes of language models from a config.json
 *
 * The files are written here and hold only the keys that a shape needs.  The
 * numbers of weights are those that the makers of the models publish.
 */
#include "tests/test.h"

#include "workloads/transformer/model_totals.h"

#define PATH "models/llama-x/config.json"

/* Reads @json into @ret, which borrows from the returned document. */
static ConfigDoc *read_json(const char *json, LanguageModel *ret,
                            GError **error)
{
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(PATH, json, strlen(json), error);

    if (!doc || !config_doc_read(doc, language_model_fields, ret, error))
        return NULL;
    ret->node = config_doc_root(doc);
    return language_model_complete(ret, error) ? g_steal_pointer(&doc) : NULL;
}

#define SHAPE(layers, hidden, heads, kv, ffn, words)                           \
    "\"num_hidden_layers\": " #layers ", \"hidden_size\": " #hidden            \
    ", \"num_attention_heads\": " #heads ", \"num_key_value_heads\": " #kv     \
    ", \"intermediate_size\": " #ffn ", \"vocab_size\": " #words

#define UNTIED ", \"tie_word_embeddings\": false"
#define LLAMA(...)                                                             \
    "{\"architectures\": [\"LlamaForCausalLM\"], \"model_type\": \"llama\", "  \
    "\"rope_scaling\": {\"factor\": 8.0}, \"torch_dtype\": "                   \
    "\"bfloat16\", " SHAPE(__VA_ARGS__) UNTIED "}"
#define QWEN3_MOE(expert, ...)                                                 \
    "{\"model_type\": \"qwen3_moe\", \"head_dim\": 128, "                      \
    "\"num_experts\": 128, \"num_experts_per_tok\": 8, "                       \
    "\"moe_intermediate_size\": " #expert ", \"decoder_sparse_step\": 1, "     \
    "\"mlp_only_layers\": [], \"sliding_window\": null, "                      \
    "\"max_window_layers\": 48, \"use_sliding_window\": false, "               \
    "\"attention_bias\": false, " SHAPE(__VA_ARGS__) UNTIED "}"
#define DEEPSEEK(type, query, experts, chosen, shared, dense, ffn, ...)        \
    "{\"model_type\": \"" type "\", \"n_routed_experts\": " #experts           \
    ", \"num_experts_per_tok\": " #chosen ", \"n_shared_experts\": " #shared   \
    ", \"moe_intermediate_size\": " #ffn ", \"moe_layer_freq\": 1, "           \
    "\"first_k_dense_replace\": " #dense ", \"q_lora_rank\": " #query          \
    ", \"kv_lora_rank\": 512, \"qk_rope_head_dim\": 64, "                      \
    "\"qk_nope_head_dim\": 128, \"v_head_dim\": 128, "                         \
    "\"num_nextn_predict_layers\": 1, \"attention_bias\": "                    \
    "false, " SHAPE(__VA_ARGS__) UNTIED "}"
#define GPT_OSS(layers, experts)                                               \
    "{\"model_type\": \"gpt_oss\", \"head_dim\": 64, \"sliding_window\": "     \
    "128, \"attention_bias\": true, \"num_local_experts\": " #experts          \
    ", \"num_experts_per_tok\": 4, " SHAPE(layers, 2880, 64, 8, 2880, 201088)  \
        UNTIED "}"

static const struct {
    const char *json;
    uint64_t n_weights;
} models[] = {
    { LLAMA(32, 4096, 32, 8, 14336, 128256), UINT64_C(8030261248) },
    { LLAMA(80, 8192, 64, 8, 28672, 128256), UINT64_C(70553706496) },
    { LLAMA(126, 16384, 128, 8, 53248, 128256), UINT64_C(405853388800) },
    { LLAMA(80, 8192, 64, 8, 28672, 32000), UINT64_C(68976648192) },
    { "{\"model_type\": \"mixtral\", \"num_local_experts\": 8, "
      "\"sliding_window\": null, \"num_experts_per_tok\": 2, " SHAPE(
          32, 4096, 32, 8, 14336, 32000) UNTIED "}",
      UINT64_C(46702792704) },
    { QWEN3_MOE(768, 48, 2048, 32, 4, 6144, 151936), UINT64_C(30532122624) },
    { QWEN3_MOE(1536, 94, 4096, 64, 4, 12288, 151936), UINT64_C(235093634560) },
    { DEEPSEEK("deepseek_v3", 1536, 256, 8, 1, 3, 2048, 61, 7168, 128, 128,
               18432, 129280),
      UINT64_C(671026419200) },
    { DEEPSEEK("kimi_k2", 1536, 256, 8, 1, 3, 2048, 61, 7168, 128, 128, 18432,
               129280),
      UINT64_C(671026419200) },
    { DEEPSEEK("deepseek_v2", null, 64, 6, 2, 1, 1408, 27, 2048, 16, 16, 10944,
               102400),
      UINT64_C(15706484224) },
    { GPT_OSS(24, 32), UINT64_C(20914757184) },
    { "{\"model_type\": \"mistral\", \"sliding_window\": 4096, " SHAPE(
          32, 4096, 32, 8, 14336, 32000) UNTIED "}",
      UINT64_C(7241732096) },
    { "{\"model_type\": \"qwen2\", \"use_sliding_window\": false, " SHAPE(
          28, 3584, 28, 4, 18944, 152064) UNTIED "}",
      UINT64_C(7615616512) },
    { "{\"model_type\": \"qwen3\", \"head_dim\": 128, " SHAPE(
          36, 4096, 32, 8, 12288, 151936) UNTIED "}",
      UINT64_C(8190735360) },
    { "{\"model_type\": \"gemma\", \"head_dim\": 256, " SHAPE(
          28, 3072, 16, 16, 24576, 256000) "}",
      UINT64_C(8537680896) },
    { "{\"model_type\": \"phi3\", " SHAPE(32, 3072, 32, 32, 8192, 32064) UNTIED
      "}",
      UINT64_C(3821079552) },
    { "{\"model_type\": \"gpt_neox\", \"attention_bias\": true, " SHAPE(
          32, 4096, 32, 32, 16384, 50432) UNTIED "}",
      UINT64_C(6857302016) },
    { "{\"model_type\": \"gpt2\", \"n_layer\": 12, \"n_embd\": 768, "
      "\"n_head\": 12, \"vocab_size\": 50257, \"n_positions\": 1024, "
      "\"n_inner\": null, \"resid_pdrop\": 0.1}",
      UINT64_C(124439808) },
    { "{\"model_type\": \"bert\", \"max_position_embeddings\": 512, "
      "\"type_vocab_size\": 2, " SHAPE(12, 768, 12, 12, 3072, 30522) "}",
      UINT64_C(109514298) },
    { "{\"model_type\": \"roberta\", \"max_position_embeddings\": 514, "
      "\"type_vocab_size\": 1, " SHAPE(12, 768, 12, 12, 3072, 50265) "}",
      UINT64_C(124697433) },
};

static void test_files_have_their_exact_numbers_of_weights(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(models); i++) {
        g_autoptr(GError) error = NULL;
        LanguageModel model;
        g_autoptr(ConfigDoc) doc = read_json(models[i].json, &model, &error);

        if (!doc)
            fail_msg("%s: %s", models[i].json, error->message);
        if (language_model_all_weights(&model) != models[i].n_weights)
            fail_msg("%s: %" G_GUINT64_FORMAT, models[i].json,
                     language_model_all_weights(&model));
        assert_string_equal(model.name, "llama-x");
        assert_int_equal(model.window_period,
                         strstr(models[i].json, "gpt_oss") ? 2 : 1);
    }
}

static void test_keys_that_change_the_architecture_count(void **state)
{
    static const struct {
        const char *json;
        uint64_t window;
        int bias;
        gboolean has_dropout;
    } files[] = {
        { "{\"model_type\": \"llama\", \"attention_bias\": true, " SHAPE(
              2, 64, 4, 2, 96, 100) "}",
          0, MODEL_BIAS_ATTENTION, FALSE },
        { "{\"model_type\": \"llama\", \"attention_bias\": true, "
          "\"mlp_bias\": true, \"sliding_window\": 7, " SHAPE(2, 64, 4, 2, 96,
                                                              100) "}",
          0, MODEL_BIAS_ALL, FALSE },
        { "{\"model_type\": \"mistral\", \"sliding_window\": 7, " SHAPE(
              2, 64, 4, 2, 96, 100) "}",
          7, MODEL_BIAS_NONE, FALSE },
        { "{\"model_type\": \"qwen2\", \"sliding_window\": 7, " SHAPE(
              2, 64, 4, 2, 96, 100) "}",
          0, MODEL_BIAS_QKV, FALSE },
        { "{\"model_type\": \"qwen2\", \"sliding_window\": 7, "
          "\"use_sliding_window\": true, " SHAPE(2, 64, 4, 2, 96, 100) "}",
          7, MODEL_BIAS_QKV, FALSE },
        { "{\"model_type\": \"gpt_neox\", \"hidden_dropout\": 0.0, " SHAPE(
              2, 64, 4, 4, 96, 100) "}",
          0, MODEL_BIAS_ALL, FALSE },
        { "{\"model_type\": \"gpt_neox\", \"hidden_dropout\": 0.1, " SHAPE(
              2, 64, 4, 4, 96, 100) "}",
          0, MODEL_BIAS_ALL, TRUE },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autoptr(GError) error = NULL;
        LanguageModel model;
        g_autoptr(ConfigDoc) doc = read_json(files[i].json, &model, &error);

        assert_no_error(error);
        assert_non_null(doc);
        assert_int_equal(model.window, files[i].window);
        assert_int_equal(model.bias, files[i].bias);
        assert_int_equal(model.has_dropout, files[i].has_dropout);
    }
}

static void test_what_is_left_out_is_noted(void **state)
{
    static const struct {
        const char *json, *note;
    } files[] = {
        { DEEPSEEK("deepseek_v3", 1536, 256, 8, 1, 3, 2048, 61, 7168, 128, 128,
                   18432, 129280),
          "1 layers of multi-token prediction are left out" },
        { "{\"model_type\": \"gpt_neox\", " SHAPE(2, 64, 4, 4, 96, 100) "}",
          "follow each other here" },
        { "{\"model_type\": \"qwen2\", \"sliding_window\": 7, "
          "\"max_window_layers\": 1, \"use_sliding_window\": true, " SHAPE(
              2, 64, 4, 2, 96, 100) "}",
          "max_window_layers: the window counts in all layers" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
        LanguageModel model;
        g_autoptr(ConfigDoc) doc = read_json(files[i].json, &model, NULL);
        const GPtrArray *notes = config_doc_notes(doc);
        const char *note = g_ptr_array_index(notes, 0);

        assert_int_equal(notes->len, 1);
        assert_true(g_str_has_prefix(note, PATH ":1:"));
        if (!strstr(note, files[i].note))
            fail_msg("%s", note);
    }
}

#define TYPED(type, rest) "{\"model_type\": \"" type "\",\n" rest "}"
#define TINY              SHAPE(2, 64, 4, 2, 96, 100)

#define GPT_OSS_TYPES(types)                                                   \
    "{\"model_type\": \"gpt_oss\", \"head_dim\": 16, \"sliding_window\": 9, "  \
    "\"num_local_experts\": 4, \"num_experts_per_tok\": 2, " SHAPE(            \
        4, 64, 4, 2, 96, 100) ", \"layer_types\": [" types "]}"
#define WINDOW "\"sliding_attention\""
#define FULL   "\"full_attention\""

static void test_layer_types_tell_which_layers_have_a_window(void **state)
{
    static const struct {
        const char *json;
        uint64_t window, period;
    } files[] = {
        { GPT_OSS_TYPES(WINDOW ", " FULL ", " WINDOW ", " FULL), 9, 2 },
        { GPT_OSS_TYPES(WINDOW ", " WINDOW ", " FULL ", " WINDOW), 9, 3 },
        { GPT_OSS_TYPES(WINDOW ", " WINDOW ", " WINDOW ", " WINDOW), 9, 1 },
        { GPT_OSS_TYPES(FULL ", " FULL ", " FULL ", " FULL), 0, 1 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autoptr(GError) error = NULL;
        LanguageModel model;
        g_autoptr(ConfigDoc) doc = read_json(files[i].json, &model, &error);

        assert_no_error(error);
        assert_non_null(doc);
        assert_int_equal(model.window, files[i].window);
        assert_int_equal(model.window_period, files[i].period);
    }
}

static void test_wrong_files_are_refused_at_their_place(void **state)
{
    static const struct {
        const char *json, *message;
    } wrong[] = {
        { TYPED("lama", TINY), ":1:16: model_type: unknown type 'lama'; its "
                               "weights may differ from those of every known "
                               "type (bert, deepseek_v2, " },
        { TYPED("gemma2", TINY),
          "so write the shape as a file like those of configs/models" },
        { "{\"model_type\": null}", ":1:16: model_type: unknown type 'null'" },
        { "{\"model_type\": []}", ":1:16: model_type: unknown type a list" },
        { TYPED("llama", SHAPE(2, -64, 4, 2, 96, 100)),
          ":2:40: hidden_size: expected a whole number of 1 to 1000000, got "
          "'-64'" },
        { TYPED("llama", SHAPE(1e30, 64, 4, 2, 96, 100)),
          ":2:22: num_hidden_layers: expected a whole number of 1 to 1000000, "
          "got '1e30'" },
        { TYPED("llama", SHAPE(2, 64.5, 4, 2, 96, 100)), "got '64.5'" },
        { TYPED("llama", SHAPE(2, 99999999999999999999, 4, 2, 96, 100)),
          "got '99999999999999999999'" },
        { TYPED("llama", SHAPE(2, true, 4, 2, 96, 100)), "got 'true'" },
        { TYPED("llama", SHAPE(2, {}, 4, 2, 96, 100)), "got a map" },
        { TYPED("llama", SHAPE(2, "64", 4, 2, 96, 100)), "got the text '64'" },
        { TYPED("llama", SHAPE(2, 64, 4, 3, 96, 100)),
          ":2:93: kv_heads: 3 do not divide 4 heads" },
        { TYPED("llama", SHAPE(2, 64, 5, 5, 96, 100)),
          ":2:67: heads: 64 hidden values are no multiple of 5 heads" },
        { TYPED("llama", TINY ", \"hidden_size\": 3"),
          "'hidden_size' is given twice, first at line 2; remove one" },
        { TYPED("llama", "\"hidden_size\": 64"),
          ":1:1: missing key 'num_hidden_layers', which a model of type "
          "'llama' needs" },
        { TYPED("mistral", SHAPE(2, 64, 4, null, 96, 100)),
          ":1:1: missing key 'num_key_value_heads'" },
        { TYPED("qwen3", TINY), "missing key 'head_dim'" },
        { TYPED("mixtral", TINY), "missing key 'num_local_experts'" },
        { TYPED("llama", TINY ", \"tie_word_embeddings\": \"yes\""),
          "tie_word_embeddings: expected true or false, got the text 'yes'" },
        { TYPED("llama", TINY ", \"mlp_bias\": true"),
          "mlp_bias: a bias of the feed-forward part without" },
        { TYPED("mixtral", TINY ", \"num_local_experts\": 4, "
                                "\"attention_bias\": true, "
                                "\"num_experts_per_tok\": 5"),
          "attention_bias: it is not modelled for a model of type 'mixtral'" },
        { TYPED("mixtral", TINY ", \"num_local_experts\": 4, "
                                "\"num_experts_per_tok\": 5"),
          "experts: give 'per_token', at most 'count'" },
        { TYPED("gpt_neox", TINY ", \"attention_bias\": false"),
          "attention_bias: it is not modelled" },
        { TYPED("llama", TINY ", \"is_encoder_decoder\": true"),
          "is_encoder_decoder: only false is modelled" },
        { TYPED("llama", TINY ", \"mlp_only_layers\": [3]"),
          "mlp_only_layers: only [] is modelled" },
        { TYPED("llama",
                SHAPE(1000000, 1000000, 1000000, 1000000, 1000000, 100)),
          ":1:1: model: the sizes make more than 1.1e+15 weights" },
        { GPT_OSS_TYPES("\"sliding_attention\""),
          "layer_types: it has 1 layers, and num_hidden_layers is 4" },
        { GPT_OSS_TYPES(WINDOW ", " FULL ", " FULL ", " WINDOW),
          ":1:308: layer_types: only a window in all layers, or in all but "
          "each n-th, is modelled for a model of type 'gpt_oss'" },
        { GPT_OSS_TYPES(WINDOW ", " FULL ", " WINDOW ", \"linear_attention\""),
          "layer_types: only a window" },
        { GPT_OSS_TYPES("7"), "layer_types: only a window" },
        { TYPED("gpt_oss", TINY ", \"head_dim\": 16, \"num_local_experts\": "
                                "4, \"num_experts_per_tok\": 2, "
                                "\"layer_types\": \"full\""),
          "layer_types: expected a list, got the text 'full'" },
        { TYPED("llama", TINY ", \"layer_types\": [\"full_attention\", "
                              "\"sliding_attention\"]"),
          "layer_types: only full_attention is modelled for a model of type "
          "'llama'" },
        { TYPED("gpt_neox", TINY ", \"hidden_dropout\": \"0.1\""),
          "hidden_dropout: expected a number of 0 to below 1, got the text "
          "'0.1'" },
        { TYPED("gpt_neox", TINY ", \"hidden_dropout\": -1"),
          "hidden_dropout: expected a number of 0 to below 1, got '-1'" },
        { TYPED("deepseek_v3",
                TINY ", \"n_routed_experts\": 4, \"num_experts_per_tok\": 2, "
                     "\"moe_intermediate_size\": 8, \"n_shared_experts\": 1, "
                     "\"kv_lora_rank\": 8, \"qk_rope_head_dim\": 4, "
                     "\"qk_nope_head_dim\": 8, \"v_head_dim\": 8"),
          "missing key 'first_k_dense_replace', which a model of type "
          "'deepseek_v3' needs" },
        { "[1, 2]", ":1:1: expected a map, got a list" },
        { "", ":1:1: the file is empty; check that it is the right one" },
        { "{\"model_type\": \"llama\"",
          ":1:23: the JSON cannot be read: the file ends too early" },
        { TYPED("llama", SHAPE(2, 064, 4, 2, 96, 100)),
          ":2:40: the JSON cannot be read: this is no number, text, true, false or "
          "null" },
        { TYPED("llama", TINY ", \"tie_word_embeddings\": yes"),
          "the JSON cannot be read: this is no number" },
        { TYPED("llama", TINY ", \"head_dim\": ~"),
          "the JSON cannot be read: a value is due here" },
        { TYPED("llama", TINY ", \"head_dim\": &a 16, \"x\": *a"),
          "the JSON cannot be read: a value is due here" },
        { TYPED("llama", TINY ",\n"),
          ":3:1: the JSON cannot be read: JSON has no comma after the last item" },
        { TYPED("llama", TINY "\n\"\u00e9\" // two heads\n"),
          "the JSON cannot be read: ',' or '}' is due here" },
        { TYPED("llama", TINY ",\n\"\u00e9\" // two heads\n"),
          ":3:5: the JSON cannot be read: JSON has no comments" },
        { TYPED("llama", TINY ",\nhead_dim: 16"),
          ":3:1: the JSON cannot be read: a key in quotes is due here" },
        { "model_type: llama\n",
          ":1:1: the JSON cannot be read: this is no number" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        LanguageModel model;

        assert_null(read_json(wrong[i].json, &model, &error));
        assert_true(g_str_has_prefix(error->message, PATH ":"));
        if (!strstr(error->message, wrong[i].message))
            fail_msg("%s: %s", wrong[i].json, error->message);
    }
}

static void test_a_deeply_nested_file_is_refused(void **state)
{
    g_autoptr(GString) json = g_string_new("{\"model_type\": ");
    g_autoptr(GError) error = NULL;
    LanguageModel model;

    (void)state;
    for (int i = 0; i < 10000; i++)
        g_string_append_c(json, '[');
    assert_null(read_json(json->str, &model, &error));
    assert_non_null(
        strstr(error->message,
               ":1:79: the JSON cannot be read: nested deeper than 64"));
}

static void test_a_million_keys_are_refused(void **state)
{
    g_autoptr(GString) keys = g_string_new("{");
    g_autofree char *first = NULL, *last = NULL;
    const char *files[2];

    (void)state;
    for (guint i = 0; i < 1000000; i++)
        g_string_append_printf(keys, "\"%u\":1,", i);
    first = g_strdup_printf("{\"model_type\": \"llama\", %s" TINY "}",
                            keys->str + 1);
    last = g_strdup_printf("%s" TINY ", \"model_type\": \"llama\"}", keys->str);
    files[0] = first;
    files[1] = last;
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autoptr(GError) error = NULL;
        LanguageModel model;

        assert_null(read_json(files[i], &model, &error));
        assert_true(g_str_has_prefix(error->message, PATH ":1:"));
        assert_non_null(
            strstr(error->message, "more than 100000 keys and values"));
    }
}

static void test_a_file_of_another_name_is_json_too(void **state)
{
    static const struct {
        const char *text, *message;
    } files[] = {
        { "model_type: llama\n", "t.yaml:1:1: the JSON of this config.json of "
                                 "Hugging Face cannot be read: " },
        { " {model_type: llama}", "t.yaml:1:3: the JSON of this config.json" },
        { "{\"model_type\": \"llama\", \"x\": 064}", "t.yaml:1:30: the JSON" },
        { "{\"model_type\": \"lama\"}", "t.yaml:1:16: model_type: unknown" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autoptr(GError) error = NULL;

        assert_null(config_doc_parse("t.yaml", files[i].text,
                                     strlen(files[i].text), &error));
        if (!g_str_has_prefix(error->message, files[i].message))
            fail_msg("%s", error->message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_have_their_exact_numbers_of_weights),
        cmocka_unit_test(test_keys_that_change_the_architecture_count),
        cmocka_unit_test(test_what_is_left_out_is_noted),
        cmocka_unit_test(test_layer_types_tell_which_layers_have_a_window),
        cmocka_unit_test(test_wrong_files_are_refused_at_their_place),
        cmocka_unit_test(test_a_deeply_nested_file_is_refused),
        cmocka_unit_test(test_a_million_keys_are_refused),
        cmocka_unit_test(test_a_file_of_another_name_is_json_too),
    };

    return cmocka_run_group_tests_name("config.json", tests, NULL, NULL);
}
