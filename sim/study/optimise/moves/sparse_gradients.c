/*
 * sparse_gradients.c - the move that sends gradients of embeddings as touched
 * rows or dense
 *
 * Touched rows are gathered from all NPUs, so their bytes grow with the number
 * of NPUs.  A dense gradient has the size of the table, whatever their number.
 */
#include "sim/study/optimise/moves/setting_values_impl.h"

#define KEY "training.exchange.sparse="

static void propose_sparse_or_dense(const RunProfile *profile, GPtrArray *ret)
{
    if (profile->n_tensors == 0)
        return;
    g_ptr_array_add(ret, g_strdup(KEY "dense"));
    g_ptr_array_add(ret, g_strdup(KEY "gather"));
}

static char *toggle_sparse_gradients(const RunProfile *profile,
                                     const char *sets, RandomDraw *draw)
{
    (void)sets;
    if (profile->n_tensors == 0)
        return NULL;
    return g_strdup(draw_integer_below(draw, 2) == 0 ? KEY "dense"
                                                     : KEY "gather");
}

const SearchMove move_sparse = {
    .name = "sparse",
    .summary = "gradients of embeddings as rows or dense",
    .aspect = ASPECT_SPARSE,
    .saves = SAVES_EXCHANGE,
    .seeds = propose_sparse_or_dense,
    .vary = toggle_sparse_gradients,
};
