/*
 * host_rows.c - calls of host threads, their launches and their waits
 *
 * A process may use several devices.  A call belongs to the rank of the device
 * on which it launched work, else to the rank of the previous call of its
 * thread.
 */
#include "workloads/readers/cuda_waits.h"
#include "workloads/readers/nsys/nsys_state_impl.h"

/* ---- calls ------------------------------------------------------------- */

/* Returns the rank of a call by @thread, or RECORD_NONE if the process has no
 * kernels. */
static uint32_t rank_of_host_call(Nsys *nsys, GHashTable *last, int64_t thread,
                                  const NsysCall *call)
{
    gpointer key = GSIZE_TO_POINTER((gsize)thread);
    uint32_t rank = call ? call->rank : RECORD_NONE;

    if (rank == RECORD_NONE)
        rank = GPOINTER_TO_UINT(g_hash_table_lookup(last, key)) - 1;
    if (rank == RECORD_NONE)
        rank = nsys_rank_of(nsys, thread & ~NSYS_THREAD_MASK, NSYS_NONE);
    if (rank != RECORD_NONE)
        g_hash_table_insert(last, key, GUINT_TO_POINTER(rank + 1));
    return rank;
}

/* Adds the current row as a call.  @last maps threads to 1 + the rank of their
 * last call. */
static void add_row_as_call(Nsys *nsys, GHashTable *last)
{
    enum { START, END, THREAD, CORRELATION, NAME };
    NsysTables *tables = nsys->tables;
    int64_t thread = nsys_row_value(tables, THREAD);
    NsysNode node = { .flags = RECORD_ON_HOST,
                      .name = nsys_text_of_name_id(
                          nsys, nsys_row_value(tables, NAME)),
                      .start_ns = nsys_row_value(tables, START),
                      .end_ns = nsys_row_value(tables, END),
                      .stream = thread & NSYS_THREAD_MASK,
                      .correlation = nsys_row_value(tables, CORRELATION) };
    NsysCall *call = NULL;
    uint32_t rank, added;

    if (nsys_has_error(tables))
        return;
    if (node.correlation != NSYS_NONE)
        call = nsys_find_or_add_call(nsys, thread & ~NSYS_THREAD_MASK,
                                     node.correlation);
    rank = rank_of_host_call(nsys, last, thread, call);
    if (rank == RECORD_NONE)
        return;
    node.kind = reader_kind_of_runtime_call(node.name, &node.flags);
    added = nsys_add_node(nsys, rank, &node);
    if (!call || call->call != RECORD_NONE)
        return;
    call->rank = rank;
    call->call = added;
}

/* Reads the calls of the host.  Rows of threads are interleaved; those of each
 * thread are in order of time. */
static void read_call_rows(Nsys *nsys)
{
    static const NsysTable calls = {
        .name = "CUPTI_ACTIVITY_KIND_RUNTIME",
        .order = "start",
        .columns = { { "start", TRUE },
                     { "end", TRUE },
                     { "globalTid", TRUE },
                     { "correlationId", FALSE },
                     { "nameId", FALSE } },
    };
    g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);

    nsys_begin_table(nsys->tables, &calls);
    while (nsys_next_row(nsys->tables))
        add_row_as_call(nsys, last);
}

static void set_node_launches(Nsys *nsys, uint32_t r)
{
    NsysRank *rank = nsys_rank(nsys, r);

    for (uint32_t i = 0; i < rank->rank->nodes->len; i++) {
        RecordNode *node = record_node(rank->rank, i);
        int64_t number = g_array_index(rank->correlations, int64_t, i);
        const NsysCall *call =
            node->flags & RECORD_ON_HOST || number == NSYS_NONE
                ? NULL
                : nsys_find_call(nsys, rank->process, number);

        if (call && call->rank == r)
            node->launch = call->call;
    }
}

/* ---- waits ------------------------------------------------------------- */

/* A recorded CUDA event: its stream, and the call that recorded it. */
typedef struct {
    /* Key of the event: .number is eventSyncId, and .call is not used. */
    NsysCall key;
    int64_t stream, correlation;
} Event;

/* Returns the recorded CUDA events, a set of Event by process and eventSyncId.
 * The caller owns it. */
static GHashTable *read_cuda_event_rows(Nsys *nsys)
{
    enum { STREAM, CORRELATION, PROCESS, SYNC };
    static const NsysTable events = {
        .name = "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        .columns = { { "streamId", TRUE },
                     { "correlationId", FALSE },
                     { "globalPid", TRUE },
                     { "eventSyncId", FALSE } },
    };
    GHashTable *ret = g_hash_table_new_full(nsys_hash_call,
                                            nsys_calls_are_equal, g_free, NULL);

    nsys_begin_table(nsys->tables, &events);
    while (nsys_next_row(nsys->tables)) {
        Event *event = g_new0(Event, 1);

        event->key.process = nsys_row_value(nsys->tables, PROCESS);
        event->key.number = nsys_row_value(nsys->tables, SYNC);
        event->stream = nsys_row_value(nsys->tables, STREAM);
        event->correlation = nsys_row_value(nsys->tables, CORRELATION);
        g_hash_table_add(ret, event);
    }
    return ret;
}

/* Sets the call that recorded the event and its stream, if the call belongs to
 * @rank. */
static void set_awaited_event(const Nsys *nsys, const NsysRank *rank,
                              const Event *event, ReadSync *sync)
{
    const NsysCall *record =
        nsys_find_call(nsys, event->key.process, event->correlation);

    if (!record || record->call == RECORD_NONE ||
        nsys_rank(nsys, record->rank) != rank)
        return;
    sync->record = record->call;
    sync->stream = nsys_find_or_add_stream(rank, event->stream, FALSE);
}

/* Adds the current row to the waits of its rank. */
static void add_row_as_wait(Nsys *nsys, GHashTable *events, GArray **syncs)
{
    enum { PROCESS, CORRELATION, STREAM, SYNC };
    int64_t process = nsys_row_value(nsys->tables, PROCESS);
    int64_t number = nsys_row_value(nsys->tables, CORRELATION);
    const Event key = { .key = { .process = process,
                                 .number =
                                     nsys_row_value(nsys->tables, SYNC) } };
    int64_t stream = nsys_row_value(nsys->tables, STREAM);
    const NsysCall *call = nsys_find_call(nsys, process, number);
    const Event *event = NULL;
    ReadSync sync = { .record = RECORD_NONE, .stream = RECORD_NONE };

    if (!call || call->call == RECORD_NONE)
        return;
    sync.call = call->call;
    if (key.key.number != NSYS_NONE && key.key.number != 0)
        event = g_hash_table_lookup(events, &key);
    if (event)
        set_awaited_event(nsys, nsys_rank(nsys, call->rank), event, &sync);
    else if (stream != NSYS_NONE)
        sync.stream =
            nsys_find_or_add_stream(nsys_rank(nsys, call->rank), stream, FALSE);
    g_array_append_val(syncs[call->rank], sync);
}

static void read_wait_rows(Nsys *nsys, GArray **syncs)
{
    static const NsysTable table = {
        .name = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        .columns = { { "globalPid", TRUE },
                     { "correlationId", FALSE },
                     { "streamId", FALSE },
                     { "eventSyncId", FALSE } },
    };
    g_autoptr(GHashTable) events = read_cuda_event_rows(nsys);

    nsys_begin_table(nsys->tables, &table);
    while (nsys_next_row(nsys->tables))
        add_row_as_wait(nsys, events, syncs);
}

static void set_waits_of_host_calls(Nsys *nsys)
{
    guint n = nsys->ranks->len;
    g_autofree GArray **syncs = g_new(GArray *, n + 1);

    for (guint r = 0; r < n; r++)
        syncs[r] = g_array_new(FALSE, FALSE, sizeof(ReadSync));
    read_wait_rows(nsys, syncs);
    for (guint r = 0; r < n; r++) {
        reader_add_blocking_copy_dependencies(nsys_rank(nsys, r)->rank);
        reader_add_synchronisation_dependencies(nsys_rank(nsys, r)->rank,
                                                syncs[r]);
        g_array_unref(syncs[r]);
    }
}

void nsys_read_host(Nsys *nsys)
{
    read_call_rows(nsys);
    for (guint r = 0; r < nsys->ranks->len; r++)
        set_node_launches(nsys, r);
    set_waits_of_host_calls(nsys);
}
