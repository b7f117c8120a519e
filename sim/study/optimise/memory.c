/* memory.c - what a rank of a run has to hold in its memory */
#include "sim/study/optimise/memory.h"

#include "workloads/layer.h"
#include "workloads/optimiser.h"

#define FP32_BYTES UINT64_C(4)

/* FP32 values of a weight that an optimiser remembers: optimiser.h. */
static uint64_t n_states(const char *optimiser)
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
static uint64_t last_written(const OpWork *work)
{
    return work->is_elementwise ? work->written_bytes / op_work_n_kernels(work)
                                : work->written_bytes;
}

/* What is held where layers are made again in segments of @n_layers: what each
 * segment hands to the next, and all of the largest segment. */
static uint64_t in_segments(const uint64_t *all, const uint64_t *last, guint n,
                            guint n_layers)
{
    uint64_t kept = 0, largest = 0;

    for (guint first = 0; first < n; first += n_layers) {
        guint end = MIN(first + n_layers, n);
        uint64_t segment = 0;

        for (guint i = first; i < end; i++)
            segment = layer_add(segment, all[i]);
        largest = MAX(largest, segment);
        if (end < n)
            kept = layer_add(kept, last[end - 1]);
    }
    return layer_add(kept, largest);
}

/* With the segments that hold least [CHECKPOINTS]. */
static uint64_t least_in_segments(const uint64_t *all, const uint64_t *last,
                                  guint n)
{
    uint64_t least = UINT64_MAX;

    for (guint n_layers = 1; n_layers <= n; n_layers++)
        least = MIN(least, in_segments(all, last, n, n_layers));
    return least;
}

/* What the forward pass of a micro-batch of @role leaves: all that its kernels
 * write, or what is held of it where it is made again. */
static uint64_t written_by(const OpGraph *graph, uint32_t role,
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
        all[op->layer] = layer_add(all[op->layer], op->work.written_bytes);
        if (op->work.written_bytes > 0)
            last[op->layer] = last_written(&op->work);
    }
    for (guint i = 0; i < n; i++) {
        all[i] /= n_times;
        sum = layer_add(sum, all[i]);
    }
    return training->recompute && n > 0 ? least_in_segments(all, last, n) : sum;
}

static uint64_t most_written(const OpGraph *graph,
                             const TrainingConfig *training)
{
    uint64_t most = 0;

    for (uint32_t role = 0; role < graph->roles->len; role++)
        most = MAX(most, written_by(graph, role, training));
    return most;
}

MemoryParts memory_parts(const System *system)
{
    const TrainingConfig *training = &system_config(system)->training;
    const OpGraph *graph = system_graph(system);
    uint64_t weight_bytes = precision_bytes(training->precision), n;
    MemoryParts parts = { 0 };

    n = graph->n_weights;
    if (training->master_copies && weight_bytes < FP32_BYTES &&
        graph->optimiser)
        weight_bytes += FP32_BYTES;
    parts.weight_bytes = layer_mul(n, weight_bytes);
    parts.gradient_bytes = layer_mul(n, precision_bytes(training->gradient));
    parts.optimiser_bytes =
        layer_mul(n, n_states(graph->optimiser) * FP32_BYTES);
    if (n > 0)
        parts.activation_bytes = most_written(graph, training);
    return parts;
}

uint64_t memory_of_rank(const System *system)
{
    MemoryParts parts = memory_parts(system);

    return layer_add(layer_add(parts.weight_bytes, parts.gradient_bytes),
                     layer_add(parts.optimiser_bytes, parts.activation_bytes));
}
