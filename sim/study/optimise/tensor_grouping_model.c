/* tensor_grouping_model.c - which tensors are sent in one message, by a model
 * that takes microseconds */
#include "sim/study/optimise/tensor_grouping_model.h"

#include <stdlib.h>

static const GroupingTensor *grouping_tensor_at(const GArray *tensors, guint i)
{
    return &g_array_index(tensors, GroupingTensor, i);
}

static const GroupingMessage *grouping_message_at(const GArray *messages,
                                                  guint i)
{
    return &g_array_index(messages, GroupingMessage, i);
}

/* ---- the time of a message --------------------------------------------- */

static gint compare_message_bytes(gconstpointer a, gconstpointer b)
{
    const GroupingMessage *x = a, *y = b;

    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Messages of one size are replaced by their mean. */
GArray *grouping_average_messages(const GroupingMessage *observed, guint n)
{
    g_autofree GroupingMessage *sorted = g_new(GroupingMessage, n + 1);
    GArray *ret = g_array_new(FALSE, FALSE, sizeof(GroupingMessage));

    for (guint i = 0; i < n; i++)
        sorted[i] = observed[i];
    if (n > 0)
        qsort(sorted, n, sizeof *sorted, compare_message_bytes);
    for (guint i = 0, end; i < n; i = end) {
        GroupingMessage mean = { .bytes = sorted[i].bytes };

        for (end = i; end < n && sorted[end].bytes == mean.bytes; end++)
            mean.time_ps += sorted[end].time_ps;
        mean.time_ps /= end - i;
        g_array_append_val(ret, mean);
    }
    return ret;
}

/* Returns the value of the line through @a and @b at @bytes, at least 0. */
static double interpolate_message_time(const GroupingMessage *a,
                                       const GroupingMessage *b, double bytes)
{
    double time_ps = (double)a->time_ps;

    if (b->bytes > a->bytes)
        time_ps += ((double)b->time_ps - time_ps) * (bytes - (double)a->bytes) /
                   (double)(b->bytes - a->bytes);
    return MAX(time_ps, 0);
}

double grouping_message_time_ps(const GArray *messages, uint64_t bytes)
{
    guint low = 0, high = messages->len;

    if (high < 2)
        return high == 0 ? 0
                         : (double)grouping_message_at(messages, 0)->time_ps;
    while (high - low > 1) {
        guint middle = (low + high) / 2;

        if (grouping_message_at(messages, middle)->bytes <= bytes)
            low = middle;
        else
            high = middle;
    }
    low = MIN(low, messages->len - 2);
    return interpolate_message_time(grouping_message_at(messages, low),
                                    grouping_message_at(messages, low + 1),
                                    (double)bytes);
}

/* ---- the best plan of message groups ------------------------------------- */

/* Joins neighbouring tensors until there are at most GROUPING_MAX_TENSORS;
 * *@ret_counts gets the number of tensors in each. */
static GArray *join_neighbouring_tensors(const GArray *tensors,
                                         GArray **ret_counts)
{
    guint n = MIN(tensors->len, GROUPING_MAX_TENSORS), first = 0;
    GArray *ret = g_array_new(FALSE, FALSE, sizeof(GroupingTensor));

    *ret_counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (guint i = 0; i < n; i++) {
        guint end = (guint)((uint64_t)(i + 1) * tensors->len / n);
        GroupingTensor joined = { 0 };
        uint32_t count = end - first;

        for (; first < end; first++) {
            joined.bytes += grouping_tensor_at(tensors, first)->bytes;
            joined.ready_ps = grouping_tensor_at(tensors, first)->ready_ps;
        }
        g_array_append_val(ret, joined);
        g_array_append_val(*ret_counts, count);
    }
    return ret;
}

/* Computes e(j) of the file head.  @ret_from[j] is the number of tensors before
 * the last group of the best plan for the first j tensors. */
static void find_earliest_end_of_each_prefix(const GArray *tensors,
                                             const GArray *messages,
                                             guint *ret_from)
{
    guint n = tensors->len;
    g_autofree double *end_ps = g_new(double, n + 1);
    g_autofree uint64_t *bytes = g_new(uint64_t, n + 1);

    end_ps[0] = 0;
    bytes[0] = 0;
    for (guint j = 1; j <= n; j++) {
        double ready_ps = (double)grouping_tensor_at(tensors, j - 1)->ready_ps;

        bytes[j] = bytes[j - 1] + grouping_tensor_at(tensors, j - 1)->bytes;
        end_ps[j] = G_MAXDOUBLE;
        for (guint i = 0; i < j; i++) {
            double at_ps =
                MAX(end_ps[i], ready_ps) +
                grouping_message_time_ps(messages, bytes[j] - bytes[i]);

            if (at_ps >= end_ps[j])
                continue;
            end_ps[j] = at_ps;
            ret_from[j] = i;
        }
    }
}

GArray *grouping_find_best_plan(const GArray *tensors, const GArray *messages)
{
    g_autoptr(GArray) counts = NULL;
    g_autoptr(GArray) joined = join_neighbouring_tensors(tensors, &counts);
    g_autofree guint *from = g_new0(guint, joined->len + 1);
    GArray *plan = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    g_assert(tensors->len > 0);
    find_earliest_end_of_each_prefix(joined, messages, from);
    for (guint j = joined->len; j > 0; j = from[j]) {
        uint32_t count = 0;

        for (guint i = from[j]; i < j; i++)
            count += g_array_index(counts, uint32_t, i);
        g_array_prepend_val(plan, count);
    }
    return plan;
}

double grouping_plan_end_ps(const GArray *tensors, const GArray *messages,
                            const GArray *counts, guint *ret_first)
{
    double end_ps = 0;
    guint next = 0;

    *ret_first = 0;
    for (guint g = 0; g < counts->len; g++) {
        uint64_t bytes = 0;
        double ready_ps;

        for (uint32_t i = 0; i < g_array_index(counts, uint32_t, g); i++)
            bytes += grouping_tensor_at(tensors, next++)->bytes;
        ready_ps = (double)grouping_tensor_at(tensors, next - 1)->ready_ps;
        if (ready_ps >= end_ps)
            *ret_first = g;
        end_ps =
            MAX(ready_ps, end_ps) + grouping_message_time_ps(messages, bytes);
    }
    return end_ps;
}

/* ---- plans of equal groups ----------------------------------------------- */

GArray *grouping_split_by_bytes(const GArray *tensors, guint n)
{
    GArray *plan = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    double all = 0, sum = 0;
    uint32_t count = 0;

    for (guint i = 0; i < tensors->len; i++)
        all += (double)grouping_tensor_at(tensors, i)->bytes;
    for (guint i = 0; i < tensors->len; i++) {
        sum += (double)grouping_tensor_at(tensors, i)->bytes;
        count++;
        if (sum * n < all * (plan->len + 1) && i + 1 < tensors->len)
            continue;
        g_array_append_val(plan, count);
        count = 0;
    }
    return plan;
}

GArray *grouping_split_by_count(const GArray *tensors, guint n)
{
    GArray *plan = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    guint first = 0;

    n = CLAMP(n, 1, tensors->len);
    for (guint i = 0; i < n; i++) {
        guint end = (guint)((uint64_t)(i + 1) * tensors->len / n);
        uint32_t count = end - first;

        g_array_append_val(plan, count);
        first = end;
    }
    return plan;
}
