/* memory_check.c - estimates the memory of a rank, and compares it with that of
 * an NPU */
#include "workloads/memory_check.h"

#include "workloads/layer.h"
#include "workloads/optimiser.h"
#include "workloads/sharding/sharding.h"

#define GIB (1024.0 * 1024 * 1024)

/* ---- the estimate from the kernels of a graph ---------------------------- */

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
                                         const MemoryTraining *training)
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
            layer_add_saturating(all[op->layer], op->work->written_bytes);
        if (op->work->written_bytes > 0)
            last[op->layer] = bytes_of_last_kernel(op->work);
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
                                     const MemoryTraining *training)
{
    uint64_t most = 0;

    for (uint32_t role = 0; role < graph->roles->len; role++)
        most = MAX(most, activation_bytes_of_role(graph, role, training));
    return most;
}

/* Returns the index of the optimiser of @graph in optimiser_names. */
static int optimiser_of_graph(const OpGraph *graph)
{
    for (int i = OPTIMISER_NONE; graph->optimiser && optimiser_names[i]; i++)
        if (g_str_equal(optimiser_names[i], graph->optimiser))
            return i;
    return OPTIMISER_NONE;
}

void memory_estimate_of_roles(OpGraph *graph, const MemoryTraining *training)
{
    static const Sharding undivided = { 0 };
    const WeightBytes of_weight = {
        .weight_bytes = training->weight_bytes,
        .gradient_bytes = training->gradient_bytes,
        .state_bytes = optimiser_state_bytes(optimiser_of_graph(graph),
                                             training->weight_bytes,
                                             training->master_copies),
    };
    StageMemory one = { .peak = graph->sharded_memory };

    if (graph->memory->len > 0 || graph->n_weights == 0)
        return;
    if (rank_memory_sum(&one.peak) == 0)
        sharding_add_memory(&undivided, &of_weight, graph->n_weights, 1,
                            &one.peak);
    one.peak.bytes[MEMORY_ACTIVATIONS] = max_activation_bytes(graph, training);
    g_array_append_val(graph->memory, one);
}

/* ---- the check ----------------------------------------------------------- */

gboolean memory_changes_add_offer(MemoryChanges *changes, uint64_t bytes,
                                  const char *text)
{
    if (bytes > changes->capacity_bytes)
        return FALSE;
    if (!memory_changes_list_is_full(changes))
        g_ptr_array_add(changes->texts, g_strdup_printf("%s (%.4g GiB)", text,
                                                        (double)bytes / GIB));
    return TRUE;
}

static void append_memory_changes(const MemoryChanges *changes, GString *text)
{
    if (changes->texts->len == 0) {
        g_string_append(text, "; no change of parallelism, micro-batches or "
                              "recomputation that was tried fits");
        return;
    }
    g_string_append(text, "; what fits is ");
    for (guint i = 0; i < changes->texts->len; i++)
        g_string_append_printf(text, "%s%s",
                               i == 0                         ? ""
                               : i + 1 == changes->texts->len ? ", or "
                                                              : ", ",
                               (char *)g_ptr_array_index(changes->texts, i));
}

char *memory_describe_excess(const OpGraph *graph, uint64_t capacity_bytes)
{
    const StageMemory *most = rank_memory_fullest(graph->memory);
    GString *text;

    if (!most || capacity_bytes == 0 ||
        rank_memory_sum(&most->peak) <= capacity_bytes)
        return NULL;
    text = g_string_new("a rank");
    if (graph->memory->len > 1)
        g_string_append_printf(text, " of stage %u", most->stage);
    g_string_append(text, " needs ");
    rank_memory_append(&most->peak, text);
    g_string_append_printf(
        text, ", more than the %.4g GiB of platform.npu.hbm.capacity",
        (double)capacity_bytes / GIB);
    return g_string_free(text, FALSE);
}

void memory_set_excess_error(const char *excess, uint64_t capacity_bytes,
                             const ConfigNode *node, MemoryTryFn offer,
                             gconstpointer self, GError **error)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    MemoryChanges changes = { capacity_bytes, texts };
    g_autoptr(GString) text = g_string_new(excess);

    offer(self, &changes);
    append_memory_changes(&changes, text);
    config_set_error(error, node, CONFIG_ERROR_CONFLICT,
                     "memory: %s; 'training.memory: ignored' runs it all the "
                     "same",
                     text->str);
}
