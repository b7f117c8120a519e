/*
 * fuzz_language_model.c - fuzzes shapes of language models, in a config.json of
 * Hugging Face and as in configs/models
 *
 * No text may crash or hang the reader, leak memory, or fail without a message
 * that begins with its name.  A model that is accepted has weights, of which a
 * token uses at most all.
 */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "sim/config/config.h"
#include "workloads/transformer/model_totals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_LAYERS 10000 /* more take long to count, one by one */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = config_doc_parse(
        "/nonexistent/config.json", (const char *)data, size, &error);
    LanguageModel model;
    uint64_t n_weights;

    if (!doc || !config_doc_read(doc, language_model_fields, &model, &error)) {
        g_assert_true(
            g_str_has_prefix(error->message, "/nonexistent/config.json:"));
        g_assert_true(g_utf8_validate(error->message, -1, NULL));
        return 0;
    }
    model.node = config_doc_root(doc);
    if (!language_model_complete(&model, &error)) {
        g_assert_nonnull(error);
        return 0;
    }
    if (model.n_layers > MOST_LAYERS)
        return 0;
    n_weights = language_model_all_weights(&model);
    g_assert_true(n_weights > 0 && n_weights <= UINT64_C(1) << 50);
    g_assert_true(language_model_active_weights(&model) <= n_weights);
    return 0;
}
