/*
 * recompute.h - what a backward pass calculates again instead of keeping it
 *
 * A set of words: nothing (`none`), whole layers (`full`), or modules of layers
 * and pieces of them.  `selective` is the piece `scores`.
 *
 *   full            The forward pass of a layer is repeated.  The layer keeps
 *                   its input.
 *   a module        Its forward pass, from its norm on, is repeated with all
 *                   its collectives.  It keeps its input, and the mask of a
 *                   dropout behind it.
 *   scores          of attention that is not fused, with softmax and dropout;
 *                   fused attention keeps none in any case
 *   norms           The outputs of the norms before modules.
 *   latent          Queries, keys and values, from latent vectors.  These are
 *                   kept: of the query, if it has them, of keys and values, and
 *                   the rotary values of keys.
 *   activations     The values behind the activations of experts, but not of
 *                   shared ones.
 *   shared_experts  The inner values of shared experts.
 *
 * Modules and pieces are those of Megatron-LM's --recompute-modules
 * [MEGATRONRECOMPUTE], where `layernorm` before a dense part is a piece of that
 * part if it is fused into its first product.
 *
 * Errors   CONFIG_ERROR at the list
 */
#ifndef WORKLOADS_TRANSFORMER_RECOMPUTE_H
#define WORKLOADS_TRANSFORMER_RECOMPUTE_H

#include "sim/config/config.h"

typedef enum {
    RECOMPUTE_NONE,
    RECOMPUTE_SELECTIVE,
    RECOMPUTE_FULL,
    RECOMPUTE_SCORES,
    RECOMPUTE_NORMS,
    RECOMPUTE_LATENT,
    RECOMPUTE_ACTIVATIONS,
    RECOMPUTE_SHARED_EXPERTS,
    /* The first module; others follow as in language_model_module_names. */
    RECOMPUTE_MODULES,
} RecomputeWord;

/* Bit w: word w of a module or piece; the highest bit: RECOMPUTE_FULL.  Of two
 * sets, the one that repeats more work is usually the greater number, because
 * pieces come before modules. */
typedef uint64_t RecomputeSet;

/* An item of the list of words. */
extern const ConfigField recompute_item;

/* Returns the set of one word. */
RecomputeSet recompute_set_of_word(guint word);

static inline gboolean recompute_has(RecomputeSet set, guint word)
{
    return (set & recompute_set_of_word(word)) != 0;
}

/* Sets *@ret to the set of @words, a list of int; returns FALSE if `none`,
 * `selective` or `full` is not the only word. */
G_GNUC_WARN_UNUSED_RESULT
gboolean recompute_read(const ConfigList *words, RecomputeSet *ret,
                        GError **error);

/* Returns a list of the one word `none`, `selective` or `full`; its items are
 * static. */
ConfigList recompute_list_of_word(RecomputeWord word);

/* Returns the value of the key, such as "full" or "[norms, mlp]"; the caller
 * frees it. */
char *recompute_text(RecomputeSet set);

#endif
