/* modules.c - the modules of a layer; see modules.h */
#include "workloads/transformer/modules/modules.h"

#include "workloads/transformer/modules/module_table.h"

#define DECLARE(Ops, Name) extern const ModuleOps Ops;
#define ROW(Ops, Name)     &Ops,

LAYER_MODULES(DECLARE)

/* By index of language_model_module_names. */
static const ModuleOps *const table[] = { LAYER_MODULES(ROW) };

/* Above the two bits of each module. */
#define KIND_OF_PREDICTION (UINT64_C(1) << 63)

guint modules_of_layer(const LanguageModel *model, uint64_t layer,
                       const ModuleOps *ret[MODULES_MAX])
{
    const int *listed = model->modules.items;
    guint n = 0;

    g_assert(model->modules.n <= LANGUAGE_MODEL_MAX_MODULES);
    if (layer >= model->n_layers)
        ret[n++] = &module_prediction;
    for (guint i = 0; i < model->modules.n; i++) {
        const ModuleOps *ops = table[listed[i]];

        if (!ops->is_in_layer || ops->is_in_layer(model, layer))
            ret[n++] = ops;
    }
    return n;
}

gboolean module_is_recomputed(const Transformer *t, const ModuleOps *module)
{
    if (recompute_has(t->recompute, RECOMPUTE_FULL))
        return TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(table); i++)
        if (table[i] == module)
            return recompute_has(t->recompute, RECOMPUTE_MODULES + i);
    return FALSE;
}

uint64_t modules_layer_kind(const LanguageModel *model, uint64_t layer)
{
    const int *listed = model->modules.items;
    uint64_t kind = layer >= model->n_layers ? KIND_OF_PREDICTION : 0;

    for (guint i = 0; i < model->modules.n; i++) {
        const ModuleOps *ops = table[listed[i]];

        if (ops->is_in_layer && !ops->is_in_layer(model, layer))
            continue;
        kind |= UINT64_C(1) << 2 * i;
        if (ops->is_variant && ops->is_variant(model, layer))
            kind |= UINT64_C(2) << 2 * i;
    }
    return kind;
}

gboolean modules_check(const Transformer *t, GError **error)
{
    const int *listed = t->model.modules.items;

    for (guint i = 0; i < t->model.modules.n; i++)
        if (table[listed[i]]->check && !table[listed[i]]->check(t, error))
            return FALSE;
    return t->model.mtp_depth == 0 || module_prediction.check(t, error);
}

gboolean module_check_divides(const Transformer *t, uint64_t degree,
                              const char *axis, uint64_t n, const char *what,
                              GError **error)
{
    if (n % degree == 0)
        return TRUE;
    config_set_error(error, t->node, CONFIG_ERROR_CONFLICT,
                     "parallel: %s %" G_GUINT64_FORMAT
                     " does not divide %" G_GUINT64_FORMAT " %s; use a degree "
                     "that divides them",
                     axis, degree, n, what);
    return FALSE;
}

uint64_t module_kept_tokens(const Transformer *t)
{
    uint64_t n_kept = recompute_has(t->recompute, RECOMPUTE_NORMS) ? 1 : 2;

    return transformer_tp_group_values(t) *
           (n_kept * t->value_bytes + (t->model.has_dropout ? 1 : 0));
}
