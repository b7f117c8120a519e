/*
 * expert_exchange.h - how tokens travel to their experts and back
 *
 * A token uses k different ones of the E experts of a layer, which lie on n
 * ranks in equal numbers.  If every choice is as likely as any other, it
 * reaches
 *
 *     n (1 - C(E - E / n, k) / C(E, k))
 *
 * ranks on average, which is at most min(n, k).  The same holds for nodes.  A
 * router may be limited to M nodes of a token; the experts are then those of M
 * nodes [DSV3].
 *
 * Flat      A rank sends a token to each of its experts directly.
 * By node   A rank sends a token once to each node that the token reaches, to
 *           the rank with its own number there; that rank sends it once to each
 *           rank of the node that it reaches [DEEPEP].  Results return the same
 *           way, summed in the node.  The tokens are cut into pieces, so that
 *           one is sent inside the nodes while the next is between them.
 *
 * Values may be quantised on the way; the combination needs more digits, since
 * it is a sum.
 *
 * Units    tokens
 * Errors   CONFIG_ERROR at the section
 */
#ifndef WORKLOADS_TRANSFORMER_EXPERT_EXCHANGE_H
#define WORKLOADS_TRANSFORMER_EXPERT_EXCHANGE_H

#include "sim/config/config.h"

typedef struct {
    /* The precisions of values: 0: that of training, else a Precision + 1. */
    int dispatch, combine;
    uint64_t most_nodes; /* most nodes that a token reaches; CONFIG_AUTO: any
                            number */
    uint64_t n_pieces;   /* by node only */
    const ConfigNode *node;
} ExpertExchange;

extern const ConfigField expert_exchange_fields[];

/* Returns how many of @n_places with equal shares of @n_experts a token
 * reaches on average with @n_chosen experts. */
double expert_exchange_mean_places_of_token(uint64_t n_experts,
                                            uint64_t n_chosen,
                                            uint64_t n_places);

/* The copies of the tokens of a rank that are sent between nodes, and those
 * that are sent inside them, rounded up. */
typedef struct {
    uint64_t between, inside;
} ExpertCopies;

/* Returns the copies of @n_tokens if the experts are on @n_nodes with
 * @n_local ranks each. */
ExpertCopies expert_exchange_copies(const ExpertExchange *exchange,
                                    uint64_t n_tokens, uint64_t n_experts,
                                    uint64_t n_chosen, uint64_t n_nodes,
                                    uint64_t n_local);

#endif
