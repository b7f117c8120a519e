/*
 * elementwise.c - kernels that read and write values with little arithmetic
 *
 * The kind is for work between other layers.  Concatenation copies the channels
 * of several branches (2 passes in each direction). Where b branches part,
 * their gradients are added (no pass forward, b + 1 passes backward). Dropout
 * with a mask in memory has 3 passes in each direction.
 *
 *     bytes = v batch values passes, of which one pass is written
 *
 * in each direction, as elementwise kernels, which `training.elementwise` can
 * leave out.  The user describes fusion by the number of passes.
 */
#include "workloads/layer_impl.h"

#define MAX_PASSES 1000

typedef struct {
    LayerCommon common;
    uint64_t values;
    /* Number of passes over the values, forward and backward. */
    uint64_t forward, backward;
} ElementwiseParams;

#define PASSES_FIELD(member, Key)                                              \
    {                                                                          \
        .key = (Key), .help = "how often each value is read or written",       \
        .type = CONFIG_COUNT, .offset = offsetof(ElementwiseParams, member),   \
        .max = MAX_PASSES, .fallback = "2"                                     \
    }

static const ConfigField elementwise_fields[] = {
    LAYER_COMMON_FIELDS(ElementwiseParams),
    LAYER_COUNT_FIELD(ElementwiseParams, values, "values", NULL,
                      "of one sample"),
    PASSES_FIELD(forward, "forward"),
    PASSES_FIELD(backward, "backward"),
    CONFIG_END,
};

/* Sets no sizes, because the values may belong to several steps or several
 * layers. */
static void elementwise_shape(gconstpointer params, LayerShape *ret)
{
    const ElementwiseParams *elementwise_params = params;

    ret->out = elementwise_params->values;
    ret->may_split = TRUE;
}

static void elementwise_cost(gconstpointer params, const LayerContext *context,
                             LayerCost *ret)
{
    const ElementwiseParams *elementwise_params = params;
    uint64_t pass_bytes = LAYER_PRODUCT(context->value_bytes, context->batch,
                                        elementwise_params->values);

    ret->elementwise_bytes[OP_FORWARD] =
        layer_multiply_saturating(pass_bytes, elementwise_params->forward);
    ret->elementwise_bytes[OP_INPUT_GRADIENT] =
        layer_multiply_saturating(pass_bytes, elementwise_params->backward);
    if (elementwise_params->forward > 0)
        ret->elementwise_written_bytes[OP_FORWARD] = pass_bytes;
    if (elementwise_params->backward > 0)
        ret->elementwise_written_bytes[OP_INPUT_GRADIENT] = pass_bytes;
}

const LayerOps layer_elementwise = {
    .base = { .name = "elementwise",
              .summary = "values that are read and written, such as copies",
              .fields = elementwise_fields,
              .size = sizeof(ElementwiseParams) },
    .shape = elementwise_shape,
    .cost = elementwise_cost,
};
