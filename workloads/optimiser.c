/* optimiser.c - work of the optimiser's step; see optimiser.h */
#include "workloads/optimiser.h"

#include "workloads/layer_impl.h"

#define FP32_BYTES UINT64_C(4)

typedef struct {
    /* Number of FP32 values that the optimiser keeps per weight. */
    uint64_t n_states;
    uint64_t flop; /* FLOP per weight in the first kernel */
    /* FLOP per weight in the second kernel; 0: there is no second kernel. */
    uint64_t apply_flop;
} Optimiser;

const char *const optimiser_names[] = { "auto", "none", "sgd", "momentum",
                                        "adam", "lamb", NULL };

/* To add an optimiser, add its name above and a line here. */
static const Optimiser optimisers[] = {
    { 0, 0, 0 }, /* auto: the workload chooses */
    { 0, 0, 0 }, /* none: no step is modelled */
    { 0, 2, 0 }, /* SGD: w -= a g */
    { 1, 4, 0 }, /* momentum: v = b v + g; w -= a v */
    /* Adam: m = b m + (1 - b) g, v = c v + (1 - c) g g: 7; w -= a m / (sqrt v +
     * e) */
    { 2, 12, 0 },
    /* LAMB: m and v as Adam; u = m / (sqrt v + e) + d w; sums of u u and w w; w
     * -= a r u */
    { 2, 16, 2 },
};

void optimiser_list_kernels(int optimiser, const OptimiserStep *step,
                            OpWork ret[OPTIMISER_MAX_WORKS])
{
    const Optimiser *o = &optimisers[optimiser];
    gboolean has_master =
        step->master_copies && step->weight_bytes < FP32_BYTES;
    uint64_t read = has_master ? FP32_BYTES : step->weight_bytes;
    uint64_t write = step->weight_bytes + (has_master ? FP32_BYTES : 0);
    /* The states are read and written. */
    uint64_t states = FP32_BYTES * o->n_states;
    uint64_t gradient = step->gradient_bytes + 2 * states;
    uint64_t n = step->n_weights;

    g_assert(optimiser > OPTIMISER_NONE &&
             optimiser < (int)G_N_ELEMENTS(optimisers));
    G_STATIC_ASSERT(G_N_ELEMENTS(optimisers) + 1 ==
                    G_N_ELEMENTS(optimiser_names));
    ret[0] =
        (OpWork){ .flop = layer_multiply_saturating(o->flop, n),
                  .bytes =
                      layer_multiply_saturating(gradient + read + write, n),
                  .written_bytes = layer_multiply_saturating(states + write, n),
                  .is_elementwise = TRUE };
    ret[1] = (OpWork){ 0 };
    if (o->apply_flop == 0)
        return;
    ret[0].bytes = layer_multiply_saturating(gradient + read + FP32_BYTES, n);
    ret[0].written_bytes = layer_multiply_saturating(states + FP32_BYTES, n);
    ret[1] = (OpWork){ .flop = layer_multiply_saturating(o->apply_flop, n),
                       .bytes = layer_multiply_saturating(
                           FP32_BYTES + read + write, n),
                       .written_bytes = layer_multiply_saturating(write, n),
                       .is_elementwise = TRUE };
}

uint64_t optimiser_state_bytes(int optimiser, uint64_t weight_bytes,
                               gboolean master_copies)
{
    if (optimiser <= OPTIMISER_NONE)
        return 0;
    return FP32_BYTES * (optimisers[optimiser].n_states +
                         (master_copies && weight_bytes < FP32_BYTES ? 1 : 0));
}
