/*
 * recompute.c - reads and prints the set of modules that are recomputed; see
 * recompute.h
 */
#include "workloads/transformer/recompute.h"

#include "workloads/transformer/modules/module_table.h"

#define NAME(Ops, Name) Name,

static const char *const word_names[] = {
    [RECOMPUTE_NONE] = "none",
    [RECOMPUTE_SELECTIVE] = "selective",
    [RECOMPUTE_FULL] = "full",
    [RECOMPUTE_SCORES] = "scores",
    [RECOMPUTE_NORMS] = "norms",
    [RECOMPUTE_LATENT] = "latent",
    [RECOMPUTE_ACTIVATIONS] = "activations",
    [RECOMPUTE_SHARED_EXPERTS] = "shared_experts",
    LAYER_MODULES(NAME) NULL,
};

G_STATIC_ASSERT(G_N_ELEMENTS(word_names) <= 63);

const ConfigField recompute_item = {
    .key = "word",
    .help = "a module or a piece of one",
    .type = CONFIG_ENUM,
    .names = word_names,
};

RecomputeSet recompute_set_of_word(guint word)
{
    if (word == RECOMPUTE_NONE)
        return 0;
    if (word == RECOMPUTE_SELECTIVE)
        word = RECOMPUTE_SCORES;
    return UINT64_C(1) << (word == RECOMPUTE_FULL ? 63 : word);
}

gboolean recompute_read(const ConfigList *words, RecomputeSet *ret,
                        GError **error)
{
    const int *listed = words->items;

    *ret = 0;
    for (guint i = 0; i < words->n; i++) {
        if (listed[i] <= RECOMPUTE_FULL && words->n > 1) {
            config_set_error(error, words->node, CONFIG_ERROR_CONFLICT,
                             "recompute: '%s' stands alone; leave it or the "
                             "other words out",
                             word_names[listed[i]]);
            return FALSE;
        }
        *ret |= recompute_set_of_word((guint)listed[i]);
    }
    return TRUE;
}

ConfigList recompute_list_of_word(RecomputeWord word)
{
    static int items[] = { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE,
                           RECOMPUTE_FULL };

    g_assert(word <= RECOMPUTE_FULL);
    return (ConfigList){ .items = &items[word], .n = 1 };
}

char *recompute_text(RecomputeSet set)
{
    GString *text = g_string_new(NULL);

    for (RecomputeWord word = RECOMPUTE_NONE; word <= RECOMPUTE_FULL; word++)
        if (set == recompute_set_of_word(word))
            return g_string_free(g_string_assign(text, word_names[word]),
                                 FALSE);
    for (guint w = RECOMPUTE_SCORES; word_names[w]; w++)
        if (recompute_has(set, w))
            g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "[",
                                   word_names[w]);
    g_string_append_c(text, ']');
    return g_string_free(text, FALSE);
}
