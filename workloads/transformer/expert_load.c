/*
 * expert_load.c - how the chosen tokens are divided among the experts; see
 * expert_load.h
 */
#include "workloads/transformer/expert_load.h"

#include <math.h>

#include "workloads/rank_weights.h"

#define PPM         1e6
#define MAX_ZIPF    10  /* with a larger exponent, one expert gets all tokens */
#define RANK_WEIGHT 1e9 /* sum of the weights of all ranks */

const ConfigField expert_load_fields[] = {
    { .key = "zipf",
      .help = "exponent s: the i-th expert gets a part of 1 / i^s; 0: even",
      .type = CONFIG_FRACTION,
      .offset = offsetof(ExpertLoadConfig, zipf_ppm),
      .max = MAX_ZIPF * UINT64_C(1000000),
      .fallback = "0",
      .source = "even, as routers are trained to be" },
    { .key = "weights",
      .help = "of the experts, in the order of their ranks",
      .type = CONFIG_LIST,
      .offset = offsetof(ExpertLoadConfig, weights),
      .item = &weights_item,
      .item_size = sizeof(uint64_t),
      .max = WEIGHTS_MAX,
      .fallback = WEIGHTS_FALLBACK,
      .source = "all alike" },
    CONFIG_END,
};

static gboolean set_expert_load_error(const ExpertLoadConfig *config,
                                      GError **error, char *text)
{
    config_set_error(error, config->node, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

/* Adds the weights of the experts to those of their ranks.  Sets *@ret_largest
 * to the largest weight of an expert, and returns the sum. */
static double sum_expert_weights_by_rank(const ExpertLoadConfig *config,
                                         uint64_t n_experts, uint64_t ep,
                                         double *ranks, double *ret_largest)
{
    const uint64_t *given = config->weights.items;
    double sum = 0;

    *ret_largest = 0;
    for (uint64_t i = 0; i < n_experts; i++) {
        gboolean is_given = config->weights.n > 0;
        double weight =
            is_given ? (double)given[i]
                     : pow((double)(i + 1), -(double)config->zipf_ppm / PPM);

        ranks[is_given ? i / (n_experts / ep) : i % ep] += weight;
        *ret_largest = MAX(*ret_largest, weight);
        sum += weight;
    }
    return sum;
}

gboolean expert_load_init(ExpertLoad *ret, const ExpertLoadConfig *config,
                          uint64_t n_experts, uint64_t n_chosen, uint64_t ep,
                          GError **error)
{
    g_autofree double *ranks = g_new0(double, ep);
    double sum, largest;

    if (config->zipf_ppm == 0 && config->weights.n == 0)
        return TRUE;
    if (n_experts == 0)
        return set_expert_load_error(
            config, error,
            g_strdup("expert_load: the model has no experts; leave it "
                     "out"));
    if (config->zipf_ppm > 0 && config->weights.n > 0)
        return set_expert_load_error(
            config, error,
            g_strdup("expert_load: 'zipf' and 'weights' exclude each "
                     "other; give one"));
    if (config->weights.n > 0 && config->weights.n != n_experts)
        return set_expert_load_error(
            config, error,
            g_strdup_printf("weights: %u for %" G_GUINT64_FORMAT
                            " experts; give one for each",
                            config->weights.n, n_experts));
    sum = sum_expert_weights_by_rank(config, n_experts, ep, ranks, &largest);
    if (sum <= 0)
        return set_expert_load_error(
            config, error,
            g_strdup("weights: all are 0; give at least one expert "
                     "some"));
    if (largest * (double)n_chosen > sum * (1 + 1e-9))
        return set_expert_load_error(
            config, error,
            g_strdup_printf("expert_load: an expert would have %.3g %% "
                            "of the chosen tokens, and a token uses "
                            "%" G_GUINT64_FORMAT " different experts, "
                            "so that none has more than %.3g %%; use a "
                            "more even load",
                            100 * largest / sum, n_chosen,
                            100 / (double)n_chosen));
    ret->items = g_new(uint64_t, ep);
    for (uint64_t r = 0; r < ep; r++) {
        ret->items[r] = (uint64_t)(ranks[r] / sum * RANK_WEIGHT + 0.5);
        ret->fullest = MAX(ret->fullest, ranks[r] / sum);
    }
    ret->ranks = (ConfigList){ .items = ret->items,
                               .n = (guint)ep,
                               .node = config->node };
    return TRUE;
}

void expert_load_clear(ExpertLoad *load)
{
    g_clear_pointer(&load->items, g_free);
}
