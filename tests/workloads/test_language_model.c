/*
 * test_language_model.c - numbers of weights of the models in configs/models
 *
 * Counts that a model's own configuration gives are met exactly; others are
 * published in a rounded form and are met within 0.5 %.
 */
#include "tests/test.h"

#include "workloads/transformer/model_totals.h"

typedef struct {
    LanguageModel model;
} Root;

static const ConfigField root_fields[] = {
    { .key = "model",
      .help = "the one to test",
      .type = CONFIG_SECTION,
      .offset = offsetof(Root, model),
      .fields = language_model_fields,
      .node_offset = offsetof(Root, model.node) },
    CONFIG_END,
};

/* Reads @text into @ret, which borrows from the returned document. */
static ConfigDoc *read_model(const char *text, LanguageModel *ret,
                             GError **error)
{
    const char *root = g_getenv("SRCDIR");
    g_autofree char *name = g_build_filename(root ? root : ".", "configs",
                                             "models", "t.yaml", NULL);
    g_autofree char *yaml = g_strdup_printf("model: %s\n", text);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse(name, yaml, strlen(yaml), error);
    Root read;

    if (!doc || !config_doc_read(doc, root_fields, &read, error))
        return NULL;
    *ret = read.model;
    return language_model_complete(ret, error) ? g_steal_pointer(&doc) : NULL;
}

static void test_models_have_their_exact_numbers_of_weights(void **state)
{
    static const struct {
        const char *file;
        uint64_t all, active;
    } models[] = {
        { "llama-3.1-8b", UINT64_C(8030261248), UINT64_C(8030261248) },
        { "llama-3.1-70b", UINT64_C(70553706496), UINT64_C(70553706496) },
        { "llama-3.1-405b", UINT64_C(405853388800), UINT64_C(405853388800) },
        { "llama-2-70b", UINT64_C(68976648192), UINT64_C(68976648192) },
        { "mixtral-8x7b", UINT64_C(46702792704), UINT64_C(12879925248) },
        { "qwen3-30b-a3b", UINT64_C(30532122624), 0 },
        { "qwen3-235b-a22b", UINT64_C(235093634560), 0 },
        { "deepseek-v3", UINT64_C(671026419200), 0 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(models); i++) {
        g_autofree char *text = g_strdup_printf("%s.yaml", models[i].file);
        GError *error = NULL;
        LanguageModel model;
        g_autoptr(ConfigDoc) doc = read_model(text, &model, &error);

        assert_no_error(error);
        assert_int_equal(language_model_all_weights(&model), models[i].all);
        if (models[i].active > 0)
            assert_int_equal(language_model_active_weights(&model),
                             models[i].active);
        assert_non_null(doc);
    }
}

/* The checkpoint of DeepSeek-V3 has one module of multi-token prediction with
 * 11.6e9 weights of its own, and copies of embedding and head: 684.5e9 in all,
 * of which its page states 685B. */
static void test_multi_token_prediction_adds_its_weights(void **state)
{
    const uint64_t h = 7168, words = 129280 * h;
    const uint64_t attention = h * 1536 + 1536 + 1536 * 128 * 192 + h * 576 +
                               512 + 512 * 128 * 256 + 128 * 128 * h;
    const uint64_t experts = 257 * 3 * h * 2048 + 256 * h + 256;
    const uint64_t own = 2 * h * h + 3 * h + 2 * h + attention + experts;
    GError *error = NULL;
    LanguageModel model;
    g_autoptr(ConfigDoc) doc = read_model("deepseek-v3.yaml", &model, &error);
    uint64_t n_all, n_active;

    (void)state;
    assert_non_null(doc);
    n_all = language_model_all_weights(&model);
    n_active = language_model_active_weights(&model);
    model.mtp_depth = 1;
    assert_int_equal(language_model_all_weights(&model), n_all + own);
    assert_int_equal(n_all + own, UINT64_C(682636487424));
    assert_int_equal(n_all + own + 2 * words, UINT64_C(684489845504));
    assert_int_equal(language_model_active_weights(&model),
                     n_active + own - 248 * 3 * h * 2048);
    model.mtp_depth = 3;
    assert_int_equal(language_model_all_weights(&model), n_all + 3 * own);
}

static void test_all_models_are_near_their_published_numbers(void **state)
{
    const char *root = g_getenv("SRCDIR");
    g_autofree char *dir =
        g_build_filename(root ? root : ".", "configs", "models", NULL);
    GDir *folder = g_dir_open(dir, 0, NULL);
    const char *file;
    guint n = 0;

    (void)state;
    assert_non_null(folder);
    while ((file = g_dir_read_name(folder))) {
        GError *error = NULL;
        LanguageModel model;
        g_autoptr(ConfigDoc) doc = NULL;
        uint64_t weights;

        if (!g_str_has_suffix(file, ".yaml"))
            continue;
        doc = read_model(file, &model, &error);
        assert_no_error(error);
        assert_non_null(doc);
        weights = language_model_all_weights(&model);
        n++;
        if (model.published > 0 &&
            MAX(weights, model.published) - MIN(weights, model.published) >
                model.published / 200)
            fail_msg("%s: %" G_GUINT64_FORMAT " weights", file, weights);
    }
    g_dir_close(folder);
    assert_true(n >= 14);
}

static void test_models_that_do_not_fit_are_refused(void **state)
{
#define SMALL "{name: m, layers: 2, ffn: 8, vocabulary: 8, "
    static const struct {
        const char *model, *message;
    } wrong[] = {
        { SMALL "hidden: 10, heads: 3}", "give 'head_size'" },
        { SMALL "hidden: 12, heads: 4, kv_heads: 3}", "do not divide 4 heads" },
        { SMALL "hidden: 12, heads: 4, experts: {count: 4}}", "'per_token'" },
        { SMALL "hidden: 12, heads: 4, experts: {count: 4, per_token: 5, ffn: "
                "3}}",
          "at most 'count'" },
        { SMALL "hidden: 12, heads: 4, latent: {key_value_rank: 3}}",
          "'rotary'" },
        { SMALL "hidden: -12, heads: 4}", "hidden" },
        { SMALL "hidden: 1e30, heads: 4}", "hidden" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        LanguageModel model;

        assert_null(read_model(wrong[i].model, &model, &error));
        if (!strstr(error->message, wrong[i].message))
            fail_msg("%s", error->message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_have_their_exact_numbers_of_weights),
        cmocka_unit_test(test_multi_token_prediction_adds_its_weights),
        cmocka_unit_test(test_all_models_are_near_their_published_numbers),
        cmocka_unit_test(test_models_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests_name("language model", tests, NULL, NULL);
}
