/*
 * cuda_waits.c - finds what calls of CUDA and HIP wait for; see cuda_waits.h
 *
 * A table names the calls that wait, and those whose copies block.  Nodes with
 * a launch are sorted by stream and launch, so that the last node launched
 * before a call is found by binary search.
 */
#include "workloads/readers/cuda_waits.h"

#include <string.h>

typedef enum {
    CALL_WAITS_FOR_DEVICE,
    CALL_WAITS_FOR_COPY,
    CALL_BLOCKS_STREAM
} CallEffect;

typedef struct {
    /* Name of the call without suffixes such as _ptsz and _v2. */
    const char *name;
    CallEffect effect;
} Call;

static const Call calls[] = {
    { "cudaStreamSynchronize", CALL_WAITS_FOR_DEVICE },
    { "cudaDeviceSynchronize", CALL_WAITS_FOR_DEVICE },
    { "cudaEventSynchronize", CALL_WAITS_FOR_DEVICE },
    { "cudaThreadSynchronize", CALL_WAITS_FOR_DEVICE },
    { "cuStreamSynchronize", CALL_WAITS_FOR_DEVICE },
    { "cuEventSynchronize", CALL_WAITS_FOR_DEVICE },
    { "cuCtxSynchronize", CALL_WAITS_FOR_DEVICE },
    { "hipStreamSynchronize", CALL_WAITS_FOR_DEVICE },
    { "hipDeviceSynchronize", CALL_WAITS_FOR_DEVICE },
    { "hipEventSynchronize", CALL_WAITS_FOR_DEVICE },
    { "cudaMemcpy", CALL_WAITS_FOR_COPY },
    { "cudaMemcpy2D", CALL_WAITS_FOR_COPY },
    { "hipMemcpy", CALL_WAITS_FOR_COPY },
    { "hipMemcpyWithStream", CALL_WAITS_FOR_COPY },
    { "hipMemcpyDtoH", CALL_WAITS_FOR_COPY },
    { "hipMemcpyHtoD", CALL_WAITS_FOR_COPY },
    { "cuMemcpyDtoH", CALL_WAITS_FOR_COPY },
    { "cuMemcpyHtoD", CALL_WAITS_FOR_COPY },
    { "cudaStreamWaitEvent", CALL_BLOCKS_STREAM },
    { "cuStreamWaitEvent", CALL_BLOCKS_STREAM },
    { "hipStreamWaitEvent", CALL_BLOCKS_STREAM },
};

static const Call *find_known_call(const char *name)
{
    gsize n = strcspn(name, "_");

    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        if (strncmp(calls[i].name, name, n) == 0 && !calls[i].name[n])
            return &calls[i];
    return NULL;
}

RecordKind reader_kind_of_runtime_call(const char *name, uint8_t *flags)
{
    const Call *call = find_known_call(name);

    if (call && call->effect == CALL_WAITS_FOR_DEVICE)
        return RECORD_WAIT;
    if (call && call->effect == CALL_BLOCKS_STREAM)
        *flags |= RECORD_STREAM_WAITS;
    return RECORD_HOST;
}

/* ---- copies ------------------------------------------------------------ */

/* Adds a dependency to @node.  Its earlier dependencies, if any, must be the
 * last ones in .deps. */
static void add_dep_on_node(RecordRank *rank, RecordNode *node, uint32_t on)
{
    GArray *deps = rank->deps;
    uint64_t id = record_node(rank, on)->id;

    if (node->n_deps == 0)
        node->first_dep = deps->len;
    g_assert(node->first_dep + node->n_deps == deps->len);
    g_array_append_val(deps, id);
    node->n_deps++;
}

static gboolean memory_copy_blocks_call(const RecordNode *copy,
                                        const RecordNode *call)
{
    const Call *known = find_known_call(call->name);

    if (strstr(copy->name, "-> Pageable"))
        return TRUE;
    /* A blocking call does not wait for a copy within the device. */
    return known && known->effect == CALL_WAITS_FOR_COPY &&
           !strstr(copy->name, "DtoD");
}

void reader_add_blocking_copy_dependencies(RecordRank *rank)
{
    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *copy = record_node(rank, i);
        RecordNode *call;

        if (copy->kind != RECORD_COPY || copy->launch == RECORD_NONE)
            continue;
        call = record_node(rank, copy->launch);
        if (call->n_deps > 0 || !memory_copy_blocks_call(copy, call))
            continue;
        call->kind = RECORD_WAIT;
        call->flags |= RECORD_WAITS_FOR_DEPS;
        add_dep_on_node(rank, call, i);
    }
}

/* ---- dependencies of waiting calls ------------------------------------- */

typedef struct {
    uint32_t stream, node;
    int64_t launched_ps;
} Queued;

static gint compare_by_stream_and_launch(gconstpointer a, gconstpointer b)
{
    const Queued *x = a, *y = b;

    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->launched_ps != y->launched_ps)
        return x->launched_ps < y->launched_ps ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Returns the nodes of @rank that were launched on streams, in launch order. */
static GArray *list_launched_nodes(const RecordRank *rank)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(Queued));

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        Queued queued = { .stream = node->stream, .node = i };

        if (node->flags & RECORD_ON_HOST || node->launch == RECORD_NONE)
            continue;
        queued.launched_ps = record_node(rank, node->launch)->begin_ps;
        g_array_append_val(all, queued);
    }
    g_array_sort(all, compare_by_stream_and_launch);
    return all;
}

/* Returns the last node on @stream that was launched before @ps, or
 * RECORD_NONE. */
static uint32_t last_node_launched_before_call(const GArray *all,
                                               uint32_t stream, int64_t ps)
{
    const Queued *found;
    guint low = 0, high = all->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const Queued *at = &g_array_index(all, Queued, middle);

        if (at->stream < stream ||
            (at->stream == stream && at->launched_ps < ps))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return RECORD_NONE;
    found = &g_array_index(all, Queued, low - 1);
    return found->stream == stream ? found->node : RECORD_NONE;
}

/* Largest number of streams that a call waits for.  No device has more streams
 * in use; the limit bounds the work for invalid files. */
#define MAX_WAITED 1024

static void wait_for_all_streams(RecordRank *rank, const GArray *all,
                                 RecordNode *call)
{
    GArray *streams = rank->streams;

    for (uint32_t i = 0; i < streams->len && i < MAX_WAITED; i++) {
        uint32_t node = last_node_launched_before_call(all, i, call->begin_ps);

        if (node != RECORD_NONE)
            add_dep_on_node(rank, call, node);
    }
}

/* Makes @call wait for the last node on @stream before @ps. */
static void add_wait_for_stream(RecordRank *rank, const GArray *all,
                                RecordNode *call, uint32_t stream, int64_t ps)
{
    uint32_t node = stream == RECORD_NONE
                        ? RECORD_NONE
                        : last_node_launched_before_call(all, stream, ps);

    if (node != RECORD_NONE)
        add_dep_on_node(rank, call, node);
}

/* Adds the dependencies of a synchronisation.  A CUDA event waits for the work
 * that was on its stream when it was recorded; any other call waits for the
 * work that is there when it is called. */
static void add_synchronisation_deps(RecordRank *rank, const GArray *all,
                                     const ReadSync *sync)
{
    RecordNode *call = record_node(rank, sync->call);

    if (call->n_deps > 0)
        return;
    if (sync->record != RECORD_NONE)
        add_wait_for_stream(rank, all, call, sync->stream,
                            record_node(rank, sync->record)->begin_ps);
    else if (strstr(call->name, "StreamSynchronize"))
        add_wait_for_stream(rank, all, call, sync->stream, call->begin_ps);
    else if (!strstr(call->name, "Event"))
        wait_for_all_streams(rank, all, call);
    if (call->n_deps > 0 && call->kind == RECORD_WAIT)
        call->flags |= RECORD_WAITS_FOR_DEPS;
}

/* Returns whether the name of @call says that it waits for the whole device,
 * even if there is no record of the wait. */
static gboolean call_waits_for_device(const RecordNode *call)
{
    return call->kind == RECORD_WAIT && call->n_deps == 0 &&
           (strstr(call->name, "DeviceSynchronize") ||
            strstr(call->name, "CtxSynchronize") ||
            strstr(call->name, "ThreadSynchronize"));
}

void reader_add_synchronisation_dependencies(RecordRank *rank,
                                             const GArray *syncs)
{
    g_autoptr(GArray) all = list_launched_nodes(rank);

    for (guint i = 0; i < syncs->len; i++)
        add_synchronisation_deps(rank, all, &g_array_index(syncs, ReadSync, i));
    for (guint i = 0; i < rank->nodes->len; i++) {
        RecordNode *call = record_node(rank, i);

        if (!call_waits_for_device(call))
            continue;
        wait_for_all_streams(rank, all, call);
        if (call->n_deps > 0)
            call->flags |= RECORD_WAITS_FOR_DEPS;
    }
}
