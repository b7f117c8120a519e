/*
 * interaction.c - combines the feature vectors of a recommendation model
 *
 * n vectors of D values per sample become one:
 *
 *     in-place       the vectors are already contiguous: no work
 *     concatenation  reads and writes n D values in each direction; the output
 *                    is n D values
 *     dot            the output is the dot products of all pairs and the first
 *                    vector: n (n - 1) / 2 + D values.  One batched product of
 *                    n^2 D forward and one backward, 2 n^2 D FLOP each; forward
 *                    reads n D, backward reads n D and writes n D
 *
 * Each direction is one kernel.  dot and concatenation are the forms of [DLRM];
 * in-place is the form for which [ASTRASIM]'s input has a time.
 */
#include "workloads/layer_impl.h"

const char *const interaction_forms[INTERACTION_N_FORMS + 1] = {
    [INTERACTION_IN_PLACE] = "in-place",
    [INTERACTION_CONCATENATION] = "concatenation",
    [INTERACTION_DOT] = "dot",
    [INTERACTION_N_FORMS] = NULL,
};

static const ConfigField interaction_fields[] = {
    LAYER_COMMON_FIELDS(InteractionParams),
    { .key = "form",
      .help = "how the vectors are joined",
      .type = CONFIG_ENUM,
      .offset = offsetof(InteractionParams, form),
      .names = interaction_forms,
      .fallback = "in-place" },
    LAYER_COUNT_FIELD(InteractionParams, n_vectors, "vectors", NULL,
                      "vectors of a sample"),
    LAYER_COUNT_FIELD(InteractionParams, dimension, "dimension", NULL,
                      "values of a vector"),
    CONFIG_END,
};

uint64_t interaction_width(const InteractionParams *params)
{
    uint64_t n = params->n_vectors;
    uint64_t n_pairs = n % 2 == 0 ? layer_multiply_saturating(n / 2, n - 1)
                                  : layer_multiply_saturating(n, (n - 1) / 2);

    if (params->form == INTERACTION_DOT)
        return layer_add_saturating(n_pairs, params->dimension);
    return layer_multiply_saturating(n, params->dimension);
}

static void interaction_shape(gconstpointer params, LayerShape *ret)
{
    ret->out = interaction_width(params);
}

static void interaction_cost(gconstpointer params, const LayerContext *context,
                             LayerCost *ret)
{
    const InteractionParams *interaction_params = params;
    uint64_t n_bytes =
        layer_multiply_saturating(context->batch, context->value_bytes);
    uint64_t in = layer_multiply_saturating(interaction_params->n_vectors,
                                            interaction_params->dimension);
    uint64_t out = interaction_width(interaction_params);
    uint64_t flop = interaction_params->form == INTERACTION_DOT
                        ? LAYER_PRODUCT(2, context->batch,
                                        interaction_params->n_vectors, in)
                        : 0;

    if (interaction_params->form == INTERACTION_IN_PLACE)
        return;
    ret->pass[OP_FORWARD][0] = (OpWork){
        .flop = flop,
        .bytes =
            layer_multiply_saturating(n_bytes, layer_add_saturating(in, out)),
        .written_bytes = layer_multiply_saturating(n_bytes, out),
    };
    ret->pass[OP_INPUT_GRADIENT][0] = (OpWork){
        .flop = flop,
        .bytes = layer_multiply_saturating(
            n_bytes,
            LAYER_SUM(out, in,
                      interaction_params->form == INTERACTION_DOT ? in : 0)),
        .written_bytes = layer_multiply_saturating(n_bytes, in),
    };
}

const LayerOps layer_interaction = {
    .base = { .name = "interaction",
              .summary = "joins feature vectors: side by side, or all pairs",
              .fields = interaction_fields,
              .size = sizeof(InteractionParams) },
    .shape = interaction_shape,
    .cost = interaction_cost,
};
