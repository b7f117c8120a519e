/*
 * nvtx.c - NVTX ranges: steps, and calls of NCCL
 *
 * A range is a step if its name is that of one, such as "step 12"
 * (reader_find_step_word()).  If several words occur, only the first one in the
 * file counts.
 *
 * NCCL sends and receives by one kind of kernel.  Such a kernel is a single
 * message if the thread, since the launch of its previous such kernel, has
 * called ncclSend or ncclRecv but not both.  The peer is only in a payload,
 * which nsys exports as undocumented bytes, if at all.  All other such kernels
 * count as an all-to-all.
 */
#include <string.h>

#include "workloads/readers/nsys/nsys_state_impl.h"

enum { START, END, TYPE, TEXT, TEXT_ID, THREAD };

static const NsysTable ranges = {
    .name = "NVTX_EVENTS",
    .columns = { { "start", TRUE },
                 { "end", FALSE },
                 { "eventType", TRUE },
                 { "text", FALSE },
                 { "textId", FALSE },
                 { "globalTid", FALSE } },
};

/* Whether an event is a range: 59 and 60 are NvtxPushPopRange and
 * NvtxStartEndRange of ENUM_NSYS_EVENT_TYPE. */
#define IS_RANGE(type) ((type) == 59 || (type) == 60)

/* ---- steps ------------------------------------------------------------- */

static void add_step_range(Nsys *nsys, const char *name, int64_t thread)
{
    NsysNode node = { .kind = RECORD_OTHER,
                      .flags = RECORD_ON_HOST | RECORD_STEP,
                      .start_ns = nsys_row_value(nsys->tables, START),
                      .end_ns = nsys_row_value(nsys->tables, END),
                      .stream = thread & NSYS_THREAD_MASK,
                      .correlation = NSYS_NONE };

    if (node.end_ns == NSYS_NONE)
        return;
    node.name = reader_store_text(nsys->recording, name, strlen(name));
    for (guint r = 0; r < nsys->ranks->len && !nsys_has_error(nsys->tables);
         r++)
        if (nsys_rank(nsys, r)->process == (thread & ~NSYS_THREAD_MASK))
            nsys_add_node(nsys, r, &node);
}

/* ---- messages ---------------------------------------------------------- */

/* A call of NCCL by a thread, or the launch of a kernel. */
typedef struct {
    int64_t thread, begin_ns;
    /* Rank and node of a kernel; .node is RECORD_NONE for a call. */
    uint32_t rank, node;
    gboolean is_send;
} ThreadEvent;

static gint compare_events_by_time(gconstpointer a, gconstpointer b)
{
    const ThreadEvent *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->node != RECORD_NONE) - (y->node != RECORD_NONE);
}

static void add_nccl_call(Nsys *nsys, const char *name, int64_t thread,
                          GArray *events)
{
    ThreadEvent call = { .thread = thread,
                         .begin_ns = nsys_row_value(nsys->tables, START),
                         .node = RECORD_NONE,
                         .is_send = strcmp(name, "ncclSend") == 0 };

    if (call.is_send || strcmp(name, "ncclRecv") == 0)
        g_array_append_val(events, call);
}

static void add_kernel_launches(const Nsys *nsys, uint32_t r, GArray *events)
{
    const NsysRank *rank = nsys_rank(nsys, r);

    for (uint32_t i = 0; i < rank->rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank->rank, i), *launch;
        const RecordComm *comm = record_node_communication(rank->rank, node);
        ThreadEvent kernel = { .rank = r, .node = i };

        if (!comm || comm->kind != COLL_ALL_TO_ALL ||
            node->launch == RECORD_NONE)
            continue;
        launch = record_node(rank->rank, node->launch);
        kernel.thread =
            rank->process | (int64_t)g_array_index(rank->rank->streams,
                                                   RecordStream, launch->stream)
                                .id;
        kernel.begin_ns = nsys->origin_ns + launch->begin_ps / 1000;
        g_array_append_val(events, kernel);
    }
}

static void set_kernel_message(Nsys *nsys, const ThreadEvent *kernel,
                               gboolean is_send)
{
    RecordRank *rank = nsys_rank(nsys, kernel->rank)->rank;
    RecordNode *node = record_node(rank, kernel->node);

    node->kind = is_send ? RECORD_SEND : RECORD_RECEIVE;
    record_node_communication(rank, node)->kind = COLL_SEND;
}

/* Makes a kernel a single message if its thread has called only ncclSend, or
 * only ncclRecv, since its previous such kernel. */
static void set_kernel_messages(Nsys *nsys, GArray *events)
{
    guint n_sends = 0, n_receives = 0;

    for (guint r = 0; r < nsys->ranks->len; r++)
        add_kernel_launches(nsys, r, events);
    g_array_sort(events, compare_events_by_time);
    for (guint i = 0; i < events->len; i++) {
        const ThreadEvent *at = &g_array_index(events, ThreadEvent, i);

        if (i > 0 && at->thread != at[-1].thread)
            n_sends = n_receives = 0;
        if (at->node == RECORD_NONE) {
            n_sends += at->is_send ? 1 : 0;
            n_receives += at->is_send ? 0 : 1;
            continue;
        }
        if ((n_sends > 0) != (n_receives > 0))
            set_kernel_message(nsys, at, n_sends > 0);
        n_sends = n_receives = 0;
    }
}

/* ---- ranges ------------------------------------------------------------ */

void nsys_read_nvtx(Nsys *nsys)
{
    g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(ThreadEvent));
    int steps = -1;

    nsys_begin_table(nsys->tables, &ranges);
    while (nsys_next_row(nsys->tables)) {
        int64_t thread = nsys_row_value(nsys->tables, THREAD);
        const char *name = nsys_row_text(nsys->tables, TEXT);
        int word;

        if (!IS_RANGE(nsys_row_value(nsys->tables, TYPE)) ||
            thread == NSYS_NONE)
            continue;
        if (!name)
            name = nsys_text_of_name_id(nsys,
                                        nsys_row_value(nsys->tables, TEXT_ID));
        word = reader_find_step_word(name);
        if (steps < 0)
            steps = word;
        if (word >= 0 && word == steps)
            add_step_range(nsys, name, thread);
        else
            add_nccl_call(nsys, name, thread, events);
    }
    set_kernel_messages(nsys, events);
}
