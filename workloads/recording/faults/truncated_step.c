/*
 * truncated_step.c - the recording began or ended within a step
 *
 * A step is truncated if the device has less than half of the nodes of the
 * median step.
 */
#include "workloads/recording/lint_impl.h"

typedef struct {
    uint32_t node;
    int64_t from_ps, to_ps;
    uint64_t n; /* number of device nodes of the step */
} Step;

static int compare_steps_by_begin(gconstpointer a, gconstpointer b)
{
    const Step *one = a, *other = b;

    return (one->from_ps > other->from_ps) - (one->from_ps < other->from_ps);
}

static GArray *profiler_steps_of_rank(const RecordRank *rank)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(Step));

    for (uint32_t i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        Step step = { .node = i, .from_ps = node->begin_ps };

        if (!(node->flags & RECORD_STEP) || node->begin_ps == RECORD_NO_TIME)
            continue;
        step.to_ps = lint_node_end_ps(node);
        g_array_append_val(steps, step);
    }
    g_array_sort(steps, compare_steps_by_begin);
    return steps;
}

/* Counts @node in the step in which it was launched. */
static void count_node_in_step(const RecordRank *rank, const RecordNode *node,
                               GArray *steps)
{
    int64_t at_ps = node->begin_ps;

    if (node->launch != RECORD_NONE &&
        record_node(rank, node->launch)->begin_ps != RECORD_NO_TIME)
        at_ps = record_node(rank, node->launch)->begin_ps;
    for (guint i = 0; i < steps->len; i++) {
        Step *step = &g_array_index(steps, Step, i);

        if (step->from_ps <= at_ps && at_ps < step->to_ps) {
            step->n++;
            return;
        }
    }
}

static int compare_counts(gconstpointer a, gconstpointer b)
{
    const uint64_t *one = a, *other = b;

    return (*one > *other) - (*one < *other);
}

static uint64_t median_device_node_count(const GArray *steps)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (guint i = 0; i < steps->len; i++)
        g_array_append_val(numbers, g_array_index(steps, Step, i).n);
    g_array_sort(numbers, compare_counts);
    return g_array_index(numbers, uint64_t, numbers->len / 2);
}

static void find_truncated_steps_of_rank(Lint *lint, guint rank_index)
{
    const RecordRank *rank = lint_rank(lint, rank_index);
    const GArray *device = lint->ranks[rank_index].device;
    g_autoptr(GArray) steps = profiler_steps_of_rank(rank);
    uint64_t usual;

    if (steps->len < 2)
        return;
    for (guint i = 0; i < device->len; i++)
        count_node_in_step(
            rank, record_node(rank, g_array_index(device, uint32_t, i)), steps);
    usual = median_device_node_count(steps);
    for (guint i = 0; i < steps->len; i++) {
        const Step *step = &g_array_index(steps, Step, i);

        if (step->n < usual / 2)
            lint_add_fault(lint, rank_index, step->node,
                           "has %" G_GUINT64_FORMAT
                           " nodes of the device, others "
                           "have %" G_GUINT64_FORMAT,
                           step->n, usual);
    }
}

static void find_truncated_step_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        find_truncated_steps_of_rank(lint, r);
}

const FaultKind fault_truncated_step = {
    .base = { .name = "truncated-step",
              .summary =
                  "the device did less than half as much in this step as in "
                  "others" },
    .severity = FAULT_WARNING,
    .import = "takes the step of median length, unless another one is "
              "requested",
    .find_faults = find_truncated_step_faults,
};
