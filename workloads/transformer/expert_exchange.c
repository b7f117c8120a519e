/* expert_exchange.c - the copies of tokens that are sent to experts; see
 * expert_exchange.h */
#include "workloads/transformer/expert_exchange.h"

#include <math.h>

#include "workloads/workload.h"

#define PRECISION_FIELD(Key, member, Help)                                     \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_ENUM,                     \
        .offset = offsetof(ExpertExchange, member),                            \
        .names = product_precision_names, .fallback = "training",              \
        .source = "as Megatron-LM: values are sent as they are"                \
    }

const ConfigField expert_exchange_fields[] = {
    PRECISION_FIELD("dispatch", dispatch,
                    "precision of tokens, and of gradients of results, on the "
                    "way to the experts; training: that of `precision`"),
    PRECISION_FIELD("combine", combine,
                    "precision of results, and of gradients of tokens, on the "
                    "way back"),
    { .key = "most_nodes",
      .help = "nodes that the experts of a token are limited to, with "
              "`parallel.ep_local`",
      .type = CONFIG_COUNT,
      .offset = offsetof(ExpertExchange, most_nodes),
      .min = 1,
      .max = UINT64_C(1000000),
      .may_be_auto = TRUE,
      .fallback = "auto",
      .source = "any number" },
    { .key = "pieces",
      .help = "pieces of the tokens, of which one is sent inside the nodes "
              "while the next is between them, with `parallel.ep_local`",
      .type = CONFIG_COUNT,
      .offset = offsetof(ExpertExchange, n_pieces),
      .min = 1,
      .max = 64,
      .fallback = "4",
      .source = "assumed: libraries forward tokens in small chunks" },
    CONFIG_END,
};

double expert_exchange_mean_places_of_token(uint64_t n_experts,
                                            uint64_t n_chosen,
                                            uint64_t n_places)
{
    double missed = 1; /* probability that a place has none of the chosen */
    double all = (double)n_experts;
    double elsewhere = all - all / (double)n_places;

    for (uint64_t i = 0; i < n_chosen; i++)
        missed *= MAX(elsewhere - (double)i, 0) / (all - (double)i);
    return (double)n_places * (1 - missed);
}

ExpertCopies expert_exchange_copies(const ExpertExchange *exchange,
                                    uint64_t n_tokens, uint64_t n_experts,
                                    uint64_t n_chosen, uint64_t n_nodes,
                                    uint64_t n_local)
{
    uint64_t n_reached = exchange->most_nodes == CONFIG_AUTO
                             ? n_nodes
                             : MIN(exchange->most_nodes, n_nodes);
    uint64_t n_usable = MAX(n_experts / n_nodes * n_reached, n_chosen);
    double nodes =
        expert_exchange_mean_places_of_token(n_usable, n_chosen, n_reached);
    double ranks = expert_exchange_mean_places_of_token(n_usable, n_chosen,
                                                        n_reached * n_local);

    return (ExpertCopies){ (uint64_t)ceil((double)n_tokens * nodes),
                           (uint64_t)ceil((double)n_tokens * ranks) };
}
