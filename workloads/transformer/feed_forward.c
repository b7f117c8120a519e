/*
 * feed_forward.c - two products with an activation between them; see
 * feed_forward.h
 */
#include "workloads/transformer/feed_forward.h"

void feed_forward_add_activation(Pass *pass, uint64_t m, uint64_t ffn,
                                 uint64_t count)
{
    uint64_t g = feed_forward_gate_factor(&pass->t->model);

    pass_add_elementwise(pass, "activation", count * m * g * ffn,
                         count * m * ffn);
    pass_quantise(pass, count * m * ffn);
}

void feed_forward_add_forward(Pass *pass, uint64_t m, uint64_t ffn,
                              uint64_t count)
{
    uint64_t h = pass->t->model.hidden,
             g = feed_forward_gate_factor(&pass->t->model);

    pass_add_product(pass, "up", m, g * ffn, h, count, FALSE);
    feed_forward_add_activation(pass, m, ffn, count);
    pass_add_product(pass, "down", m, h, ffn, count, FALSE);
}

void feed_forward_add_backward(Pass *pass, uint64_t m, uint64_t ffn,
                               uint64_t count, gboolean inputs,
                               gboolean weights)
{
    uint64_t h = pass->t->model.hidden,
             g = feed_forward_gate_factor(&pass->t->model);

    if (inputs)
        pass_add_product(pass, "down", m, ffn, h, count, FALSE);
    if (weights)
        pass_add_product(pass, "down", ffn, h, m, count, TRUE);
    if (inputs) {
        pass_add_elementwise(pass, "activation", count * m * (g + 1) * ffn,
                             count * m * g * ffn);
        pass_quantise(pass, count * m * g * ffn);
        pass_add_product(pass, "up", m, h, g * ffn, count, FALSE);
    }
    if (weights)
        pass_add_product(pass, "up", h, g * ffn, m, count, TRUE);
}

uint64_t feed_forward_weights(const LanguageModel *model, uint64_t ffn,
                              gboolean has_bias)
{
    uint64_t n_inside = ffn * (model->is_gated ? 2 : 1);

    return model->hidden * (n_inside + ffn) +
           (has_bias ? n_inside + model->hidden : 0);
}
