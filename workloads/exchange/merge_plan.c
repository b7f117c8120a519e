/* merge_plan.c - merges tensors by the three rules of merge_plan.h */
#include "workloads/exchange/merge_plan.h"

#include "workloads/layer.h"

#define PS_PER_S UINT64_C(1000000000000)

uint64_t merge_cost_of_message_ps(const MergeCostModel *model, uint64_t bytes)
{
    unsigned __int128 bytes_ps =
        ((unsigned __int128)bytes * PS_PER_S + model->bytes_per_s - 1) /
        model->bytes_per_s;

    return layer_add_saturating(
        model->latency_ps,
        (uint64_t)MIN(bytes_ps, (unsigned __int128)INT64_MAX));
}

/* Returns whether a message of @n_values that could start at @start_ps should
 * wait for @next. */
static gboolean should_wait_for_next_tensor(const MergeCostModel *model,
                                            uint64_t start_ps,
                                            uint64_t n_values,
                                            const MergeTensor *next)
{
    return next->ready_ps < start_ps ||
           next->ready_ps - start_ps < model->latency_ps ||
           n_values < model->least_values;
}

GArray *merge_plan_make(const MergeCostModel *model, const MergeTensor *tensors,
                        guint n)
{
    GArray *plan = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint64_t free_ps = 0, n_values = 0, bytes = 0;
    uint32_t n_gathered = 0;

    for (guint i = 0; i < n; i++) {
        uint64_t start_ps = MAX(tensors[i].ready_ps, free_ps);

        g_assert(i == 0 || tensors[i - 1].ready_ps <= tensors[i].ready_ps);
        n_gathered++;
        n_values = layer_add_saturating(n_values, tensors[i].n_values);
        bytes = layer_add_saturating(bytes, tensors[i].bytes);
        if (i + 1 < n && should_wait_for_next_tensor(model, start_ps, n_values,
                                                     &tensors[i + 1]))
            continue;
        g_array_append_val(plan, n_gathered);
        free_ps = layer_add_saturating(start_ps,
                                       merge_cost_of_message_ps(model, bytes));
        n_gathered = 0;
        n_values = bytes = 0;
    }
    return plan;
}
