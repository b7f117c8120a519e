/*
 * launch_correlation.c - links kernels to the calls (by correlation) and
 * operations (by time) that started them
 *
 * One call may start many kernels, for example a launch of a CUDA graph.
 */
#include "workloads/readers/kineto/kineto_state_impl.h"

/* ---- launches ---------------------------------------------------------- */

typedef struct {
    int64_t correlation;
    uint32_t node;
} Call;

static gint compare_calls(gconstpointer a, gconstpointer b)
{
    const Call *x = a, *y = b;

    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static GArray *list_runtime_calls(const Kineto *kineto)
{
    GArray *calls = g_array_new(FALSE, FALSE, sizeof(Call));

    for (guint i = 0; i < kineto->rank->nodes->len; i++) {
        const RecordNode *node = record_node(kineto->rank, i);
        Call call = { g_array_index(kineto->correlations, int64_t, i), i };

        if (node->flags & RECORD_ON_HOST && call.correlation != KINETO_NONE)
            g_array_append_val(calls, call);
    }
    g_array_sort(calls, compare_calls);
    return calls;
}

/* Returns the first call with @correlation, or RECORD_NONE. */
static uint32_t find_call_by_correlation(const GArray *calls,
                                         int64_t correlation)
{
    guint low = 0, high = calls->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(calls, Call, middle).correlation < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < calls->len &&
        g_array_index(calls, Call, low).correlation == correlation)
        return g_array_index(calls, Call, low).node;
    return RECORD_NONE;
}

void kineto_set_launches(Kineto *kineto)
{
    g_autoptr(GArray) calls = list_runtime_calls(kineto);

    for (guint i = 0; i < kineto->rank->nodes->len; i++) {
        int64_t correlation = g_array_index(kineto->correlations, int64_t, i);
        RecordNode *node = record_node(kineto->rank, i);

        if (!(node->flags & RECORD_ON_HOST) && correlation != KINETO_NONE)
            node->launch = find_call_by_correlation(calls, correlation);
    }
    for (guint i = 0; i < kineto->syncs->len; i++) {
        KinetoSync *sync = &g_array_index(kineto->syncs, KinetoSync, i);

        sync->call = find_call_by_correlation(calls, sync->correlation);
        sync->record = find_call_by_correlation(calls, sync->wait_record);
    }
}

/* ---- operations -------------------------------------------------------- */

static gint compare_operations(gconstpointer a, gconstpointer b)
{
    const KinetoComm *x = a, *y = b;

    if ((x->node == RECORD_NONE) != (y->node == RECORD_NONE))
        return x->node == RECORD_NONE ? -1 : 1;
    if (x->node != RECORD_NONE)
        return x->node < y->node ? -1 : x->node > y->node;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->begin_ps < y->begin_ps ? -1 : x->begin_ps > y->begin_ps;
}

/* Returns the last of the first @n operations that began before @call on the
 * same thread and had not ended, or NULL. */
static KinetoComm *find_enclosing_operation(const Kineto *kineto, guint n,
                                            const RecordNode *call)
{
    KinetoComm *found;
    guint low = 0, high = n;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const KinetoComm *at =
            &g_array_index(kineto->comms, KinetoComm, middle);

        if (at->thread < call->stream ||
            (at->thread == call->stream && at->begin_ps <= call->begin_ps))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    found = &g_array_index(kineto->comms, KinetoComm, low - 1);
    if (found->thread != call->stream ||
        found->begin_ps + (int64_t)found->duration_ps < call->begin_ps)
        return NULL;
    return found;
}

/* Completes metadata from another event: the kernel, the operation, or both may
 * have it. */
void kineto_complete_args(KinetoArgs *args, const KinetoArgs *from)
{
    args->function_id = from->function_id;
    args->external_id = from->external_id;
    if (args->collective || !from->collective)
        return;
    args->collective = from->collective;
    args->type = from->type;
    args->n_in = from->n_in;
    args->n_out = from->n_out;
    args->group_size = from->group_size;
    args->group_start = from->group_start;
    args->group_stride = from->group_stride;
    args->group_name = from->group_name;
    args->group_ranks = from->group_ranks;
    args->sequence = from->sequence;
    args->source = from->source;
    args->target = from->target;
    if (from->in_split && !args->in_split)
        args->in_split = g_array_ref(from->in_split);
    if (from->out_split && !args->out_split)
        args->out_split = g_array_ref(from->out_split);
}

void kineto_link_operations(Kineto *kineto)
{
    guint n = 0;

    g_array_sort(kineto->comms, compare_operations);
    while (n < kineto->comms->len &&
           g_array_index(kineto->comms, KinetoComm, n).node == RECORD_NONE)
        n++;
    for (guint i = n; i < kineto->comms->len; i++) {
        KinetoComm *comm = &g_array_index(kineto->comms, KinetoComm, i);
        uint32_t launch = record_node(kineto->rank, comm->node)->launch;
        KinetoComm *asker = NULL;

        if (launch != RECORD_NONE &&
            record_node(kineto->rank, launch)->begin_ps != RECORD_NO_TIME)
            asker = find_enclosing_operation(kineto, n,
                                             record_node(kineto->rank, launch));
        if (asker) {
            asker->is_taken = TRUE;
            kineto_complete_args(&comm->args, &asker->args);
        }
    }
}
