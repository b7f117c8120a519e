/*
 * expert_load.h - how the chosen tokens are divided among the experts
 *
 * If the load is even, every expert gets the same number of tokens.  Else the
 * experts have weights, and rank r of ep gets the sum of the weights of its
 * experts.  With `zipf: s` the i-th expert has weight 1 / i^s, and is on rank
 * (i - 1) mod ep, so that each rank has some that are much used.  A list
 * `weights` has one for each expert, in the order of the ranks.
 *
 * Tokens reach the experts by an all-to-allv with the weights of the ranks.
 * Their way back is the same in reverse: here it has the same weights, and thus
 * the same time on links with two directions.  All ranks of ep wait for each
 * other in it, so the products of every rank take the time of the fullest one.
 *
 * Leaves out  the load of memory, and differences among the experts of a rank
 * Units       weights have none
 * Errors      CONFIG_ERROR at the section
 */
#ifndef WORKLOADS_TRANSFORMER_EXPERT_LOAD_H
#define WORKLOADS_TRANSFORMER_EXPERT_LOAD_H

#include "sim/config/config.h"

typedef struct {
    uint64_t
        zipf_ppm; /* exponent of a Zipf distribution, in parts per million */
    ConfigList weights;
    const ConfigNode *node;
} ExpertLoadConfig;

extern const ConfigField expert_load_fields[];

/* The load of the ranks of ep.  Initialise with zeros: the load is even. */
typedef struct {
    uint64_t *items;  /* owned: a weight for each rank */
    ConfigList ranks; /* of .items; empty if the load is even */
    double fullest;   /* the share of all tokens that the fullest rank gets */
} ExpertLoad;

/* Sets the load of @ep ranks, which divide @n_experts.  A token uses @n_chosen
 * different experts, so no expert can have more than a part 1 / @n_chosen. */
G_GNUC_WARN_UNUSED_RESULT
gboolean expert_load_init(ExpertLoad *ret, const ExpertLoadConfig *config,
                          uint64_t n_experts, uint64_t n_chosen, uint64_t ep,
                          GError **error);
void expert_load_clear(ExpertLoad *load);

#endif
