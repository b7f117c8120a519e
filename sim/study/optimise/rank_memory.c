/* rank_memory.c - how much memory a rank of a run needs */
#include "sim/study/optimise/rank_memory.h"

#include "workloads/layer.h"
#include "workloads/optimiser.h"

#define FP32_BYTES UINT64_C(4)

/* Returns the number of FP32 values per weight in the state of an optimiser
 * (optimiser.h). */
static uint64_t optimiser_states_per_weight(const char *optimiser)
{
    static const struct {
        const char *name;
        uint64_t n;
    } rows[] = { { "momentum", 1 }, { "adam", 2 }, { "lamb", 2 } };

    for (guint i = 0; optimiser && i < G_N_ELEMENTS(rows); i++)
        if (g_str_equal(rows[i].name, optimiser))
            return rows[i].n;
    return 0;
}

/* Returns the bytes that the last kernel of @work writes. */
static uint64_t bytes_of_last_kernel(const OpWork *work)
{
    return work->is_elementwise ? work->written_bytes / op_work_n_kernels(work)
                                : work->written_bytes;
}

/* Returns the bytes that are kept if layers are recomputed in segments of
 * @n_layers: the output of each segment but the last, and all of the largest
 * segment. */
static uint64_t bytes_kept_in_segments(const uint64_t *all,
                                       const uint64_t *last, guint n,
                                       guint n_layers)
{
    uint64_t kept = 0, largest = 0;

    for (guint first = 0; first < n; first += n_layers) {
        guint end = MIN(first + n_layers, n);
        uint64_t segment = 0;

        for (guint i = first; i < end; i++)
            segment = layer_add_saturating(segment, all[i]);
        largest = MAX(largest, segment);
        if (end < n)
            kept = layer_add_saturating(kept, last[end - 1]);
    }
    return layer_add_saturating(kept, largest);
}

/* Returns the bytes that are kept with the best size of segments
 * [CHECKPOINTS]. */
static uint64_t min_bytes_kept_in_segments(const uint64_t *all,
                                           const uint64_t *last, guint n)
{
    uint64_t least = UINT64_MAX;

    for (guint n_layers = 1; n_layers <= n; n_layers++)
        least = MIN(least, bytes_kept_in_segments(all, last, n, n_layers));
    return least;
}

/* Returns the bytes that the forward pass of one micro-batch of @role keeps:
 * all that its kernels write, or less if they are recomputed. */
static uint64_t activation_bytes_of_role(const OpGraph *graph, uint32_t role,
                                         const TrainingConfig *training)
{
    g_autofree uint64_t *all = g_new0(uint64_t, graph->layers->len + 1);
    g_autofree uint64_t *last = g_new0(uint64_t, graph->layers->len + 1);
    uint64_t n_times =
        training->n_micro_batches * (training->recompute ? 2 : 1);
    uint64_t sum = 0;
    guint n = graph->layers->len;

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COMPUTE || op->pass != OP_FORWARD ||
            !op_has_role(op, role))
            continue;
        all[op->layer] =
            layer_add_saturating(all[op->layer], op->work.written_bytes);
        if (op->work.written_bytes > 0)
            last[op->layer] = bytes_of_last_kernel(&op->work);
    }
    for (guint i = 0; i < n; i++) {
        all[i] /= n_times;
        sum = layer_add_saturating(sum, all[i]);
    }
    return training->recompute && n > 0
               ? min_bytes_kept_in_segments(all, last, n)
               : sum;
}

static uint64_t max_activation_bytes(const OpGraph *graph,
                                     const TrainingConfig *training)
{
    uint64_t most = 0;

    for (uint32_t role = 0; role < graph->roles->len; role++)
        most = MAX(most, activation_bytes_of_role(graph, role, training));
    return most;
}

MemoryParts memory_parts_of_rank(const System *system)
{
    const TrainingConfig *training = &system_config(system)->training;
    const OpGraph *graph = system_graph(system);
    uint64_t weight_bytes = precision_bytes(training->precision), n;
    MemoryParts parts = { 0 };

    n = graph->n_weights;
    if (training->master_copies && weight_bytes < FP32_BYTES &&
        graph->optimiser)
        weight_bytes += FP32_BYTES;
    parts.weight_bytes = layer_multiply_saturating(n, weight_bytes);
    parts.gradient_bytes =
        layer_multiply_saturating(n, precision_bytes(training->gradient));
    parts.optimiser_bytes = layer_multiply_saturating(
        n, optimiser_states_per_weight(graph->optimiser) * FP32_BYTES);
    if (n > 0)
        parts.activation_bytes = max_activation_bytes(graph, training);
    return parts;
}

uint64_t memory_bytes_of_rank(const System *system)
{
    MemoryParts parts = memory_parts_of_rank(system);

    return layer_add_saturating(
        layer_add_saturating(parts.weight_bytes, parts.gradient_bytes),
        layer_add_saturating(parts.optimiser_bytes, parts.activation_bytes));
}
